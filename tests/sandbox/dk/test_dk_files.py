"""Danish files of the sandbox beside its truth, read by a reader of their own."""

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lxml import etree

from firm.demo.sandbox_origin import played_markets
from sandbox import MARKETS, World, minimum_companies, write_days
from sandbox import expected as sandbox_expected
from warehouse.schema.markets import MARKETS as DECLARED

DAYS = 4
FSA = "{http://xbrl.dcca.dk/fsa}"
IFRS = "{http://xbrl.ifrs.org/taxonomy/2024-03-27/ifrs-full}"
BAND_ENDS = {Decimal(5), Decimal(10), Decimal(15), Decimal(20), Decimal(25), Decimal("33.33"), Decimal(50),
             Decimal("66.67"), Decimal(90), Decimal(100)}  # fmt: skip
GONE = ("OPLØST", "TVANGSOPLØST")


@dataclass(frozen=True)
class Written:
    """The world's files, and what is true in it."""

    world: World
    folder: Path
    told: dict[str, Any]

    def day(self, number: int) -> Path:
        return self.folder / self.told["days"][number] / "dk"

    def records(self, number: int) -> list[dict[str, Any]]:
        """Records of companies in the answers of a day."""
        hits = _hits(self.day(number) / "cvr_virksomhed")
        return [hit["_source"]["Vrvirksomhed"] for hit in hits]

    def publications(self, number: int) -> list[dict[str, Any]]:
        return _hits(self.day(number) / "offentliggoerelser")


def _hits(folder: Path) -> list[dict[str, Any]]:
    return [hit for path in sorted(folder.iterdir()) for hit in json.loads(path.read_bytes())["hits"]["hits"]]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("denmark")
    world = World(seed=5, companies=minimum_companies("DK", DAYS) + 30, days=DAYS, markets=("DK",))
    write_days(world, folder)
    return Written(world, folder, json.loads((folder / "truth.json").read_text(encoding="utf-8")))


def current(elements: list[dict[str, Any]], day: str) -> dict[str, Any] | None:
    """What has begun and not ended, of several what began last."""
    holding = [
        one for one in elements if (one["periode"]["gyldigFra"] or "") <= day <= (one["periode"]["gyldigTil"] or "9999")
    ]
    return max(holding, key=lambda one: one["periode"]["gyldigFra"] or "", default=None)


def test_denmark_is_in_a_world_that_asks_for_it_alone() -> None:
    assert "DK" not in MARKETS
    assert World(companies=400).markets == played_markets() == MARKETS


def test_numbers_are_valid_and_unlike_real_ones(written: Written) -> None:
    numbers = [company.number for company in written.world.all("DK", 0)]
    assert len(set(numbers)) == len(numbers)
    assert all(DECLARED["DK"].number.is_valid(number) and number >= "80000000" for number in numbers)
    found = [written.world.find("DK", number, 0) for number in numbers]
    assert [company.position for company in found if company is not None] == list(range(len(numbers)))
    assert written.world.find("DK", "25052943", 0) is None


def test_the_first_day_has_every_company_and_a_later_one_those_that_changed(written: Written) -> None:
    for number in range(DAYS):
        listed = Counter(f"firm:DK:{record['cvrNummer']:08}" for record in written.records(number))
        assert set(listed.values()) == {1}
        since = written.told["days"][number]
        changed = {
            company for company, states in written.told["companies"].items() for one in states if one["from"] == since
        }
        if number == 0:
            assert listed.keys() == changed
        else:
            filed = {f"firm:DK:{one['_source']['cvrNummer']:08}" for one in written.publications(number)}
            assert changed <= listed.keys() | filed
            assert len(listed) < len(written.told["companies"]) / 2


def test_a_record_says_what_the_truth_says(written: Written) -> None:
    for number, day in enumerate(written.told["days"]):
        states = sandbox_expected.expected_on_day(written.told, day)
        for record in written.records(number):
            profile = states[f"firm:DK:{record['cvrNummer']:08}"]["profile"]
            name, place, industry = (
                current(record[key], day) for key in ("navne", "beliggenhedsadresse", "hovedbranche")
            )
            assert name is not None
            assert name["navn"] == profile["name"] == record["virksomhedMetadata"]["nyesteNavn"]["navn"]
            assert place is not None
            assert place["kommune"]["kommuneNavn"] == profile["municipality"].upper()
            assert industry is not None
            assert industry["branchekode"] == profile["sni_code"]
            is_alive = current(record["livsforloeb"], day) is not None
            word = record["virksomhedMetadata"]["sammensatStatus"]
            assert is_alive is (profile["status"] != "dissolved") is not word.startswith(GONE)
            assert (profile["status"] == "dormant") == word.startswith(("UNDER KONKURS", "UNDER FRI", "UNDER TVANG"))


def test_registers_of_owners_say_who_owns_how_much(written: Written) -> None:
    kinds: Counter[str] = Counter()
    for number, day in enumerate(written.told["days"]):
        states = sandbox_expected.expected_on_day(written.told, day)
        for record in written.records(number):
            said = {holder: share for holder, share in legal_owners(record, day, kinds) if share is not None}
            owners = states[f"firm:DK:{record['cvrNummer']:08}"]["owners"]
            assert {owner["native_id"]: Decimal(str(owner["pct_min"])) for owner in owners} == said
            assert set(said.values()) <= BAND_ENDS
    assert min(kinds[name] for name in ("PERSON", "VIRKSOMHED", "ANDEN_DELTAGER", "beneficial", "missing")) > 0


def legal_owners(record: dict[str, Any], day: str, kinds: Counter[str]) -> list[tuple[str, Decimal | None]]:
    """Each holder of EJERREGISTER and its share in percent; None where it has ended."""
    found: list[tuple[str, Decimal | None]] = []
    for relation in record["deltagerRelation"]:
        if relation["deltager"] is None:
            kinds["missing"] += 1
            continue
        for body in relation["organisationer"]:
            name = body["organisationsNavn"][0]["navn"]
            kinds["beneficial"] += name == "Reelle ejere"
            if name != "EJERREGISTER":
                continue
            kinds[relation["deltager"]["enhedstype"]] += 1
            attributes = body["medlemsData"][0]["attributter"]
            values = [value for one in attributes if one["type"] == "EJERANDEL_PROCENT" for value in one["vaerdier"]]
            value = current(values, day)
            share = None if value is None else Decimal(value["vaerdi"]) * 100
            found.append((str(relation["deltager"]["enhedsNummer"]), share))
    return found


def test_reports_state_the_figures_of_the_truth(written: Written) -> None:
    seen: Counter[str] = Counter()
    for number, day in enumerate(written.told["days"]):
        for hit in written.publications(number):
            source = hit["_source"]
            if source["offentliggoerelsestype"] != "regnskab":
                seen["other"] += 1
                continue
            documents = report_documents(written, number, hit)
            seen["several"] += len(documents) > 1
            company = written.world.find("DK", f"{source['cvrNummer']:08}", number)
            assert company is not None
            [accounts] = [one for one in company.accounts if f"urn:ofk:oid:{one.document}" == hit["_id"]]
            assert source["omgoerelse"] is accounts.is_amended
            assert source["regnskab"]["regnskabsperiode"]["slutDato"] == accounts.end.isoformat()
            found = max((figures(body, accounts.end) for body in documents), key=len)
            seen["with revenue"] += accounts.figures.revenue is not None
            assert found.get("Revenue") == accounts.figures.revenue
            assert found["Assets"] == accounts.figures.total_assets
            assert found["Equity"] == accounts.figures.equity
            assert found["ProfitLoss"] == accounts.figures.net_result
            assert date.fromisoformat(day) >= accounts.published
            seen["withheld"] += accounts.figures.revenue is None
    assert min(seen[name] for name in ("other", "several", "with revenue", "withheld")) > 0


def report_documents(written: Written, number: int, hit: dict[str, Any]) -> list[bytes]:
    """The XML documents of a publication as its files have them, of which some are gzip."""
    name = quote(hit["_id"], safe="")
    paths = sorted((written.day(number) / "regnskaber").glob(f"{name}~*"))
    listed = [one for one in hit["_source"]["dokumenter"] if one["dokumentMimeType"] != "application/pdf"]
    assert len(paths) == len(listed) > 0
    bodies = [path.read_bytes() for path in paths]
    return [gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body for body in bodies]


def figures(body: bytes, end: date) -> dict[str, int]:
    """Facts of the last year without a dimension, by local name; of inline documents too."""
    tree = etree.fromstring(body)
    contexts = {
        node.get("id"): node
        for node in tree.iter("{http://www.xbrl.org/2003/instance}context")
        if node.find(".//{http://xbrl.org/2006/xbrldi}explicitMember") is None and str(end) in "".join(node.itertext())
    }
    found: dict[str, int] = {}
    for node in tree.iter():
        if node.get("contextRef") not in contexts or node.get("unitRef") in (None, "pure"):
            continue
        printed = (node.text or "").replace(".", "")
        sign = -1 if node.get("sign") == "-" else 1
        name = node.get("name")
        space, _, local = name.partition(":") if name else ("", "", etree.QName(node).localname)
        assert name or str(node.tag).startswith((FSA, IFRS))
        assert not name or node.nsmap[space] == "http://xbrl.dcca.dk/fsa"
        found[local] = sign * int(printed)
    return found


def test_odd_corners_occur(written: Written) -> None:
    records = written.records(0)
    newest = [record["virksomhedMetadata"] for record in records]
    assert any(one["stiftelsesDato"] == "1901-01-01" for one in newest)
    assert any(one["nyesteErstMaanedsbeskaeftigelse"] is None for one in newest)
    assert any(not record["virksomhedsstatus"] for record in records)
    assert any(record["binavne"] for record in records)
    later = [record for number in range(1, DAYS) for record in written.records(number)]
    orders = {
        record["navne"] == sorted(record["navne"], key=lambda one: one["periode"]["gyldigFra"]) for record in later
    }
    assert orders == {True, False}
    holders = [relation["deltager"] for record in records for relation in record["deltagerRelation"]]
    assert any(holder is not None and holder["adresseHemmelig"] for holder in holders)
    packed = {path.read_bytes().startswith(b"\x1f\x8b") for path in (written.day(0) / "regnskaber").iterdir()}
    assert packed == {True, False}


def test_the_same_seed_gives_the_same_bytes(written: Written, tmp_path: Path) -> None:
    again = World(seed=5, companies=written.world.companies, days=DAYS, markets=("DK",))
    write_days(again, tmp_path, with_truth=False)
    for path in written.folder.rglob("dk/**/*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(written.folder)).read_bytes()
