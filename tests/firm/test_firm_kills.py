"""kill -9 of the command, of two markets at once: the last release stays, the next run heals, the events are the truth.

`tests/pipelines/test_kills.py` kills within each asset of one market; here are the seams between markets and
datasets, the release, and instants that nobody chose.
"""

import json
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings
from sandbox import World, write_days
from tests.firm import interrupted, killed
from tests.firm.conftest import Firm
from tests.firm.inside import Inside, Told, planned, profiles_on
from tests.forked import RunningFirm, run_forked, start_firm
from warehouse.release.manifest import served_manifest
from warehouse.storage.locks import AlreadyLockedError, market_lock

pytestmark = pytest.mark.slow
KILLS = 10 if os.environ.get("FIRM_TESTS") == "full" else 4
AT_ONCE = ("--at-once", "2")
MARKETS = ("NO", "UK")
NAMED = ("no", "uk")  # to the command, so that Dagster runs nothing of the others
PATIENCE = 60
INTERRUPTED = 130
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
    ("segments linked", 1),
    ("manifest written", 1),
    ("pointer replaced", 1),
    ("release 2", 1),  # all done, but for Dagster's own record of it
]
CTRL_C = [
    ("no.enheter: 1 new", 1, "python"),  # within a step of the first market
    ("before commit", 4, "query"),
    ("NO: ", 1, "python"),
    ("segments linked", 1, "query"),
    ("ledger segment published", 1, "python"),
]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_days(World(seed=3, companies=170, days=4, markets=MARKETS), tmp_path_factory.mktemp("kills"))


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@dataclass(frozen=True)
class Loaded(Inside):
    """The first day, and about how long a day takes."""

    seconds: float = 0.0


@pytest.fixture(scope="module")
def loaded(days: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    firm = Inside(tmp_path_factory.mktemp("loaded") / "data", has_dagster=True)
    began = time.monotonic()
    firm.ingest(days[0], *NAMED)
    return Loaded(firm.data, has_dagster=True, seconds=time.monotonic() - began)


@pytest.fixture
def firm(loaded: Inside, tmp_path: Path) -> Inside:
    return loaded.copy(tmp_path / "data")


def none_is_left_running(data: Path) -> bool:
    with dagster_instance(IngestSettings(data=data)) as instance:
        return instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)) == []


@pytest.mark.parametrize(("step", "nth"), STEPS)
def test_killed_between_two_steps(step: str, nth: int, firm: Inside, days: list[Path], told: Told) -> None:
    died = run_forked(killed.main, str(firm.data), str(days[1]), step, nth)
    assert died.exit_code == -signal.SIGKILL, died.said
    is_published = step in {"pointer replaced", "release 2"}
    assert firm.profiles(told) == profiles_on(told, int(is_published))
    firm.ingest(days[1], *NAMED)
    assert firm.events() == planned(told, 1).keys()
    assert firm.profiles(told) == profiles_on(told, 1)
    assert firm.release() == 2
    assert none_is_left_running(firm.data)


@pytest.mark.parametrize(("step", "nth", "where"), CTRL_C)
def test_one_ctrl_c_is_enough(step: str, nth: int, where: str, firm: Inside, days: list[Path], told: Told) -> None:
    ended = run_forked(interrupted.main, str(firm.data), str(days[1]), step, nth, where)
    assert ended.exit_code == -signal.SIGINT, ended.said
    assert firm.release() == 1
    assert firm.profiles(told) == profiles_on(told, 0)
    firm.ingest(days[1], *NAMED)
    assert firm.events() == planned(told, 1).keys()
    assert firm.profiles(told) == profiles_on(told, 1)
    assert none_is_left_running(firm.data)


def test_killed_at_any_moment(loaded: Loaded, days: list[Path], told: Told, tmp_path: Path) -> None:
    """Run after run of the command is killed; one that comes through moves on to the next day."""
    inside = loaded.copy(tmp_path / "data")
    firm = Firm(inside.data)
    chance = random.Random(20261121)
    waiting = days[1:]
    died = 0
    for _ in range(KILLS):
        died += _is_killed(firm, waiting[0], loaded.seconds * chance.uniform(0.02, 0.4))
        served = inside.profiles(told)
        assert any(served == profiles_on(told, day) for day in range(len(days)))
        if served == profiles_on(told, days.index(waiting[0])) and len(waiting) > 1:
            waiting = waiting[1:]
    assert died
    first, *others = waiting
    inside.ingest(first, *NAMED)
    for day in others:
        Inside(inside.data).ingest(day, *NAMED)  # the first has healed what the killed left with Dagster
    assert inside.events() == planned(told, 1, 2, 3).keys()
    assert inside.profiles(told) == profiles_on(told, 3)
    assert none_is_left_running(firm.data)


def _is_killed(firm: Firm, day: Path, seconds: float) -> bool:
    run = start_firm(["ingest", *NAMED, "--from", day], firm.environment)
    with suppress(subprocess.TimeoutExpired):
        run.wait(timeout=seconds)
    run.kill()
    _, err = run.communicate()
    assert "Traceback" not in err, err
    return run.returncode == -signal.SIGKILL


def test_a_second_ingest_at_the_same_time_is_refused(loaded: Loaded, days: list[Path], tmp_path: Path) -> None:
    firm = Inside(loaded.copy(tmp_path / "data").data)
    with market_lock(firm.layout, "NO"):
        said = firm.run("ingest", "--from", days[1])
        assert (said.exit_code, said.out) == (1, "")
        assert said.err == (
            f"firm: market NO is being written by process {os.getpid()}: wait until it is done, then run this again\n"
        )
        assert firm.ingest(days[1], "uk").report["release"] == 2  # the other market is free
    assert firm.ingest(days[1], "no").report["release"] == 3


def _begun(firm: Inside, day: Path) -> RunningFirm:
    """The command, as soon as a market says that something came."""
    run = start_firm(["ingest", *NAMED, "--from", day, *AT_ONCE], Firm(firm.data).environment)
    assert run.stderr is not None
    while "new" not in (line := run.stderr.readline()):
        assert line, "it ended before it said anything"
    return run


def _markets(pid: int) -> list[int]:
    """The processes that take markets in for another."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def _is_gone(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:1]
    except FileNotFoundError:
        return True


def _are_gone(pids: list[int]) -> bool:
    until = time.monotonic() + PATIENCE
    while not all(map(_is_gone, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return all(map(_is_gone, pids))


def test_whoever_dies_of_markets_at_one_time_the_day_is_the_same(
    firm: Inside, loaded: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    _is_ended_by_ctrl_c(firm, days[1], told)
    _loses_its_parent(firm, days[1], told)
    _loses_a_market(firm, days[1], told)
    firm.ingest(days[1], *NAMED, *AT_ONCE)
    one_by_one = Inside(loaded.copy(tmp_path / "one by one").data)
    one_by_one.ingest(days[1])
    same, other = served_manifest(firm.layout), served_manifest(one_by_one.layout)
    assert same is not None
    assert other is not None
    assert same.content_fingerprint == other.content_fingerprint
    assert firm.events() == one_by_one.events() == planned(told, 1).keys()
    assert firm.profiles(told) == profiles_on(told, 1)


def _is_ended_by_ctrl_c(firm: Inside, day: Path, told: Told) -> None:
    """None of its processes is left."""
    run = _begun(firm, day)
    started = _markets(run.pid)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=PATIENCE)
    assert len(started) == len(MARKETS)
    assert _are_gone(started)
    assert run.returncode == INTERRUPTED, err
    assert "Traceback" not in err
    assert firm.profiles(told) == profiles_on(told, 0)


def _loses_its_parent(firm: Inside, day: Path, told: Told) -> None:
    """None outlives the one that holds the locks."""
    run = _begun(firm, day)
    started = _markets(run.pid)
    with pytest.raises(AlreadyLockedError), market_lock(firm.layout, "NO"):
        pass
    run.kill()
    _, err = run.communicate(timeout=PATIENCE)
    assert "Traceback" not in err  # they did not go on until nobody listened
    assert len(started) == len(MARKETS)
    assert _are_gone(started)
    assert firm.profiles(told) == profiles_on(told, 0)


def _loses_a_market(firm: Inside, day: Path, told: Told) -> None:
    """A market whose process dies keeps no other from its release."""
    run = _begun(firm, day)
    os.kill(_markets(run.pid)[0], signal.SIGKILL)
    out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1
    assert "Traceback" not in err
    (error,) = [line for line in err.splitlines() if line.startswith("ERROR")]
    assert error.endswith(
        "its process was killed by signal 9: if the machine was short of memory, ingest fewer markets in parallel, "
        "then run this again; the published release and ingested data are unchanged"
    )
    assert "release 2 published" in out
    lost = error.removeprefix("ERROR ")[:2]
    served = firm.profiles(told)
    for place, taken in enumerate(({lost}, {*MARKETS} - {lost})):
        for company, profile in profiles_on(told, place).items():
            if profile["country"] in taken:
                assert served[company] == profile


def test_registries_are_asked_by_one_process(firm: Inside) -> None:
    said = firm.run("ingest", "--live", *AT_ONCE)
    assert said.exit_code == 2
    assert "--at-once is not for --live" in said.err
