"""Ctrl-C once, wherever it comes: nothing more is taken in, nothing is published, the next run heals.

That of a command with a process per market is in `test_firm_kills`, beside what else becomes of such processes.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.sandbox import World, write
from firm import cli
from tests.conftest import ROOT
from tests.firm import interrupted
from tests.firm.inside import Inside, Told, planned, profiles_on
from tests.firm.test_firm_kills import none_is_left_running

pytestmark = pytest.mark.slow
STEPS = [
    ("no.enheter: 1 new", 1, "python"),  # within a step of the first market
    ("before commit", 4, "query"),
    ("NO: ", 1, "python"),
    ("former release copied", 1, "query"),
    ("ledger segment published", 1, "python"),
]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write(
        World(seed=3, companies=170, days=2, markets=("NO", "UK")), tmp_path_factory.mktemp("ctrl c")
    )


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@pytest.fixture(scope="module")
def loaded(days: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Inside:
    firm = Inside(tmp_path_factory.mktemp("loaded") / "data")
    firm.ingest(days[0])
    return firm


@pytest.fixture
def firm(loaded: Inside, tmp_path: Path) -> Inside:
    return loaded.copy(tmp_path / "data")


@pytest.mark.parametrize(("step", "nth", "where"), STEPS)
def test_one_is_enough(step: str, nth: int, where: str, firm: Inside, days: list[Path], told: Told) -> None:
    ended = subprocess.run(
        [sys.executable, interrupted.__file__, str(firm.data), str(days[1]), step, str(nth), where],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGINT, ended.stdout + ended.stderr
    assert firm.release() == 1
    assert firm.profiles(told) == profiles_on(told, 0)
    firm.ingest(days[1])
    assert firm.events() == planned(told, 1).keys()
    assert firm.profiles(told) == profiles_on(told, 1)
    assert none_is_left_running(firm.data)


@pytest.fixture
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a command sets for its process is not for the other tests."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    collected, alarm = gc.get_threshold(), signal.getsignal(signal.SIGALRM)
    yield
    gc.set_threshold(*collected)
    signal.signal(signal.SIGALRM, alarm)


@pytest.mark.usefixtures("as_it_was")
def test_a_command_that_asks_duckdb_itself_ends_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "app", interrupted.query)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130


@pytest.mark.usefixtures("as_it_was")
def test_what_is_no_interrupt_stays_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    def app() -> None:
        raise RuntimeError("told")

    monkeypatch.setattr(cli, "app", app)
    with pytest.raises(RuntimeError, match="told"):
        cli.main()
