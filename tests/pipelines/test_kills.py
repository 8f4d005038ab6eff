"""kill -9 at the boundary of every asset, and within: the next ingest heals, no event is doubled or lost."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import dagster as dg
import pytest

from pipelines.ingest.job_runs import dagster_instance
from tests.forked import run_forked
from tests.pipelines import killed
from tests.pipelines.places import ONE, TWO, Place, accounts, owner
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore

pytestmark = pytest.mark.slow

BOUNDARIES = [
    "line written",  # in raw
    "fi.owners: 1 new",  # raw is done
    "staged published",
    "fi.owners: 1 row, 0 rejected",  # staged is done
    "image published",  # not committed
    "FI: 1 company touched",  # normalised is done
    "events numbered",
    "release synced",
    "pointer replaced",  # published, the outbox still full
]
EXPECTED = ["filing.added", "ownership.changed", "status.changed"]


def changed(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""))
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    place.records("owners/o2.json", owner("o2", ONE, 50, 75))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("loaded")
    place = Place(root)
    place.plain()
    place.ingest()
    return root


@pytest.fixture(scope="module")
def sound(loaded: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The content of the release that a run without a kill makes."""
    root = tmp_path_factory.mktemp("sound")
    subprocess.run(["cp", "-a", f"{loaded}/.", str(root)], check=True)
    place = Place(root)
    place.clock()
    changed(place)
    assert place.ingest().exit_code == 0
    made = ReleaseStore(place.settings.layout).current_manifest()
    assert made is not None
    return made.content_fingerprint


@pytest.mark.parametrize("where", BOUNDARIES)
def test_a_killed_ingest_heals(loaded: Path, sound: str, tmp_path: Path, where: str) -> None:
    subprocess.run(["cp", "-a", f"{loaded}/.", str(tmp_path)], check=True)
    place = Place(tmp_path)
    place.clock()
    changed(place)
    releases = ReleaseStore(place.settings.layout)
    before = releases.current_manifest()
    died = run(place, where)
    assert died == -signal.SIGKILL, "the ingest came to its end without passing there"
    between = releases.current_manifest()
    assert between is not None
    assert before is not None
    if where != "pointer replaced":
        assert between.release == before.release
    place.now = place.now.replace(day=20)
    report = place.ingest()
    assert report.exit_code == 0, report.errors
    assert sorted(event.event_type for event in Ledger(place.settings.layout).after(0, 100)) == EXPECTED
    assert [event.sequence for event in Ledger(place.settings.layout).after(0, 100)] == [1, 2, 3]
    current = releases.current_manifest()
    assert current is not None
    assert (current.release, current.content_fingerprint) == (2, sound)
    with dagster_instance(place.settings) as instance:
        assert instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])) == []


def run(place: Place, where: str) -> int | None:
    ended = run_forked(killed.main, str(place.root), place.now.isoformat(), where)
    assert (ended.exit_code or 0) <= 0, ended.said
    return ended.exit_code
