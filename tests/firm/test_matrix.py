"""Five markets and seven types of events on one generated world: what is made is what was planned, nothing else.

docs/event-matrix.md holds the table between its marks; a failure prints the table to put there.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox import expected
from sandbox.companies import releases
from sandbox.shared.gleif_http import AUTHORITIES, company_lei
from tests.firm import matrix
from tests.firm.inside import Inside
from tests.firm.lived_world import DAYS, PRESS, WORLD, lived_world
from tests.firm.matrix import Count, counted, table
from warehouse.ledger.ledger import Ledger
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.reader import ReleaseReader
from warehouse.release.manifest import served_manifest

ROOT = Path(__file__).resolve().parents[2]
TOLD = ("news.published", "event.regulatory")
LEAST_RECALL = 0.95
WITHOUT: dict[matrix.Cell, str] = {}  # cells where nothing can be planned, and why


@dataclass(frozen=True, slots=True)
class Lived:
    """The truth of a world, all events that taking it in day by day has made, and what is served of it."""

    told: dict[str, Any]
    made: list[LedgerEvent]
    inside: Inside


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    folder = lived_world(tmp_path_factory)
    inside = Inside(folder / "data")
    told = json.loads((folder / "truth.json").read_text())
    return Lived(told, Ledger(inside.layout).after(0, 100_000), inside)


@pytest.fixture(scope="module")
def counts(lived: Lived) -> dict[matrix.Cell, Count]:
    planned = [(one["event_id"], one["company_id"], one["event_type"]) for one in expected.truth_events(lived.told)]
    found = [(one.event_id, one.company_id, one.event_type) for one in lived.made]
    return counted(matrix.of(planned), matrix.of(found))


@pytest.mark.slow
def test_events_made_are_events_planned_in_every_cell(counts: dict[matrix.Cell, Count]) -> None:
    print("\n" + table(counts, WITHOUT))  # noqa: T201 - the table is the test's answer
    assert {cell: count for cell, count in counts.items() if not count.is_exact} == {}


@pytest.mark.slow
def test_every_cell_has_events_or_a_reason(counts: dict[matrix.Cell, Count]) -> None:
    empty = {cell for cell, count in counts.items() if count.planned == 0}
    assert empty == set(WITHOUT)


@pytest.mark.slow
def test_event_matrix_page_equals_the_counted_events(counts: dict[matrix.Cell, Count]) -> None:
    written = matrix.block((ROOT / "docs" / "event-matrix.md").read_text(encoding="utf-8"))
    assert written == table(counts, WITHOUT), (
        f"put between the marks of docs/event-matrix.md:\n\n{table(counts, WITHOUT)}"
    )


@pytest.mark.slow
def test_names_mean_whom_they_name_and_nobody_else(lived: Lived) -> None:
    """Of all that wires and supervisors say, decoys included: precision 1, recall at least 0.95."""
    last = DAYS - 1
    said = [
        one
        for market in PRESS
        for one in (*releases.releases_until(WORLD, market, last), *releases.regulatory_acts_until(WORLD, market, last))
    ]
    decoys = [one for one in said if not one.is_expected]
    named = {one.company.company_id for one in said}
    due = {one["event_id"] for one in expected.truth_events(lived.told) if one["story"] == releases.STORY}
    found = {one.event_id for one in lived.made if one.company_id in named and one.event_type in TOLD}
    precision, recall = len(found & due) / len(found), len(found & due) / len(due)
    print(f"\n{len(due)} named, {len(decoys)} decoys: precision {precision}, recall {recall}")  # noqa: T201 - the answer
    assert len(decoys) > len(due)
    assert precision == 1
    assert recall >= LEAST_RECALL


@pytest.mark.slow
def test_who_has_an_lei_is_found_by_it(lived: Lived) -> None:
    said = [one for market in AUTHORITIES for one in releases.releases_until(WORLD, market, DAYS - 1)]
    due = {company_lei(one.company): one.company.company_id for one in said}
    reader = ReleaseReader(lived.inside.layout)
    try:
        with reader.pin_release() as snapshot:
            found = {lei: snapshot.ids_by_identifier(lei) for lei in due}
    finally:
        reader.close()
    assert found == {lei: (company,) for lei, company in due.items()}


def test_what_is_missing_and_what_is_too_much_is_told() -> None:
    planned = {"a": ("SE", "status.changed"), "b": ("SE", "status.changed")}
    made = {"b": ("SE", "status.changed"), "c": ("US", "news.published")}
    found = counted(planned, made)
    assert found["SE", "status.changed"] == Count(planned=2, made=1, missing=1, extra=0)
    assert found["US", "news.published"] == Count(planned=0, made=1, missing=0, extra=1)
    assert "1 of 2 (1 missing, 0 extra)" in table(found, {})
    assert "— (1)" in table(found, {("NO", "news.published"): "nobody tells"})


@pytest.mark.slow
def test_a_history_made_anew_says_the_same(lived: Lived, tmp_path: Path) -> None:
    """Of the market whose registers say most; of all where every case is played."""
    inside = lived.inside.copy(tmp_path / "data")
    before = served_manifest(inside.layout)
    markets = () if os.environ.get("FIRM_TESTS") == "full" else ("uk",)
    done = inside.run("rebuild", "--json", *markets).report["rebuilt"]
    assert done
    for one in done:
        assert (one["untold"], one["missing"], one["lost"]) == ({}, {}, [])
        assert one["told"] > 0
        assert all(former == made for former, made in one["rows"].values())
    after = served_manifest(inside.layout)
    assert before is not None
    assert after is not None
    assert after.release == before.release + 1
    assert (after.content_fingerprint, after.last) == (before.content_fingerprint, before.last)
