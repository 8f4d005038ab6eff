"""Runs a market's job in this process for one round of an ingest, and the release that follows.

Belongs here: the assets of a market's run, Dagster's runs of them, and the errors of their steps. Does not belong here:
which markets a round has, locks, crash recovery (`run`), several processes (`market_workers`), or what the steps do
(`pipelines.steps`).
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import RELEASE
from pipelines.defs.jobs import PUBLISH_JOB, job_name, market_asset_keys
from pipelines.defs.resources import BATCH_TAG, LOCKED_TAG, MARKETS_TAG
from pipelines.ingest import resource_errors, sigint
from pipelines.runtime.crash_recovery import MARKET_TAG
from pipelines.sources.source import IngestSource, OpenedSource
from pipelines.steps import quarantine, stage
from pipelines.steps.fetch import fetch_dataset
from pipelines.steps.pending_work import has_pending_work
from pipelines.steps.stage_state import load_pending
from pipelines.workspace import Workspace
from warehouse.release.run_log import ErrorNote
from warehouse.storage.locks import exclusive_lock

if TYPE_CHECKING:
    from dagster_shared.error import SerializableErrorInfo

    from pipelines.settings import IngestSettings

_OPENING_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class MarketResult:
    """Result of a market: its errors and the seconds it took."""

    code: str
    errors: list[ErrorNote]
    seconds: float


def dagster_instance(settings: IngestSettings) -> dg.DagsterInstance:
    """Dagster's instance, as the `dagster.yaml` of these settings configures it.

    One process at a time, because Dagster creates the SQLite file of its runs without regard to others.
    """
    settings.dagster_storage.mkdir(parents=True, exist_ok=True)
    os.environ.update(settings.dagster_environment)
    with exclusive_lock(settings.layout, "dagster", "the folder of Dagster's records", _OPENING_SECONDS):
        return dg.DagsterInstance.from_config(str(settings.dagster_home))


class JobRuns:
    """Runs of Dagster over one origin, each of some assets of a job; the caller holds the markets' locks."""

    def __init__(self, workspace: Workspace, source: IngestSource, instance: dg.DagsterInstance) -> None:
        self._instance = instance
        self._definitions = build_defs(workspace.settings, workspace=workspace, resources={"origin": source})

    def execute_assets(
        self, name: str, keys: list[dg.AssetKey], tags: Mapping[str, str], partition: str | None = None
    ) -> list[str]:
        """Runs some assets of a job; returns the messages of failed steps.

        Raises KeyboardInterrupt if a step was interrupted: Dagster records that like any other failure.
        """
        job = self._definitions.resolve_job_def(name)
        with _QuietDagsterLog():
            result = job.execute_in_process(
                instance=self._instance,
                partition_key=partition,
                asset_selection=keys,
                tags={**tags, LOCKED_TAG: "yes"},
                raise_on_error=False,
                run_config=dg.RunConfig(loggers={"console": {"config": {"log_level": "CRITICAL"}}}),
            )
        failures = [event for event in result.all_events if event.is_step_failure]
        if any(_is_interrupt(event) for event in failures):
            raise KeyboardInterrupt
        return [_failure_message(event) for event in failures]


class MarketRunner:
    """Runs markets from one origin, and publishes what they have; the caller holds the markets' locks."""

    def __init__(
        self, workspace: Workspace, source: IngestSource, job_runs: JobRuns, datasets: Collection[str] = ()
    ) -> None:
        self._workspace = workspace
        self._chosen = frozenset(datasets)
        self._origin = source
        self._job_runs = job_runs

    def run_market(self, jurisdiction: Jurisdiction, batch: str, source: OpenedSource) -> MarketResult:
        """Runs all steps of a market except its release."""
        started = time.monotonic()
        errors = self._run_market_assets(jurisdiction, batch, source)
        return MarketResult(jurisdiction.code, errors, round(time.monotonic() - started, 3))

    def _run_market_assets(self, made: Jurisdiction, batch: str, opened: OpenedSource) -> list[ErrorNote]:
        everything = self._origin.supports_lookups
        busy = made.datasets if everything else stage.datasets_with_work(self._workspace, made, opened, batch)
        chosen = self._chosen and self._chosen | self._workspace.step_results.facts(batch).accept_shrink
        datasets = [dataset for dataset in busy if not chosen or dataset.key in chosen]
        stage.record_datasets_left_out(self._workspace, made, {dataset.key for dataset in datasets}, batch)
        if not everything:
            datasets = self._without_unchanged(made, datasets, opened, batch)
            if not datasets and not has_pending_work(self._workspace, made, batch):
                return []
        tags = {MARKETS_TAG: made.code, MARKET_TAG: made.code}
        failures = self._job_runs.execute_assets(job_name(made), market_asset_keys(made, datasets), tags, batch)
        if failures and quarantine.is_market_quarantined(self._workspace, made):
            return []  # reported as quarantined
        return [ErrorNote(made.code, message) for message in failures]

    def _without_unchanged(
        self, made: Jurisdiction, datasets: list[Dataset], opened: OpenedSource, batch: str
    ) -> list[Dataset]:
        """Datasets that need a run of Dagster: of the others the folder has what RAW has, which is noted here."""
        unchanged = stage.unchanged_datasets(self._workspace, datasets, opened, made, batch)
        idle = {dataset.key for dataset in unchanged if self._note_unchanged(made, dataset, batch)}
        return [dataset for dataset in datasets if dataset.key not in idle]

    def _note_unchanged(self, made: Jurisdiction, dataset: Dataset, batch: str) -> bool:
        """Notes that a dataset was looked at; False if a damaged body was repaired by that, or the disk fails.

        A run of Dagster then parses the body, or says of which step the disk failed.
        """
        try:
            fetch_dataset(self._workspace, made, dataset, self._origin, batch)
            if load_pending(self._workspace, dataset):
                return False
            stage.stage_dataset(self._workspace, made, dataset, batch)
        except OSError:
            return False
        return True

    def publish(self, successful: list[Jurisdiction], batch: str) -> list[ErrorNote]:
        """Publishes one release of all successful markets; the others keep their data of the last release."""
        markets = ",".join(made.code for made in successful)
        # by the first market's tag the next run of that market finds it, should it be killed
        tags = {MARKETS_TAG: markets, MARKET_TAG: successful[0].code, BATCH_TAG: batch}
        failures = self._job_runs.execute_assets(PUBLISH_JOB, [RELEASE], tags)
        return [ErrorNote("release", message) for message in failures]


def _is_interrupt(event: dg.DagsterEvent) -> bool:
    error = _root_error(event)
    return error is not None and (
        error.cls_name == dg.DagsterExecutionInterruptedError.__name__ or sigint.QUERY_INTERRUPTED in error.message
    )


def _root_error(event: dg.DagsterEvent) -> SerializableErrorInfo | None:
    """The error raised by the step itself, without Dagster's wrapper."""
    error = event.step_failure_data.error
    while error is not None and error.cause is not None:
        error = error.cause
    return error


def _failure_message(event: dg.DagsterEvent) -> str:
    error = _root_error(event)
    said = "failed" if error is None else error.message.strip()
    return resource_errors.with_hint(f"{event.step_key}: {said}")


class _QuietDagsterLog:
    """Silences Dagster's log on the terminal while a run of ours reports its progress."""

    def __enter__(self) -> None:
        self._level = logging.getLogger("dagster").level
        logging.getLogger("dagster").setLevel(logging.CRITICAL)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("dagster").setLevel(self._level)
