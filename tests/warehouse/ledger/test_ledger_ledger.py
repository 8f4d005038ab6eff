from __future__ import annotations

import json

import polars as pl
import pytest

from tests.warehouse.helpers import day, event, rows
from warehouse.ledger.ledger import Ledger, with_sequence
from warehouse.ledger.read_index import LedgerIndex, format_instant, lookup_path
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import ReleaseManifest
from warehouse.schema.tables import EVENTS
from warehouse.storage.layout import Layout


def _serve(layout: Layout, release: int, last: int) -> None:
    """A release as far as the ledger cares."""
    manifest = ReleaseManifest(release, "full", day(0), day(0), "", "", None, 1, last, {}, (), {}, {})
    layout.release_folder(release).mkdir(parents=True, exist_ok=True)
    release_manifest.write_manifest(layout, manifest)
    release_manifest.write_pointer(layout, release)


def test_events_are_numbered_by_when_they_occurred(layout: Layout) -> None:
    ledger = Ledger(layout)
    sent = rows(EVENTS, event("b", at=day(2)), event("c", at=day(1)), event("a", at=day(2)))
    assert ledger.append(1, sent, day(3)) == range(1, 4)
    _serve(layout, 1, 3)
    found = ledger.after(0, 10)
    assert [(one.sequence, one.event_id) for one in found] == [(1, "evt_c"), (2, "evt_a"), (3, "evt_b")]
    assert found[0].occurred_at == day(1)
    assert found[0].recorded_at == day(3)


def test_events_are_numbered_by_when_they_became_known_before_when_they_occurred(layout: Layout) -> None:
    ledger = Ledger(layout)
    first, again = event("z", at=day(1), known=day(5)), event("a", at=day(1), known=day(7))
    back = event("b", at=day(6), known=day(6))
    ledger.append(1, rows(EVENTS, again, back, first), day(8))
    _serve(layout, 1, 3)
    assert [one.event_id for one in ledger.after(0, 10)] == ["evt_z", "evt_b", "evt_a"]


def test_a_known_event_is_not_numbered_again(layout: Layout) -> None:
    ledger = Ledger(layout)
    ledger.append(1, rows(EVENTS, event("a"), event("a")), day(1))
    assert ledger.append(2, rows(EVENTS, event("b"), event("a")), day(2)) == range(2, 3)
    nothing = ledger.append(3, rows(EVENTS, event("b"), event("a")), day(3))
    assert list(nothing) == []
    assert ledger.append(4, rows(EVENTS, event("c")), day(4)) == range(3, 4)
    assert ledger.known(pl.Series(["evt_a", "evt_x"])).to_list() == ["evt_a"]


def test_the_sequence_stands_after_occurred_at_and_nothing_else_changes() -> None:
    data = '{"company_id":"c","name":"Ørsted «\\"A\\"»\\n","occurred_at":"t","source":{"url":null},"pct":8.2,"n":25}'
    found = with_sequence(data, 9)
    assert found == data.replace('"occurred_at":"t",', '"occurred_at":"t","sequence":9,')
    with pytest.raises(ValueError, match="no occurred_at"):
        with_sequence("{}", 1)


def test_events_are_visible_only_once_a_release_covers_them(layout: Layout) -> None:
    ledger = Ledger(layout)
    ledger.append(1, rows(EVENTS, event("a")), day(1))
    assert ledger.last() == 0
    assert ledger.after(0, 10) == []
    _serve(layout, 1, 1)
    ledger.append(2, rows(EVENTS, event("b")), day(2))
    assert [one.event_id for one in ledger.after(0, 10)] == ["evt_a"]
    _serve(layout, 2, 2)
    assert [one.event_id for one in ledger.after(0, 10)] == ["evt_a", "evt_b"]


def test_reading_crosses_segments_and_stops_at_the_limit(layout: Layout) -> None:
    ledger = Ledger(layout)
    for release in range(1, 5):
        ledger.append(release, rows(EVENTS, event(f"{release}a"), event(f"{release}b")), day(release))
    _serve(layout, 4, 8)
    assert [one.sequence for one in ledger.after(1, 4)] == [2, 3, 4, 5]
    assert [one.sequence for one in ledger.after(6, 100)] == [7, 8]
    assert ledger.after(8, 100) == []
    assert json.loads(ledger.after(4, 1)[0].data)["sequence"] == 5


def test_what_was_recorded_by_a_clock_set_back_hides_nothing_that_was_recorded_later(layout: Layout) -> None:
    """Also where two machines publish, and the clock of one is behind."""
    ledger = Ledger(layout)
    for release, recorded in enumerate((1, 4, 2, 5), 1):
        ledger.append(release, rows(EVENTS, event(str(release))), day(recorded))
    index = LedgerIndex(layout.ledger_folder)
    found = [index.sequence_before(format_instant(day(since)), 4) for since in (0, 1, 2, 3, 4, 5, 6)]
    assert found == [0, 0, 1, 1, 1, 3, 4], "the events above it begin with the first recorded since"
    assert index.sequence_before(format_instant(day(5)), 3) == 3, "of a release that has not the last"


def test_rows_of_many_small_segments_come_at_once_and_in_order(layout: Layout) -> None:
    ledger = Ledger(layout)
    for release in range(1, 5):
        ledger.append(release, rows(EVENTS, event(f"{release}a"), event(f"{release}b")), day(release))
    assert [frame["sequence"].to_list() for frame in ledger.rows()] == [[*range(1, 9)]]
    assert [frame["sequence"].to_list() for frame in ledger.rows(3)] == [[*range(4, 9)]]
    assert list(ledger.rows(8)) == []


def test_rows_of_a_large_segment_do_not_wait_for_those_after_it(layout: Layout) -> None:
    ledger = Ledger(layout)
    many = 20_000
    one = rows(EVENTS, event("a"))
    ids = pl.DataFrame({"event_id": [f"evt_{number:05}" for number in range(many)]})
    ledger.append(1, ids.join(one.drop("event_id"), how="cross").select(one.columns), day(1))
    ledger.append(2, rows(EVENTS, event("b")), day(2))
    assert [frame.height for frame in ledger.rows()] == [many, 1]


def test_healing_takes_away_what_no_release_covers_and_makes_lost_lookups_again(layout: Layout) -> None:
    ledger = Ledger(layout)
    ledger.append(1, rows(EVENTS, event("a")), day(1))
    _serve(layout, 1, 1)
    ledger.append(2, rows(EVENTS, event("b")), day(2))
    (layout.ledger_folder / "0000000003.parquet.tmp").write_bytes(b"torn")
    lookup_path(layout.ledger_folder, 1).unlink()
    told = ledger.repair_segments(1)
    assert len(told) == 4
    assert sorted(path.name for path in layout.ledger_folder.iterdir()) == [
        "0000000001.parquet",
        "0000000001.sqlite",
        "index.json",
    ]
    assert ledger.repair_segments(1) == []
    assert ledger.append(2, rows(EVENTS, event("b")), day(2)) == range(2, 3)
    assert [one.event_id for one in ledger.after(0, 10)] == ["evt_a"]


def test_a_release_below_the_last_segment_is_refused(layout: Layout) -> None:
    ledger = Ledger(layout)
    ledger.append(2, rows(EVENTS, event("a")), day(1))
    with pytest.raises(ValueError, match="repair it first"):
        ledger.append(2, rows(EVENTS, event("b")), day(1))
