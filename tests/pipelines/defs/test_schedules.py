"""Schedules as Dagster's daemon evaluates them, and the runs that they request as it executes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

import connectors
from connectors.contract.dataset import Cadence, Dataset, Jurisdiction
from connectors.contract.pieces import Cursor, FetchedFile
from connectors.kit.http.errors import FetchError
from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import fetched_datasets
from pipelines.defs.partitions import partitions_name
from pipelines.defs.resources import OVERTAKEN_TAG
from pipelines.defs.schedules import DUE_TAG, RETRY_CRON, schedule_name
from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings
from pipelines.sources.folder import FileEntry
from pipelines.sources.source import FolderSource, IngestSource, OpenedSource
from pipelines.steps.stage import read_stage_result
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, Place, accounts
from warehouse.publish.publisher import ReleaseStore
from warehouse.staged.store import StagedStore
from warehouse.storage.locks import market_lock

CADENCES = {"fi.register": "0 4 * * *", "fi.accounts": "*/20 * * * *", "fi.owners": "0 4 * * 1"}
CLOCKED = replace(
    MARKET, datasets=tuple(replace(one, cadence=Cadence(CADENCES[one.key], 48)) for one in MARKET.datasets)
)
LOCKED = "another process holds the market"


def at(hour: int, minute: int = 0, day: int = 3) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, market=CLOCKED)
    with dagster_instance(place.settings) as instance:  # schedules open one that is on disk
        yield replace(place, instance=instance)


class Daemon:
    """Evaluates the market's schedule and executes what it requests, as Dagster's daemon does."""

    def __init__(self, place: Place, died_in: str | None = None, source: IngestSource | None = None) -> None:
        assert place.instance is not None
        self.instance = place.instance

        def on_step(step: str) -> None:
            if step == died_in:
                raise MemoryError(step)

        self.workspace = Workspace(place.settings, (CLOCKED,), place.clock, on_step=on_step)
        self.definitions = build_defs(
            place.settings, workspace=self.workspace, resources={"origin": source or FolderSource(place.folder)}
        )
        self.place = place

    def tick(self, instant: datetime, schedule: str = schedule_name(CLOCKED)) -> dg.RunRequest | str:
        """What the schedule says at a tick: a run, or why there is none."""
        self.place.now = max(self.place.now, instant)
        with dg.build_schedule_context(
            instance=self.instance,
            scheduled_execution_time=instant,
            repository_def=self.definitions.get_repository_def(),
        ) as context:
            data = self.definitions.resolve_schedule_def(schedule).evaluate_tick(context)
        [request] = data.run_requests or [None]
        return str(data.skip_message) if request is None else request

    def execute(self, request: dg.RunRequest, schedule: str = schedule_name(CLOCKED)) -> dg.ExecuteInProcessResult:
        name = self.definitions.resolve_schedule_def(schedule).job_name
        return self.definitions.resolve_job_def(name).execute_in_process(
            instance=self.instance,
            partition_key=request.partition_key,
            asset_selection=list(request.asset_selection) if request.asset_selection else None,
            tags=dict(request.tags),
            raise_on_error=False,
        )

    def run(self, instant: datetime) -> dg.ExecuteInProcessResult:
        request = self.tick(instant)
        assert isinstance(request, dg.RunRequest), request
        return self.execute(request)

    def due(self, instant: datetime) -> set[str]:
        """Datasets that a tick asks for."""
        request = self.tick(instant)
        return set() if isinstance(request, str) else set(fetched_datasets(CLOCKED, request.asset_selection or ()))


def failed_steps(result: dg.ExecuteInProcessResult) -> list[str]:
    return [str(event.step_key) for event in result.all_events if event.is_step_failure]


def steps(result: dg.ExecuteInProcessResult) -> set[str]:
    return {str(event.step_key) for event in result.all_events if event.is_step_success}


def test_every_declared_cadence_is_one_of_its_markets_schedule() -> None:
    """What docs/sources.md prints as «fetched» is what Dagster does."""
    definitions = build_defs(IngestSettings())
    for made in connectors.JURISDICTIONS:
        if made.state != "served":
            continue
        found = definitions.resolve_schedule_def(schedule_name(made)).cron_schedule
        assert not isinstance(found, str)
        assert set(found) == {RETRY_CRON, *(dataset.cadence.cron for dataset in made.datasets)}


def test_schedule_tick_of_one_cadence_requests_its_datasets_alone(place: Place) -> None:
    daemon = Daemon(place)
    place.plain()
    request = daemon.tick(at(3, 40))
    assert isinstance(request, dg.RunRequest)
    assert request.partition_key in daemon.instance.get_dynamic_partitions(partitions_name("FI"))
    assert fetched_datasets(CLOCKED, request.asset_selection or ()) == set(CADENCES)  # the first load
    assert request.tags[DUE_TAG] == at(3, 40).isoformat()
    started(daemon, request)
    assert daemon.due(at(4)) == {"fi.register", "fi.accounts"}
    assert daemon.due(at(4, day=9)) == set(CADENCES)  # nothing ran for a week: all are due, by one run


def started(daemon: Daemon, request: dg.RunRequest, status: dg.DagsterRunStatus | None = None) -> dg.DagsterRun:
    """A run of a request that has ended, or has another status."""
    job = daemon.definitions.resolve_job_def("ingest_fi")
    return daemon.instance.create_run_for_job(
        job.get_subset(asset_selection=set(request.asset_selection or ())),
        tags={**job.run_tags, **request.tags, "dagster/partition": str(request.partition_key)},
        asset_selection=frozenset(request.asset_selection or ()),
        status=status or dg.DagsterRunStatus.SUCCESS,
    )


def test_schedule_while_a_run_waits_requests_what_it_will_not_fetch(place: Place) -> None:
    daemon = Daemon(place)
    request = daemon.tick(at(3, 40))
    assert isinstance(request, dg.RunRequest)
    started(daemon, request)
    first = daemon.tick(at(4, 20))
    assert isinstance(first, dg.RunRequest)
    assert fetched_datasets(CLOCKED, first.asset_selection or ()) == {"fi.register", "fi.accounts"}
    started(daemon, first, dg.DagsterRunStatus.NOT_STARTED)
    assert isinstance(daemon.tick(at(4, 40)), str)


def test_schedule_of_a_market_held_by_another_process_asks_again_at_the_next_tick(place: Place) -> None:
    daemon = Daemon(place)
    with market_lock(place.settings.layout, "FI"):
        said = daemon.tick(at(3, 40))
    assert isinstance(said, str)
    assert LOCKED in said
    assert daemon.due(at(4)) == set(CADENCES)


def test_schedule_after_a_run_met_the_lock_requests_it_again(place: Place) -> None:
    daemon = Daemon(place)
    request = daemon.tick(at(3, 40))
    assert isinstance(request, dg.RunRequest)
    with market_lock(place.settings.layout, "FI"):
        result = daemon.execute(request)
    assert not result.success
    assert failed_steps(result) == []  # so that Dagster's run retries take it too
    assert daemon.due(at(4)) == set(CADENCES)


def test_schedule_fails_a_run_whose_process_was_killed_and_requests_it_again(place: Place) -> None:
    daemon = Daemon(place)
    now = datetime.now(UTC)
    request = daemon.tick(now)
    assert isinstance(request, dg.RunRequest)
    run = started(daemon, request, dg.DagsterRunStatus.STARTED).run_id
    daemon.tick(now + timedelta(minutes=1))
    assert status(daemon, run) is dg.DagsterRunStatus.STARTED  # it may not have taken its lock yet
    with market_lock(place.settings.layout, "FI"):  # or works for long
        daemon.tick(now + timedelta(hours=1))
    assert status(daemon, run) is dg.DagsterRunStatus.STARTED
    assert daemon.due(now + timedelta(hours=1)) == set(CADENCES)
    assert status(daemon, run) is dg.DagsterRunStatus.FAILURE


def status(daemon: Daemon, run_id: str) -> dg.DagsterRunStatus:
    found = daemon.instance.get_run_by_id(run_id)
    assert found is not None
    return found.status


@pytest.mark.slow
def test_schedule_run_of_due_datasets_leaves_the_others_as_they_are(place: Place) -> None:
    daemon = Daemon(place)
    place.plain()
    assert daemon.run(at(3, 40)).success
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    place.records("owners/o2.json", {"id": "torn"})
    request = daemon.tick(at(4, 20, day=3))
    assert isinstance(request, dg.RunRequest)
    due = fetched_datasets(CLOCKED, request.asset_selection or ())
    result = daemon.execute(replace_selection(request, {"fi.accounts"}))
    assert due >= {"fi.accounts"}
    assert result.success
    assert steps(result) == {
        "fi__accounts", "fi__normalised", "fi__history", "fi__events", "release",
    }  # fmt: skip
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    assert current.release == 2
    assert read_stage_result(daemon.workspace, "fi.owners", str(request.partition_key)).pieces == 0
    assert daemon.workspace.step_results.read(str(request.partition_key), "staged-fi.owners") is not None


def replace_selection(request: dg.RunRequest, datasets: set[str]) -> dg.RunRequest:
    kept = [
        key
        for key in request.asset_selection or ()
        if key.path[-1].rpartition("_")[0] in {""} | {one.partition(".")[2] for one in datasets}
    ]
    return dg.RunRequest(
        run_key=request.run_key, partition_key=request.partition_key, tags=request.tags, asset_selection=kept
    )


@pytest.mark.slow
def test_schedule_run_that_finds_nothing_new_ends_before_the_shared_tables(place: Place) -> None:
    daemon = Daemon(place)
    place.plain()
    first = daemon.run(at(3, 40))
    assert first.success
    idle = daemon.run(at(4))
    assert idle.success
    assert steps(idle) == {
        "fi__register", "fi__accounts", "fi__normalised",
    }  # fmt: skip
    assert [event.step_key for event in idle.all_events if event.event_type_value == "STEP_SKIPPED"] == [
        "fi__history", "fi__events", "release",
    ]  # fmt: skip
    assert place.noted["register"].checked_at == place.noted["accounts"].checked_at
    assert place.noted["owners"].checked_at is not None
    assert place.noted["owners"].checked_at < place.noted["register"].checked_at  # type: ignore[operator]
    released = daemon.workspace.step_results.read(str(idle.dagster_run.tags["dagster/partition"]), "release")
    assert released is not None
    assert (released["release"], released["events"], released["events_by_dataset"]) == (None, {}, {})


@dataclass(frozen=True)
class Unreachable(FolderSource):
    """A folder of which one dataset cannot be read."""

    dataset: str = ""
    error: Exception = field(default_factory=OSError)

    def open(self, at: datetime) -> OpenedSource:
        return OpenedUnreachable(super().open(at), self.dataset, self.error)


@dataclass(frozen=True)
class OpenedUnreachable:
    opened: OpenedSource
    dataset: str
    error: Exception

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        return self.opened.files(jurisdiction)

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        if dataset.key == self.dataset:
            raise self.error
        yield from self.opened.arrivals(dataset, after, subjects)


@pytest.mark.slow
@pytest.mark.parametrize("error", [FetchError("https://register.example", None, "does not answer"), OSError("disk")])
def test_schedule_after_a_failed_fetch_requests_the_dataset_again_before_its_next_cadence(
    place: Place, error: Exception
) -> None:
    place.plain()
    assert Daemon(place).run(at(3, 40)).success
    broken = Daemon(place, source=Unreachable(place.folder, dataset="fi.register", error=error))
    assert broken.run(at(4)).success == isinstance(error, FetchError)
    daemon = Daemon(place)
    assert "fi.register" not in daemon.due(at(9, 40))  # a quarter of a day has not passed
    assert "fi.register" in daemon.due(at(10, 20))
    assert daemon.run(at(10, 20)).success
    assert daemon.due(at(16, 40)) == {"fi.accounts"}


@pytest.mark.slow
def test_schedule_run_that_an_ingest_overtook_fetches_nothing_and_is_requested_again(place: Place) -> None:
    place.plain()
    daemon = Daemon(place)
    request = daemon.tick(at(3, 40))
    assert isinstance(request, dg.RunRequest)
    place.now += timedelta(minutes=1)
    assert place.ingest().release == 1
    result = daemon.execute(request)
    assert result.success
    assert result.get_asset_materialization_events() == []
    assert daemon.workspace.step_results.batches() == [place_batch(place)]
    [run] = daemon.instance.get_runs(dg.RunsFilter(run_ids=[result.run_id]))
    assert run.tags[OVERTAKEN_TAG] == place_batch(place)
    assert daemon.due(place.now + timedelta(minutes=20)) == set(CADENCES)


def place_batch(place: Place) -> str:
    """The newest batch of a place's register."""
    return StagedStore(place.settings.layout).all_batches("fi.register")[-1]


@pytest.mark.slow
def test_publish_schedule_gathers_what_a_run_left_that_ended_before_its_release(place: Place) -> None:
    place.plain()
    broken = Daemon(place, died_in="manifest written")
    result = broken.run(at(3, 40))
    daemon = Daemon(place)
    if result.success:
        pytest.fail("the release was made")
    request = daemon.tick(at(3, 50), "publish_schedule")
    assert isinstance(request, dg.RunRequest)
    assert daemon.execute(request, "publish_schedule").success
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    assert current.counts["companies"] == 2
    assert isinstance(daemon.tick(at(4), "publish_schedule"), str)
