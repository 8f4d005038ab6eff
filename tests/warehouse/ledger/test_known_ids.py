"""The index of event ids derives from the segments: no event is lost or repeated because of what it once said."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import polars as pl
import pytest

from tests.warehouse.helpers import day, event, rows
from warehouse.ledger import read_index
from warehouse.ledger.ledger import Ledger
from warehouse.schema.tables import EVENTS
from warehouse.storage.layout import Layout

ALL = pl.Series(["evt_c", "evt_a", "evt_x", "evt_b"])


def _filled(layout: Layout) -> Ledger:
    ledger = Ledger(layout)
    ledger.append(1, rows(EVENTS, event("a"), event("b")), day(1))
    ledger.append(2, rows(EVENTS, event("c")), day(2))
    assert ledger.known(ALL).to_list() == ["evt_c", "evt_a", "evt_b"]
    return ledger


def _lost(layout: Layout) -> None:
    shutil.rmtree(layout.indexes_folder)


def _damaged(layout: Layout) -> None:
    layout.event_index_file.write_bytes(b"something else" * 1000)


@pytest.mark.parametrize("damage", [_lost, _damaged], ids=["lost", "damaged"])
def test_index_of_events_is_built_again(layout: Layout, damage: Callable[[Layout], None]) -> None:
    ledger = _filled(layout)
    damage(layout)
    for reread in (ledger, Ledger(layout)):
        assert reread.known(ALL).to_list() == ["evt_c", "evt_a", "evt_b"]


def test_events_of_a_segment_that_was_never_published_are_new_again(layout: Layout) -> None:
    ledger = _filled(layout)
    ledger.repair_segments(1)
    assert ledger.known(ALL).to_list() == ["evt_a", "evt_b"]
    assert ledger.append(2, rows(EVENTS, event("x")), day(3)) == range(3, 4)  # of the same release and numbers
    assert ledger.known(ALL).to_list() == ["evt_a", "evt_x", "evt_b"]


def test_segments_that_another_machine_has_written_are_known(layout: Layout) -> None:
    ledger, other = _filled(layout), Ledger(layout)
    other.append(3, rows(EVENTS, event("x")), day(3))
    assert ledger.known(ALL).to_list() == ["evt_c", "evt_a", "evt_x", "evt_b"]
    assert [one.release for one in read_index.read_segments(layout.ledger_folder)] == [1, 2, 3]
