"""kill -9 of the command, of two markets at once: the last release stays, the next run heals, the events are the truth.

`tests/pipelines/test_kills.py` kills within each asset of one market; here are the seams between markets and
datasets, the release, and instants that nobody chose.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from connectors.sandbox import World, write
from pipelines.run import dagster_instance
from pipelines.settings import Settings
from tests.firm import killed
from tests.firm.conftest import ROOT, Firm
from tests.firm.inside import Inside, Told, planned, profiles_on
from warehouse.locks import market_lock

pytestmark = pytest.mark.slow
KILLS = 10
UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
STEPS = [
    ("no.enheter: 1 new", 1),  # one dataset is in RAW, the next is not
    ("committed", 4),  # history, its events still in the outbox
    ("uk.accounts: 1 new", 1),  # one market is through, the other has begun
    ("uk.companies: 85 rows", 1),  # one dataset is staged, the next is not
    ("before commit", 9),
    ("ledger segment published", 1),
    ("ledger index written", 1),
    ("former release copied", 1),
    ("manifest written", 1),
    ("pointer replaced", 1),
    ("release 2", 1),  # all done, but for Dagster's own record of it
]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write(World(seed=3, companies=170, days=4, markets=("NO", "UK")), tmp_path_factory.mktemp("kills"))


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


def none_is_left_running(data: Path) -> bool:
    with dagster_instance(Settings(data=data)) as instance:
        return instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)) == []


@pytest.mark.parametrize(("step", "nth"), STEPS)
def test_killed_between_two_steps(step: str, nth: int, firm: Inside, days: list[Path], told: Told) -> None:
    died = subprocess.run(
        [sys.executable, killed.__file__, str(firm.data), str(days[1]), step, str(nth)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stdout + died.stderr
    is_published = step in {"pointer replaced", "release 2"}
    assert firm.profiles(told) == profiles_on(told, int(is_published))
    firm.ingest(days[1])
    assert firm.events() == planned(told, 1).keys()
    assert firm.profiles(told) == profiles_on(told, 1)
    assert firm.release() == 2
    assert none_is_left_running(firm.data)


def test_killed_at_any_moment(loaded: Inside, days: list[Path], told: Told, tmp_path: Path) -> None:
    """Run after run of the real command is killed; one that comes through moves on to the next day."""
    inside = loaded.copy(tmp_path / "data")
    firm = Firm(inside.data)
    began = time.monotonic()
    firm.run("ingest", "--help")
    starting = time.monotonic() - began
    chance = random.Random(20261121)
    waiting = days[1:]
    died = 0
    for _ in range(KILLS):
        died += _is_killed(firm, waiting[0], starting * chance.uniform(0.8, 3.0))
        served = inside.profiles(told)
        assert any(served == profiles_on(told, day) for day in range(len(days)))
        if served == profiles_on(told, days.index(waiting[0])) and len(waiting) > 1:
            waiting = waiting[1:]
    assert died
    for day in waiting:
        firm.ingest(day)
    assert inside.events() == planned(told, 1, 2, 3).keys()
    assert inside.profiles(told) == profiles_on(told, 3)
    assert none_is_left_running(firm.data)


def _is_killed(firm: Firm, day: Path, seconds: float) -> bool:
    run = subprocess.Popen(
        [sys.executable, "-m", "firm", "ingest", "--from", str(day)],
        cwd=ROOT,
        env=firm.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, err = run.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        run.kill()
        _, err = run.communicate()
    assert "Traceback" not in err, err
    return run.returncode == -signal.SIGKILL


def test_a_second_ingest_at_the_same_time_is_refused(firm: Inside, days: list[Path]) -> None:
    with market_lock(firm.layout, "NO"):
        said = firm.run("ingest", "--from", days[1])
        assert (said.exit_code, said.out) == (1, "")
        assert said.err == (
            f"firm: market NO is being written by process {os.getpid()}: "
            "wait until it is done, then run this again\n"
        )
        assert firm.ingest(days[1], "uk").report["release"] == 2  # the other market is free
    assert firm.ingest(days[1], "no").report["release"] == 3
