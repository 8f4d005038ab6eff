"""A clock that jumps for one run, ahead or back: nothing counts as late, and what is served and told is the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

from tests.faults import of_clocks
from tests.faults.world import State
from tests.pipelines.places import ONE, TWO, Place, accounts

YEAR = timedelta(days=365)
[CELL] = {cell.says: cell for cell in of_clocks.CELLS if of_clocks.TEST in cell.shown_by}.values()


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> State:
    with dg.DagsterInstance.ephemeral() as another:
        return State.of(lived(tmp_path_factory.mktemp("right"), another, timedelta()).settings.data)


def lived(root: Path, instance: dg.DagsterInstance, jump: timedelta) -> Place:
    """Three days of undated files, the clock wrong on the second; the third corrects what came on it."""
    place = Place(root, instance=instance)
    place.plain()
    assert place.ingest().exit_code == 0
    place.register((ONE, "Yksi Oy", "asleep", "2026-02-01"), (TWO, "Kaksi Oy", "open", ""))
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    place.now += jump
    assert place.ingest().exit_code == 0
    place.now -= jump
    place.lines.clear()
    place.register((ONE, "Yksi Oy", "open", "2026-02-20"), (TWO, "Kaksi Oyj", "closed", "2026-02-21"))
    assert place.ingest().exit_code == 0
    return place


@pytest.mark.slow
@pytest.mark.parametrize("jump", [YEAR, -YEAR], ids=["ahead", "back"])
def test_a_clock_that_jumps(jump: timedelta, right: State, tmp_path: Path) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        wrong = lived(tmp_path, instance, jump)
    assert State.of(wrong.settings.data) == right
    assert len(right.events) == 4
    is_told = CELL.is_said_in("\n".join(wrong.lines))
    assert is_told == (jump > timedelta()), wrong.lines
