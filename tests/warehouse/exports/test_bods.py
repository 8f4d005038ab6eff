"""Statements of the Beneficial Ownership Data Standard: what each kind of holder becomes, once, and the same always."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.tables import check_cases
from tests.warehouse.handed import HOSTILE, hostile_world, write
from tests.warehouse.reader.test_groups import related
from tests.warehouse.world import learn, member, owner, publish
from warehouse.exports.bods.interests import stated_interests
from warehouse.exports.exports import ExportStore, MarketExport
from warehouse.storage.layout import Layout

ONE, TWO, THREE, SWEDISH = "firm:NO:900000001", "firm:NO:900000002", "firm:NO:900000003", "firm:SE:900000001"
OUTSIDE, LEI, LEI_OF_TWO = "firm:US:US0000000009", "549300EXAMPLE0000097", "549300EXAMPLE0000098"
TOLD = '[{"register":"no.x","native_id":"7","url":"https://a.example/7?a=(1)","as_of":"2025-01-01","pct":null}]'
ODD = '[{"register":"no.x","native_id":null,"url":"https://a.example/<7>","as_of":"2025-01-01","pct":null}]'

Statements = dict[str, dict[str, Any]]


def statements(export: MarketExport) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress((export.folder / "ownership.bods.json.gz").read_bytes()))
    return found


def statement_world(layout: Layout, *, pct: str = "60", at: int = 0) -> None:
    """Holders of all kinds in Norway, and a Swedish company that two Norwegian holders are of, too."""
    read = [{"register": "no.x", "native_id": "1", "url": None, "retrieved_at": "2025-12-31T00:00:00Z"}]
    companies = [member("NO", number, sources=json.dumps(read)) for number in (1, 2, 3)]
    companies[0] |= {"name": HOSTILE[0], "registered_date": dt.date(1990, 5, 5)}
    leis = [{"company_id": TWO, "scheme": "lei", "value": LEI_OF_TWO}]
    owners = [
        owner(ONE, "own_person", basis="band", pct_min=25, pct_max=50, holder_type="person", holder_country="GB",
              holder_name=HOSTILE[2], is_direct=True, sources=TOLD),
        owner(ONE, "own_secret", basis=None, holder_type="person", sources=ODD),
        owner(ONE, "own_two", pct, holder_company_id=TWO, holder_name="As stated"),
        owner(ONE, "own_state", "1", holder_type="state", holder_name="Kongeriket", holder_country="NO"),
        owner(ONE, "own_fund", "2", holder_type="fund", votes_pct=Decimal("3.5"), share_class="A"),
        owner(ONE, "own_some", "4", holder_type="unknown", holder_name=HOSTILE[4]),
        owner(ONE, "own_away", "5", holder_company_id=OUTSIDE, holder_name="Away Inc"),
        owner(ONE, "own_lei", holder_type="unknown", basis=None),
        owner(ONE, "own_former", "5", ended_on=dt.date(2025, 9, 1)),
        owner(ONE, "own_later", "5", as_of=dt.date(2030, 1, 1)),
        owner(TWO, "own_lei", holder_type="unknown", basis=None, as_of=dt.date(2024, 1, 1)),
        owner(THREE, "own_away", "6", holder_company_id=OUTSIDE, holder_name="Away Incorporated",
              as_of=dt.date(2023, 1, 1)),
    ]  # fmt: skip
    relations = [
        related(1, 2, pct, holder_id="own_two"),
        related(1, 2, holder_id="own_two", relation="control"),
        related(1, LEI, holder_id="own_lei", is_direct=False, sources=TOLD),
        related(2, LEI, holder_id="own_lei", as_of=dt.date(2024, 1, 1)),
        related(1, 3, "5", holder_id="own_former", ended_on=dt.date(2025, 9, 1)),
    ]
    learn(layout, "NO", at, companies=companies, owners=owners, relations=relations, identifiers=leis)
    consolidated = {"company_id": SWEDISH, "holder_type": "unknown", "basis": None}
    learn(
        layout, "SE", at, companies=[member("SE", 1, name="Svensk AB")],
        owners=[owner(SWEDISH, "own_a") | consolidated, owner(SWEDISH, "own_b") | consolidated],
        relations=[related(1, LEI, company_id=SWEDISH, holder_id="own_a"),
                   related(1, LEI_OF_TWO, company_id=SWEDISH, holder_id="own_b")],
    )  # fmt: skip
    publish(layout, "NO", "SE", at=at)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = Layout(tmp_path_factory.mktemp("bods") / "data")
    statement_world(layout)
    return layout


@pytest.fixture(scope="module")
def exported(world: Layout) -> dict[str, MarketExport]:
    return {made.market: made for made in write(world, formats=["bods"])}


@pytest.fixture(scope="module")
def norwegian(exported: dict[str, MarketExport]) -> Statements:
    found = statements(exported["NO"])
    assert len({one["statementId"] for one in found}) == len({one["recordId"] for one in found}) == len(found)
    return {one["recordId"]: one for one in found}


def relationship(found: Statements, company_id: str, holder_id: str) -> dict[str, Any]:
    details: dict[str, Any] = found[f"{company_id}/{holder_id}"]["recordDetails"]
    assert (details["subject"], details["isComponent"]) == (company_id, False)
    return details


def test_every_holder_of_the_day_is_there_and_no_other(norwegian: Statements) -> None:
    kinds = {kind: {one for one, it in norwegian.items() if it["recordType"] == kind} for kind in
             ("person", "entity", "relationship")}  # fmt: skip
    held = ("own_person", "own_secret", "own_two", "own_state", "own_fund", "own_some", "own_away", "own_lei")
    assert kinds == {
        "person": {"own_person", "own_secret"},
        "entity": {ONE, TWO, THREE, "own_state", "own_fund", OUTSIDE, f"lei:{LEI}"},
        "relationship": {*(f"{ONE}/{holder}" for holder in held), f"{TWO}/own_lei", f"{THREE}/own_away"},
    }
    assert norwegian.keys() == kinds["person"] | kinds["entity"] | kinds["relationship"]


def test_a_statement_is_about_a_subject_of_the_file_and_parties_are_records(norwegian: Statements) -> None:
    for one in norwegian.values():
        assert one["declarationSubject"] in norwegian
        assert one["publicationDetails"] == {
            "publicationDate": "2026-01-01",
            "bodsVersion": "0.4",
            "publisher": {"name": "Firmdata"},
        }
        if one["recordType"] == "relationship":
            party = one["recordDetails"]["interestedParty"]
            assert isinstance(party, dict) or norwegian[party]["recordType"] in {"entity", "person"}


def test_companies_have_their_registers_number_and_their_lei(norwegian: Statements) -> None:
    details = norwegian[TWO]["recordDetails"]
    registry = {"scheme": "NO-BRC", "schemeName": "Brønnøysundregistrene", "id": "900000002"}
    assert details["identifiers"][0] == registry
    assert [(one["scheme"], one["id"]) for one in details["identifiers"][1:]] == [("XI-LEI", LEI_OF_TWO)]
    assert details["jurisdiction"] == {"name": "Norway", "code": "NO"}
    assert norwegian[ONE]["recordDetails"]["name"] == HOSTILE[0]
    assert norwegian[ONE]["recordDetails"]["foundingDate"] == "1990-05-05"
    assert "foundingDate" not in details  # unknown is absent
    away = norwegian[OUTSIDE]["recordDetails"]
    assert away["identifiers"] == [{"schemeName": "SEC Central Index Key (CIK)", "id": "0000000009"}]
    assert (away["name"], norwegian[OUTSIDE]["statementDate"]) == ("Away Incorporated", "2023-01-01")  # first named so


def test_of_persons_the_name_alone(norwegian: Statements) -> None:
    person = norwegian["own_person"]
    assert person["recordDetails"] == {
        "isComponent": False,
        "personType": "knownPerson",
        "names": [{"fullName": HOSTILE[2]}],
    }
    assert (person["declarationSubject"], person["statementDate"]) == (ONE, "2025-01-01")
    [remark] = person["annotations"]
    assert remark["description"].startswith("Country of the holder: GB.")
    assert person["source"] == {"description": "no.x 7", "url": "https://a.example/7?a=(1)"}
    secret = norwegian["own_secret"]
    assert secret["recordDetails"]["personType"] == "unknownPerson"
    assert secret["recordDetails"]["unspecifiedPersonDetails"] == {"reason": "informationUnknownToPublisher"}
    assert secret["source"] == {"description": "no.x"}  # an address with characters that no URI has is left out


def test_interests_are_those_that_sources_state(norwegian: Statements) -> None:
    assert relationship(norwegian, ONE, "own_person")["interests"] == [
        {"type": "shareholding", "directOrIndirect": "direct", "share": {"minimum": 25, "maximum": 50}}
    ]
    control, shares = relationship(norwegian, ONE, "own_two")["interests"]
    assert (control["type"], "share" in control) == ("otherInfluenceOrControl", False)
    assert shares == {"type": "shareholding", "directOrIndirect": "unknown", "share": {"exact": 60}}
    assert relationship(norwegian, ONE, "own_two")["interestedParty"] == TWO
    assert relationship(norwegian, ONE, "own_fund")["interests"] == [
        {"type": "shareholding", "directOrIndirect": "unknown", "share": {"exact": 2}, "details": "share class A"},
        {"type": "votingRights", "directOrIndirect": "unknown", "share": {"exact": 3.5}},
    ]
    [consolidation] = relationship(norwegian, ONE, "own_lei")["interests"]
    assert (consolidation["directOrIndirect"], "share" in consolidation) == ("indirect", False)
    assert consolidation["details"].startswith("accounting consolidation")


def test_a_holder_of_unknown_kind_is_neither_person_nor_entity(norwegian: Statements) -> None:
    party = relationship(norwegian, ONE, "own_some")["interestedParty"]
    assert party["reason"] == "informationUnknownToPublisher"
    assert party["description"].endswith(f"It is named {HOSTILE[4]}.")


def test_a_holder_of_several_companies_is_one_record_in_every_file(
    norwegian: Statements, exported: dict[str, MarketExport]
) -> None:
    swedish = {one["recordId"]: one for one in statements(exported["SE"])}
    assert swedish.keys() == {SWEDISH, TWO, f"lei:{LEI}", f"{SWEDISH}/own_a", f"{SWEDISH}/own_b"}
    for shared in (TWO, f"lei:{LEI}"):
        assert swedish[shared] == norwegian[shared]
    assert relationship(swedish, SWEDISH, "own_b")["interestedParty"] == TWO  # known by its LEI alone
    assert norwegian[f"lei:{LEI}"]["statementDate"] == "2024-01-01"


@pytest.mark.slow
def test_of_the_next_release_what_is_the_same_has_the_same_id(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "data")
    statement_world(layout)
    exports = ExportStore(layout)
    [plain] = exports.write(["NO"], ["parquet"])
    [first] = exports.write(["NO"], ["bods"])
    assert (plain.manifest["formats"], first.manifest["formats"]) == (["parquet"], ["parquet", "bods"])
    [entry] = [one for one in first.manifest["files"] if one["format"] == "bods"]
    assert (entry["table"], entry["rows"], entry["compression"]) == ("ownership", 19, "gzip")
    statement_world(layout, pct="61", at=1)
    [second] = exports.write(["NO"], ["bods"])
    assert second.delta is None
    before, after = ({one["recordId"]: one["statementId"] for one in statements(it)} for it in (first, second))
    assert before.keys() == after.keys()
    assert {one for one in before if before[one] != after[one]} == {f"{ONE}/own_two"}
    [again] = write(layout, "NO", formats=["bods"], to=tmp_path / "again", at=9)
    assert again.manifest["files"] == second.manifest["files"]
    [with_tables] = exports.write(["NO"], ["parquet", "bods"])
    assert with_tables.delta is not None
    assert {path.suffix for path in with_tables.delta.iterdir()} == {".parquet", ".json"}


def test_hostile_texts_stay_texts_of_one_line_each(layout: Layout) -> None:
    hostile_world(layout)
    [made] = write(layout, "NO", formats=["bods"])
    text = gzip.decompress((made.folder / "ownership.bods.json.gz").read_bytes())
    first, *lines, last, end = text.split(b"\n")
    assert (first, last, end) == (b"[", b"]", b"")
    assert [json.loads(line.removesuffix(b",")) for line in lines] == statements(made)
    [empty] = write(layout, "SE", formats=["bods"])
    assert statements(empty) == []


LINE: dict[str, Any] = dict.fromkeys(("pct", "pct_min", "pct_max", "votes_pct", "is_direct", "share_class"))
LINE |= {"reconciliation": "single"}
UNKNOWN = {"directOrIndirect": "unknown"}


@check_cases(
    ("given", "interests"),
    [
        ({}, [{"type": "unknownInterest", "details": "no share of capital or votes is stated"}]),
        ({"pct": 0}, [{"type": "shareholding", "share": {"exact": 0}}]),
        ({"pct": 120.5}, [{"type": "shareholding", "details": "stated share: 120.5 %"}]),
        ({"pct_min": 50, "pct_max": 50}, [{"type": "shareholding", "share": {"exact": 50}}]),
        ({"pct_min": 75}, [{"type": "shareholding", "share": {"minimum": 75}}]),
        ({"pct_min": 75, "pct_max": 101}, [{"type": "shareholding", "details": "stated share: 75 to 101 %"}]),
        ({"votes_pct": 9}, [{"type": "votingRights", "share": {"exact": 9}}]),
        (
            {"pct": 5, "reconciliation": "conflict"},
            [{"type": "shareholding", "share": {"exact": 5}, "details": "sources disagree"}],
        ),
    ],
)
def test_shares(given: dict[str, Any], interests: list[dict[str, Any]]) -> None:
    assert stated_interests(LINE | given, []) == [UNKNOWN | one for one in interests]
