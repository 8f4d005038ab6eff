"""A disk that is full or read-only from one step of a run on: told, harmless, and healed by the next run.

The disk is a tmpfs in a mount namespace of a process of its own: for root, or where users may have namespaces.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests.faults import of_disks, on_a_disk
from tests.faults.declared import Cell, Fault, played_by
from tests.faults.world import Prepared, prepare
from tests.firm.conftest import ROOT
from tests.once import made_once

pytestmark = pytest.mark.slow
IN_A_NAMESPACE: Final = ("unshare", "--mount", "--map-root-user")
ALWAYS: Final = {(Fault.FULL, "history"), (Fault.FULL, "release"), (Fault.READ_ONLY, "staged")}
"""Played by every run of the tests; the others where FIRM_TESTS is `full`, for each costs two ingests."""

CELLS: Final = [
    cell
    for cell in played_by(of_disks.TEST, of_disks.CELLS)
    if os.environ.get("FIRM_TESTS") == "full" or cell.step in of_disks.COMMANDS or (cell.fault, cell.step) in ALWAYS
]


def may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = [*IN_A_NAMESPACE, "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(made_once(tmp_path_factory, "faults", prepare))


@pytest.fixture(scope="module")
def told(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of every cell, in one process: its start costs as much as a cell."""
    if not may_mount():
        pytest.skip("no disk can be mounted here: neither root nor namespaces of users")
    folder = made_once(tmp_path_factory, "faults-disks", partial(_play, prepared))
    return json.loads((folder / "played.json").read_text())


def _play(prepared: Prepared, folder: Path) -> None:
    strikes = json.dumps([[cell.fault, cell.step] for cell in CELLS])
    command = [sys.executable, on_a_disk.__file__, str(prepared.folder), str(folder / "played.json"), strikes]
    done = subprocess.run(
        [*IN_A_NAMESPACE, *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("place", range(len(CELLS)), ids=[f"{cell.fault}-{cell.step}" for cell in CELLS])
def test_a_disk_that_fails(place: int, told: dict[str, Any], prepared: Prepared) -> None:
    cell: Cell = CELLS[place]
    found = told["played"][place]
    met = found["met"]
    assert found["has_struck"], "the run came to its end without passing there"
    assert met["exit_code"] == cell.exit_code, met
    assert cell.is_said_in(met["err"]), met["err"]
    assert "Traceback" not in met["err"]
    assert found["is_unharmed"]
    assert found["again"]["exit_code"] == 0, found["again"]
    if cell.step not in of_disks.COMMANDS:
        assert (found["healed"]["content"], found["healed"]["events"]) == (
            prepared.after.content,
            list(prepared.after.events),
        )


@pytest.mark.parametrize("fault", [Fault.FULL, Fault.READ_ONLY])
def test_parts_on_a_disk_that_fails(fault: Fault, told: dict[str, Any]) -> None:
    """Each says so, and each has done its work when the disk is well again."""
    found = told["delivering"][fault]
    said = "\n".join(found["said"])
    for cell in played_by(of_disks.DELIVERING, of_disks.CELLS):
        if cell.fault is fault:
            assert cell.is_said_in(said), said
    assert found["is_done"]


def test_a_service_on_a_full_disk(told: dict[str, Any]) -> None:
    found = told["serving"][Fault.FULL]
    [cell] = played_by(of_disks.SERVING, of_disks.CELLS)
    assert found["statuses"] == [200]
    assert cell.is_said_in("\n".join(found["said"]))
    assert found["same"]
