"""Dagster's runs of an ingest, in this process, and the errors of their steps.

Loads Dagster, which an ingest without news does without: `dagster_records` imports this when it is needed. Does not
belong here: which runs an ingest needs (`market_run`), or what the steps do (`pipelines.steps`).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import RELEASE
from pipelines.defs.assets import release_metadata
from pipelines.defs.jobs import PUBLISH_JOB, job_name, market_asset_keys
from pipelines.defs.partitions import register_batch
from pipelines.defs.resources import BATCH_TAG, LOCKED_TAG, MARKETS_TAG, free_pools_of_dead_runs
from pipelines.ingest import resource_errors, sigint
from pipelines.runtime.dead_runs import MARKET_TAG
from pipelines.sources.source import IngestSource
from pipelines.steps.publish import PublishResult
from pipelines.workspace import Workspace
from warehouse.storage.locks import exclusive_lock

if TYPE_CHECKING:
    from dagster_shared.error import SerializableErrorInfo

    from pipelines.settings import IngestSettings

_OPENING_SECONDS: Final = 60.0
_INTERRUPTS: Final = (dg.DagsterExecutionInterruptedError.__name__, KeyboardInterrupt.__name__)


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
        self._workspace = workspace
        self._instance = instance
        free_pools_of_dead_runs(instance, workspace.market_lease)
        self._definitions = build_defs(workspace.settings, workspace=workspace, resources={"origin": source})

    def run_market(self, made: Jurisdiction, datasets: Sequence[Dataset], batch: str) -> list[str]:
        """Runs all steps of a market except its release, for the given datasets; returns messages of failed steps."""
        register_batch(self._instance, [made.code], batch)
        tags = {MARKETS_TAG: made.code, MARKET_TAG: made.code}
        return self.execute_assets(job_name(made), market_asset_keys(made, datasets), tags, batch)

    def publish(self, markets: Sequence[str], batch: str) -> list[str]:
        """Publishes one release of some markets; returns the messages of failed steps."""
        # by the first market's tag the next run of that market finds it, should it be killed
        tags = {MARKETS_TAG: ",".join(markets), MARKET_TAG: markets[0], BATCH_TAG: batch}
        return self.execute_assets(PUBLISH_JOB, [RELEASE], tags)

    def note_release(self, markets: Iterable[str], published: PublishResult) -> None:
        """Notes a release that was published without a run."""
        metadata = release_metadata(self._workspace, markets, published)
        self._instance.report_runless_asset_event(dg.AssetMaterialization(RELEASE, metadata=metadata))

    def execute_assets(
        self, name: str, keys: list[dg.AssetKey], tags: Mapping[str, str], partition: str | None = None
    ) -> list[str]:
        """Runs some assets of a job; returns the messages of failed steps, else of a run that ended without success.

        Raises KeyboardInterrupt if the run was interrupted: in a step or between two, which Dagster records like any
        other failure, or while it wrote its records, which it forgets.
        """
        job = self._definitions.resolve_job_def(name)
        with sigint.raise_dropped_interrupt(), _QuietDagsterLog():
            result = job.execute_in_process(
                instance=self._instance,
                partition_key=partition,
                asset_selection=keys,
                tags={**tags, LOCKED_TAG: "yes"},
                raise_on_error=False,
                run_config=dg.RunConfig(loggers={"console": {"config": {"log_level": "CRITICAL"}}}),
            )
        errors = [error for event in result.all_events for error in _root_errors(event)]
        if any(map(_is_interrupt, errors)):
            raise KeyboardInterrupt
        failures = [_failure_message(event) for event in result.all_events if event.is_step_failure]
        if result.success or failures:
            return failures
        status = result.dagster_run.status.value.lower()
        return [_failure_text(f"run {result.run_id}", errors, f"no step of it failed, and it ended as {status}")]


def _root_errors(event: dg.DagsterEvent) -> list[SerializableErrorInfo]:
    """The error that ended a step, or the run between its steps, without Dagster's wrapper; none of other events."""
    if event.is_step_failure:
        error = event.step_failure_data.error
    elif event.event_type is dg.DagsterEventType.RUN_FAILURE:
        error = event.job_failure_data.error
    elif event.event_type is dg.DagsterEventType.RUN_CANCELED:
        error = event.job_canceled_data.error
    else:
        error = None
    while error is not None and error.cause is not None:
        error = error.cause
    return [] if error is None else [error]


def _is_interrupt(error: SerializableErrorInfo) -> bool:
    return error.cls_name in _INTERRUPTS or sigint.QUERY_INTERRUPTED in error.message


def _failure_message(event: dg.DagsterEvent) -> str:
    return _failure_text(str(event.step_key), _root_errors(event), "failed")


def _failure_text(subject: str, errors: Sequence[SerializableErrorInfo], without_error: str) -> str:
    """What failed and its last error; `without_error` if none was recorded."""
    text = errors[-1].message.strip() if errors else without_error
    return resource_errors.with_hint(f"{subject}: {text}")


class _QuietDagsterLog:
    """Silences Dagster's log on the terminal while a run of ours reports its progress."""

    def __enter__(self) -> None:
        self._level = logging.getLogger("dagster").level
        logging.getLogger("dagster").setLevel(logging.CRITICAL)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("dagster").setLevel(self._level)
