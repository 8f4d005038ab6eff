"""`firm prune` as an operator has it: told first, removed with --yes, refused where it makes no sense."""

from pathlib import Path

import pytest

from tests.api.fixtures.release_data import WORLD, make_world
from tests.firm.inside import Inside


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    """A market with a history, and what a killed run left."""
    inside = Inside(tmp_path / "data")
    make_world(inside.data).publish(WORLD[:1])
    (inside.layout.staged_folder / "se.scb" / "20260301T080000000Z.tmp").mkdir(parents=True)
    inside.layout.rebuild_root("SE").mkdir(parents=True)
    return inside


def test_it_is_told_first_and_removed_when_one_says_so(firm: Inside) -> None:
    left = firm.layout.staged_folder / "se.scb" / "20260301T080000000Z.tmp"
    told = firm.run("prune", "--raw-days", "30")
    assert (told.exit_code, left.exists()) == (0, True)
    assert "se.scb\t0\t0\t1\t0\n" in told.out
    assert told.out.endswith("0 bytes can be removed; add --yes to delete\n")
    assert firm.run("prune", "se", "--raw-days", "30", "--yes", "--json").report == {
        "removed": True,
        "datasets": [{"dataset": "se.scb", "bodies": 0, "batches": [], "leftovers": 1, "bytes": 0}],
    }
    assert not left.exists()
    assert not firm.layout.rebuild_root("SE").exists()


def test_rows_never_go_before_their_bodies(firm: Inside) -> None:
    for more in (("--staged-days", "9"), ("--staged-days", "9", "--raw-days", "10")):
        said = firm.run("prune", *more)
        assert (said.exit_code, said.out) == (2, "")
        assert "also give --raw-days" in said.err
