"""Judgements through the whole job: followed by the next ingest, no event of their own, taken back again."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from pipelines.curation.holder_decisions import (
    DecisionRequest,
    HolderDecisionError,
    load_company_owners,
    record_decision,
)
from tests.pipelines.places import ONE, THREE, TWO, Place, owner
from tests.tables import check_cases
from warehouse.decisions import DecisionLog
from warehouse.history.history import MarketHistory
from warehouse.schema.decisions import DIFFERENT, SAME
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import OWNERS

COMPANY, OTHER = f"firm:FI:{ONE}", f"firm:FI:{TWO}"
AT = datetime(2026, 4, 1, tzinfo=UTC)
FIRST, SECOND = (holder_id(COMPANY, "fi.owners", native) for native in ("o1", "o2"))


class KilledError(Exception):
    """A run dies here."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place(tmp_path_factory.mktemp("judging"))
    made.plain()
    made.records("owners/o2.json", owner("o2", ONE, 50, 75, holder="Åsa Ny", since="2022-01-01"))
    made.ingest()
    return made


@pytest.fixture
def place(loaded: Place, tmp_path: Path) -> Place:
    shutil.copytree(loaded.root, tmp_path / "place")
    return Place(tmp_path / "place", loaded.now)


def lines(place: Place) -> dict[str, tuple[float, str]]:
    with MarketHistory(place.settings.layout, "FI") as history:
        rows = history.current_rows(OWNERS).to_dicts()
    return {row["holder_id"]: (float(row["pct_min"]), row["reconciliation"]) for row in rows}


def told(one: str, other: str, verdict: str = SAME, company: str = COMPANY) -> DecisionRequest:
    return DecisionRequest(company, one, other, verdict, "anna", "one house")


@pytest.mark.slow
def test_the_next_ingest_follows_a_judgement_and_its_reversal_without_an_event(place: Place) -> None:
    layout = place.settings.layout
    assert lines(place) == {FIRST: (25, "single"), SECOND: (50, "single")}
    row = record_decision(layout, told(SECOND, FIRST), AT)
    assert len(lines(place)) == 2  # nothing changes by itself
    report = place.ingest()
    assert (report.exit_code, dict(report.events), report.release) == (0, {}, 2)
    assert lines(place) == {FIRST: (50, "latest_wins")}
    assert place.ingest().release is None  # it is followed once
    place.records("owners/o2.json", owner("o2", ONE, 75, 100, holder="Åsa Ny", since="2022-01-01"))
    assert dict(place.ingest().events) == {}  # from 50 to 75 nothing is crossed
    DecisionLog(layout).reverse(row.number, "bo", AT, "two houses")
    report = place.ingest()
    assert dict(report.events) == {}
    assert lines(place) == {FIRST: (25, "single"), SECOND: (75, "single")}


@pytest.mark.slow
def test_a_judged_pair_is_heard_as_one_holder(place: Place) -> None:
    record_decision(place.settings.layout, told(SECOND, FIRST), AT)
    place.records("owners/o1.json", owner("o1", ONE, 75, 100, since="2021-05-01"))
    assert dict(place.ingest().events) == {}  # what o1 says now, o2 says more newly
    place.records("owners/o2.json", owner("o2", ONE, 25, 50, holder="Åsa Ny", since="2022-01-01"))
    assert dict(place.ingest().events) == {"ownership.changed": 1}


@pytest.mark.slow
def test_decision_made_after_a_run_died_is_not_of_what_that_run_knew(place: Place) -> None:
    """The next run applies the dead one's snapshot first, as that run knew it, then the decision."""

    def die(line: str) -> None:
        if line == "FI: 1 company touched":
            raise KilledError

    place.records("owners/o2.json", owner("o2", ONE, 10, 20, holder="Åsa Ny", since="2022-01-01"))
    assert place.ingest(die).errors
    record_decision(place.settings.layout, told(SECOND, FIRST), place.clock())
    assert dict(place.ingest().events) == {"ownership.changed": 1}
    assert lines(place) == {FIRST: (10, "latest_wins")}
    with MarketHistory(place.settings.layout, "FI") as history:
        before = max(
            row["known_from"] for row in history.rows_known_at(OWNERS, place.now + timedelta(days=1)).to_dicts()
        )
        known = history.rows_known_at(OWNERS, before - timedelta(microseconds=1)).filter(pl.col("valid_to").is_null())
    assert {row["holder_id"]: float(row["pct_min"]) for row in known.to_dicts()} == {FIRST: 25, SECOND: 10}


@pytest.mark.slow
def test_judgements_survive_a_history_made_anew(place: Place) -> None:
    layout = place.settings.layout
    record_decision(layout, told(SECOND, FIRST), AT)
    place.ingest()
    layout.history_file("FI").unlink()
    place.ingest()
    assert lines(place) == {FIRST: (50, "latest_wins")}


@pytest.mark.slow
def test_a_holder_is_said_to_be_a_company(place: Place) -> None:
    layout = place.settings.layout
    row = record_decision(layout, told(FIRST, OTHER), AT)
    assert (row.one, row.other) == (FIRST, OTHER)
    place.ingest()
    with MarketHistory(layout, "FI") as history:
        rows = history.current_rows(OWNERS).to_dicts()
    assert {row["holder_id"]: row["holder_company_id"] for row in rows} == {FIRST: OTHER, SECOND: None}


@check_cases(
    ("judged", "why"),
    [
        (told("own_nobody", FIRST), "is not a holder of"),
        (told(FIRST, "own_nobody"), "is not a holder of"),
        (told(FIRST, FIRST), "the same record"),
        (told(FIRST, "nobody at all"), "neither a holder"),
        (told(FIRST, f"firm:FI:{THREE}"), "is unknown here"),
        (told(FIRST, COMPANY), "the company itself"),
        (told(FIRST, SECOND, DIFFERENT, OTHER), "no holder of"),
        (told(FIRST, SECOND, SAME, "firm:NO:923609016"), "market NO has no data here"),
        (told(FIRST, SECOND, SAME, "nobody at all"), "not a company number"),
    ],
)
def test_unknown_ids_are_told_and_nothing_is_kept(place: Place, judged: DecisionRequest, why: str) -> None:
    with pytest.raises(HolderDecisionError, match=why):
        record_decision(place.settings.layout, judged, AT)
    assert DecisionLog(place.settings.layout).all() == ()


def test_what_is_known_of_a_company_names_lines_records_and_rules(place: Place) -> None:
    layout = place.settings.layout
    record_decision(layout, told(SECOND, FIRST), AT)
    place.ingest()
    found = load_company_owners(layout, ONE)
    assert [record["holder_id"] for record in found.records] == [FIRST, SECOND]
    assert {found.line_of(record) for record in found.records} == {FIRST}
    assert [(join.one, join.other, join.rule) for join in found.joins] == [(SECOND, FIRST, "judged")]
    assert json.loads(found.lines[0]["sources"])[0]["native_id"] == "o2"
