"""Level 2: consolidating parents as control and never as a share; exceptions; hostile bodies."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.gleif.level2 import dataset as level2_dataset
from connectors.gleif.level2 import schema as f
from connectors.gleif.level2.dataset import parents_dataset
from connectors.gleif.level2.holdings import map_holdings
from pipelines.transforms.events import ownership
from pipelines.transforms.events.ownership import ABSENT
from pipelines.transforms.ownership.owners import build_owners
from tests.connectors.gleif.gleif_bodies import NOON, lei
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.tables import HOLDINGS, OWNERS

DATASET = parents_dataset("NO")
CHILD, PARENT, TOP = lei("C"), lei("D"), lei("E")
COMPANY = "firm:NO:964169969"


def relation(child: str, parent: str, kind: str = f.DIRECT, **said: str) -> dict[str, str]:
    plain = {"status": "ACTIVE", "registered": "PUBLISHED", "from": "2020-01-01T00:00:00.000Z", "to": "", "amount": ""}
    return {"child": child, "parent": parent, "kind": kind, **plain, **said}


def xml(*made: dict[str, str]) -> bytes:
    text = "".join(map(_record, made))
    return (
        '<?xml version="1.0"?><rr:RelationshipData xmlns:rr="http://www.gleif.org/data/schema/rr/2016"><rr:Header>'
        "<rr:ContentDate>2026-11-16T08:00:00Z</rr:ContentDate></rr:Header><rr:RelationshipRecords>"
        f"{text}</rr:RelationshipRecords></rr:RelationshipData>"
    ).encode()


def _record(one: dict[str, str]) -> str:
    end = f"<rr:EndDate>{one['to']}</rr:EndDate>" if one["to"] else ""
    share = (
        "<rr:RelationshipQuantifiers><rr:RelationshipQuantifier><rr:MeasurementMethod>ACCOUNTING_CONSOLIDATION"
        f"</rr:MeasurementMethod><rr:QuantifierAmount>{one['amount']}</rr:QuantifierAmount>"
        "<rr:QuantifierUnits>PERCENTAGE</rr:QuantifierUnits></rr:RelationshipQuantifier></rr:RelationshipQuantifiers>"
        if one["amount"]
        else ""
    )
    return (
        "<rr:RelationshipRecord><rr:Relationship>"
        f"<rr:StartNode><rr:NodeID>{one['child']}</rr:NodeID></rr:StartNode>"
        f"<rr:EndNode><rr:NodeID>{one['parent']}</rr:NodeID></rr:EndNode>"
        f"<rr:RelationshipType>{one['kind']}</rr:RelationshipType><rr:RelationshipPeriods>"
        "<rr:RelationshipPeriod><rr:StartDate>1999-01-01</rr:StartDate>"
        "<rr:PeriodType>ACCOUNTING_PERIOD</rr:PeriodType></rr:RelationshipPeriod>"
        f"<rr:RelationshipPeriod><rr:StartDate>{one['from']}</rr:StartDate>{end}"
        "<rr:PeriodType>RELATIONSHIP_PERIOD</rr:PeriodType></rr:RelationshipPeriod></rr:RelationshipPeriods>"
        f"<rr:RelationshipStatus>{one['status']}</rr:RelationshipStatus>{share}</rr:Relationship><rr:Registration>"
        f"<rr:LastUpdateDate>{one.get('updated', '2026-01-02T00:00:00Z')}</rr:LastUpdateDate>"
        f"<rr:RegistrationStatus>{one['registered']}</rr:RegistrationStatus></rr:Registration></rr:RelationshipRecord>"
    )


def api(*made: dict[str, str]) -> bytes:
    def one(said: dict[str, str]) -> dict[str, Any]:
        span = {"startDate": said["from"], "type": f.PERIOD} | ({"endDate": said["to"]} if said["to"] else {})
        periods = [{"startDate": "1999-01-01", "type": "ACCOUNTING_PERIOD"}, span]
        edge = {"startNode": {"id": said["child"]}, "endNode": {"id": said["parent"]}, "type": said["kind"]}
        kept = {"lastUpdateDate": "2026-01-02T00:00:00Z", "status": said["registered"]}
        attributes = {"relationship": edge | {"status": said["status"], "periods": periods}, "registration": kept}
        return {"type": "relationship-records", "attributes": attributes | {"extension": {"deletedAt": None}}}

    return json.dumps({"data": [one(said) for said in made]}).encode()


def table(*made: dict[str, str]) -> bytes:
    header = ["Relationship.StartNode.NodeID", "Relationship.EndNode.NodeID", "Relationship.RelationshipType"]
    header += ["Relationship.RelationshipStatus", "Registration.RegistrationStatus", "Registration.LastUpdateDate"]
    header += [f"Relationship.Period.{n}.{part}" for n in (1, 2) for part in ("startDate", "endDate", "periodType")]
    header += ["Relationship.Quantifiers.1.QuantifierAmount"]
    lines = [header]
    for one in made:
        row = [one["child"], one["parent"], one["kind"], one["status"], one["registered"], "2026-01-02T00:00:00Z"]
        row += ["1999-01-01", "", "ACCOUNTING_PERIOD", one["from"], one["to"], f.PERIOD, one["amount"]]
        lines.append(row)
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines).encode()


EDITIONS = {"xml": xml, "api": api, "csv": table}


def read(body: bytes, name: str = "rr.xml") -> list[Batch]:
    return list(
        DATASET.read_batches(ArchiveMember(DATASET.key, name, "sha", NOON, Scope.PART, "b", lambda: io.BytesIO(body)))
    )


def staged(body: bytes) -> list[dict[str, Any]]:
    return [row for batch in read(body) if batch.table == "no_lei_parent" for row in batch.rows.to_dicts()]


def lines(body: bytes, retired: datetime | None = None) -> list[dict[str, Any]]:
    rows = pl.concat(batch.rows for batch in read(body) if batch.table == "no_lei_parent")
    known = pl.when(pl.col("child") == CHILD).then(pl.lit(COMPANY))
    present = rows.lazy().with_columns(
        _company_id=known,
        _observed_at=pl.lit(NOON).cast(schema_render.INSTANT),
        _raw=pl.lit("raw"),
        _retired_at=pl.lit(retired).cast(schema_render.INSTANT),
    )
    found = map_holdings("NO", {"no_lei_parent": present})
    assert found.schema == schema_render.polars_schema(HOLDINGS)
    return found.sort("native_id").to_dicts()


@pytest.mark.parametrize("made", EDITIONS.values(), ids=EDITIONS)
def test_every_edition_says_the_same(made) -> None:
    body = made(
        relation(CHILD, PARENT),
        relation(CHILD, TOP, f.ULTIMATE, to="2024-06-30T00:00:00+02:00"),
        relation(lei("F"), TOP, "IS_FUND-MANAGED_BY"),
    )
    found = staged(body)
    assert [(row["child"], row["parent"], row["relation"]) for row in found] == [
        (CHILD, PARENT, f.DIRECT),
        (CHILD, TOP, f.ULTIMATE),
    ]
    assert [(row["started"][:10], (row["ended"] or "")[:10]) for row in found] == [
        ("2020-01-01", ""),
        ("2020-01-01", "2024-06-30"),
    ]


@pytest.mark.parametrize("made", EDITIONS.values(), ids=EDITIONS)
def test_a_parent_is_an_owner_line_of_control_without_any_share(made) -> None:
    (line,) = lines(made(relation(CHILD, PARENT, amount="100.00"), relation(CHILD, PARENT, f.ULTIMATE)))
    assert (line["company_id"], line["register"], line["native_id"]) == (COMPANY, "no.lei_parents", PARENT)
    shares = ("pct", "pct_min", "pct_max", "votes_pct", "votes_min", "votes_max", "basis", "holder_name")
    assert [line[name] for name in shares] == [None] * len(shares)
    assert line["controls"] == ["consolidated_parent", f.DIRECT, f.ULTIMATE]
    assert (line["is_direct"], line["valid_from"], line["ended_on"]) == (True, date(2020, 1, 1), None)


@check_cases(
    ("said", "ended"),
    [
        ({"registered": "LAPSED"}, None),  # stale, and kept
        ({"registered": "PENDING_TRANSFER"}, None),  # in force while another operator takes it over
        ({"registered": "PENDING_ARCHIVAL"}, None),
        ({"status": "INACTIVE", "to": "2025-12-31"}, date(2025, 12, 31)),
        ({"status": "INACTIVE"}, date(2026, 1, 2)),  # nobody says which day: when the record changed
        ({"registered": "RETIRED"}, date(2026, 1, 2)),
        ({"to": "2016-12-31"}, None),  # an end that its status does not confirm
    ],
)
def test_when_a_relationship_has_ended(said: dict[str, str], ended: date | None) -> None:
    (line,) = lines(xml(relation(CHILD, PARENT, **said)))
    assert line["ended_on"] == ended


def with_deletion(body: bytes, mark: str) -> bytes:
    """The records of a delta, with the mark that the golden copy puts on those that were taken out."""
    end = b"</rr:RelationshipRecord>"
    space = "http://www.gleif.org/data/schema/golden-copy/extensions/1.0"
    deletion = f'<rr:Extension><gleif:Deletion xmlns:gleif="{space}">{mark}</gleif:Deletion></rr:Extension>'
    return body.replace(end, deletion.encode() + end)


def test_relationship_that_a_delta_marks_as_deleted_has_ended() -> None:
    body = xml(relation(CHILD, PARENT))
    (line,) = lines(with_deletion(body, "<gleif:DeletedAt>2026-03-05T01:39:19Z</gleif:DeletedAt>"))
    assert line["ended_on"] == date(2026, 3, 5)
    (kept,) = lines(with_deletion(body, ""))  # whole files have empty marks, on records in force
    assert kept["ended_on"] is None


@pytest.mark.parametrize("order", [1, -1])
def test_parent_whose_place_another_one_took_has_ended(order: int) -> None:
    """GLEIF has one record of an entity and kind: a delta, or a golden copy read from a folder, states no end."""
    former = relation(CHILD, PARENT, updated="2026-01-02T00:00:00Z")
    present = relation(CHILD, lei("G"), updated="2026-03-01T23:30:00-02:00")
    ultimate = relation(CHILD, TOP, f.ULTIMATE, updated="2025-01-02T00:00:00Z")
    found = {line["native_id"]: line["ended_on"] for line in lines(xml(ultimate, *[former, present][::order]))}
    assert found == {PARENT: date(2026, 3, 2), lei("G"): None, TOP: None}


def test_parent_stays_where_the_other_one_ended_or_is_as_new() -> None:
    former = relation(CHILD, PARENT, updated="2026-01-02T00:00:00Z")
    ended = relation(CHILD, lei("G"), status="INACTIVE", to="2026-02-28", updated="2026-03-01T00:00:00Z")
    found = {line["native_id"]: line["ended_on"] for line in lines(xml(former, ended))}
    assert found == {PARENT: None, lei("G"): date(2026, 2, 28)}
    both = lines(xml(relation(CHILD, PARENT), relation(CHILD, lei("G"))))
    assert [line["ended_on"] for line in both] == [None, None]


def test_a_parent_that_is_only_the_ultimate_one_now_is_not_direct() -> None:
    """Another company came between them: the ended relationship says nothing of the line any more."""
    before = relation(CHILD, PARENT, status="INACTIVE", to="2023-06-30", **{"from": "2015-01-01"})
    (line,) = lines(xml(before, relation(CHILD, PARENT, f.ULTIMATE, **{"from": "2023-07-01"})))
    assert line["controls"] == ["consolidated_parent", f.ULTIMATE]
    assert (line["is_direct"], line["valid_from"], line["ended_on"]) == (False, date(2023, 7, 1), None)
    (ended,) = lines(xml(before))
    assert (ended["is_direct"], ended["valid_from"]) == (True, date(2015, 1, 1))


@pytest.mark.parametrize("order", [1, -1])
def test_of_a_record_that_a_file_repeats_the_one_changed_last_counts(order: int) -> None:
    over = relation(CHILD, PARENT, status="INACTIVE", to="2025-12-31", updated="2026-02-28T23:00:00Z")
    live = relation(CHILD, PARENT, updated="2026-03-01T00:30:00+02:00")
    (line,) = lines(xml(*[over, live][::order]))
    assert line["ended_on"] == date(2025, 12, 31)


def test_older_repeat_in_another_block_of_a_file_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level2_dataset, "BLOCK_ROWS", 2)
    over = relation(CHILD, PARENT, status="INACTIVE", to="2025-12-31", updated="2026-02-28T23:00:00Z")
    others = [relation(lei(f"B{number}"), PARENT) for number in range(4)]
    body = xml(over, *others, relation(CHILD, PARENT, updated="2026-01-02T00:00:00Z"))
    assert [row["status"] for row in staged(body) if row["child"] == CHILD] == ["INACTIVE"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("block", [1, 20_000])
@pytest.mark.parametrize("void", ["DUPLICATE", "ANNULLED", "TRANSFERRED"])
def test_record_that_was_never_in_force_does_not_hide_the_one_that_is(
    void: str, block: int, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(level2_dataset, "BLOCK_ROWS", block)
    live = relation(CHILD, PARENT, updated="2026-01-02T00:00:00Z")
    found = relation(CHILD, PARENT, registered=void, updated="2026-03-01T00:00:00Z")  # of one key, marked later
    last = [row for row in staged(xml(*[live, found][::order])) if row["child"] == CHILD][-1]
    assert last["registration_status"] == "PUBLISHED"


def test_a_status_that_nobody_knows_ends_no_relationship_and_is_told() -> None:
    body = xml(relation(CHILD, PARENT, status="PAUSED"), relation(CHILD, TOP, registered="FROZEN"))
    assert lines(body) == []
    assert [(one.code, one.subject) for batch in read(body) for one in batch.signals] == [
        ("unknown_code", "RegistrationStatus FROZEN"),
        ("unknown_code", "RelationshipStatus PAUSED"),
    ]


@pytest.mark.parametrize("filler", ["9999-12-31T00:00:00Z", "0001-01-01"])
def test_a_start_that_cannot_be_is_unknown(filler: str) -> None:
    (line,) = lines(xml(relation(CHILD, PARENT, **{"from": filler})))
    assert (line["valid_from"], line["ended_on"]) == (None, None)


@pytest.mark.parametrize("registered", ["DUPLICATE", "ANNULLED", "PENDING_VALIDATION"])
def test_what_never_was_a_record_of_the_parent_makes_no_line(registered: str) -> None:
    assert lines(xml(relation(CHILD, PARENT, registered=registered))) == []


def test_a_relationship_that_left_the_whole_file_has_ended() -> None:
    (line,) = lines(xml(relation(CHILD, PARENT)), retired=datetime(2026, 11, 20, tzinfo=UTC))
    assert line["ended_on"] == date(2026, 11, 20)


def test_children_of_no_market_make_no_line() -> None:
    assert lines(xml(relation(lei("F"), PARENT))) == []


def test_a_parent_that_comes_and_goes_crosses_no_threshold() -> None:
    """CONTRACT 4.6 compares percentages, and control has none."""
    rows = pl.DataFrame(
        lines(xml(relation(CHILD, PARENT, amount="1.00"))), schema=schema_render.polars_schema(HOLDINGS)
    )
    (owner,) = build_owners(rows, schema_render.empty_frame(OWNERS), NOON).to_dicts()
    assert (owner["pct"], owner["pct_min"], owner["basis"], owner["reconciliation"]) == (None, None, None, "single")
    seen = owner | {"_gone": False}
    for measure in (ownership.CAPITAL, ownership.VOTES):
        assert ownership._share_range(seen, measure, "") == ABSENT


def test_unknown_kinds_are_told_and_unsound_leis_refused() -> None:
    (batch,) = read(xml(relation(CHILD, PARENT, "IS_COUSIN_OF"), relation("549300", PARENT), relation(CHILD, CHILD)))
    assert [(signal.code, signal.subject) for signal in batch.signals] == [
        ("unknown_code", "RelationshipType IS_COUSIN_OF")
    ]
    assert batch.rejects["record"].to_list() == ["549300", CHILD]  # nobody is a parent of its own


def test_exceptions_are_kept_by_lei_and_category() -> None:
    body = (
        '<repex:ReportingExceptionData xmlns:repex="http://www.gleif.org/data/schema/repex/2016"><repex:Exception>'
        f"<repex:LEI>{CHILD}</repex:LEI><repex:ExceptionCategory>{f.CATEGORIES[0]}</repex:ExceptionCategory>"
        "<repex:ExceptionReason>NATURAL_PERSONS</repex:ExceptionReason></repex:Exception></repex:ReportingExceptionData>"
    ).encode()
    csv = f'LEI,Exception.Category,Exception.Reason.1\n"{CHILD}","{f.CATEGORIES[0]}","NATURAL_PERSONS"\n'.encode()
    for sent in (body, csv):
        assert isinstance(
            DATASET.recognise_file("gleif/20260101-0000-gleif-goldencopy-repex.xml", sent), RecognisedFile
        )
        found = [row for batch in read(sent) if batch.table == "no_lei_exception" for row in batch.rows.to_dicts()]
        assert found == [{"lei": CHILD, "category": f.CATEGORIES[0], "reason": "NATURAL_PERSONS"}]


@check_cases(
    "body",
    [
        b"",
        b"<html><body>busy</body></html>",
        xml(relation(CHILD, PARENT))[:-40],
        b'{"data": [{"type": "relationship-records"',
        b"PK\x03\x04broken",
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><RelationshipData>&b;<',
    ],
)
def test_other_bodies_are_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        read(body)


def test_entities_are_not_expanded() -> None:
    body = xml(relation(CHILD, PARENT)).replace(
        b'<?xml version="1.0"?>', b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY who "' + PARENT.encode() + b'">]>'
    )
    body = body.replace(f"<rr:NodeID>{PARENT}".encode(), b"<rr:NodeID>&who;")
    assert staged(body) == []


def test_genuine_relationships(sources: Path) -> None:
    folder = sources / "news" / "gleif_golden_copy"
    counts, deleted = {}, []
    for path in sorted(folder.glob("oo__rr-*.xml")):
        body = path.read_bytes()
        assert isinstance(DATASET.recognise_file(f"gleif/{path.name}", body[:65_536]), RecognisedFile)
        assert all(batch.rejects.is_empty() and batch.signals == () for batch in read(body)), path.name
        counts[path.name] = len(staged(body))
        assert counts[path.name] == body.count(b">IS_DIRECTLY_CON") + body.count(b">IS_ULTIMATELY_CON")
        deleted += [row["deleted"] for row in staged(body) if row["deleted"]]
    assert sum(counts.values()) > 0
    assert deleted == ["2023-11-01T01:39:19Z"]
    assert isinstance(
        DATASET.recognise_file("gleif/oo__lei-data.xml", (folder / "oo__lei-data.xml").read_bytes()), NotApplicable
    )
