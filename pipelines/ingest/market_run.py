"""Runs a market in this process for one round of an ingest, and the release that follows: by Dagster if there is news.

Belongs here: which datasets need a run of Dagster, and what is noted without one. Does not belong here: that run
(`job_runs`), which markets a round has, locks, crash recovery (`run`), several processes (`market_workers`), or what
the steps do (`pipelines.steps`).
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import duckdb

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.erasure.command import publish_run
from pipelines.ingest.dagster_records import DagsterRecords
from pipelines.sources.source import IngestSource, OpenedSource
from pipelines.steps import quarantine, stage
from pipelines.steps.fetch import fetch_dataset
from pipelines.steps.pending_work import has_pending_work
from pipelines.steps.stage_state import load_pending
from pipelines.workspace import Workspace
from warehouse.release.manifest import InvalidReleaseError
from warehouse.release.run_log import ErrorNote
from warehouse.replication.errors import ReplicationError
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from pipelines.ingest.job_runs import JobRuns

# Of a release that is published without a run; a run then tries again, and tells and records which step failed
_FAILURES: Final = (OSError, AlreadyLockedError, InvalidReleaseError, ReplicationError, duckdb.Error)


@dataclass(frozen=True, slots=True)
class MarketResult:
    """Result of a market: its errors and the seconds it took. is_idle: nothing was new, so that Dagster ran nothing."""

    code: str
    errors: list[ErrorNote]
    seconds: float
    is_idle: bool = False


class MarketRunner:
    """Runs markets from one origin, and publishes what they have; the caller holds the markets' locks."""

    def __init__(
        self, workspace: Workspace, source: IngestSource, records: DagsterRecords, datasets: Collection[str] = ()
    ) -> None:
        self._workspace = workspace
        self._chosen = frozenset(datasets)
        self._origin = source
        self._records = records

    def run_market(self, jurisdiction: Jurisdiction, batch: str, source: OpenedSource) -> MarketResult:
        """Runs all steps of a market except its release."""
        started = time.monotonic()
        datasets = self._datasets_to_run(jurisdiction, batch, source)
        errors = [] if datasets is None else self._run_assets(jurisdiction, datasets, batch)
        return MarketResult(jurisdiction.code, errors, round(time.monotonic() - started, 3), datasets is None)

    def _datasets_to_run(self, made: Jurisdiction, batch: str, opened: OpenedSource) -> list[Dataset] | None:
        """The datasets that need a run of Dagster; None if no step of the market does."""
        everything = self._origin.supports_lookups
        busy = made.datasets if everything else stage.datasets_with_work(self._workspace, made, opened, batch)
        chosen = self._chosen and self._chosen | self._workspace.step_results.facts(batch).accept_shrink
        datasets = [dataset for dataset in busy if not chosen or dataset.key in chosen]
        stage.record_datasets_left_out(self._workspace, made, {dataset.key for dataset in datasets}, batch)
        if not everything:
            datasets = self._without_unchanged(made, datasets, opened, batch)
            if not datasets and not has_pending_work(self._workspace, made, batch):
                return None
        return datasets

    def _run_assets(self, made: Jurisdiction, datasets: list[Dataset], batch: str) -> list[ErrorNote]:
        failures = self._job_runs.run_market(made, datasets, batch)
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

    def publish(self, successful: list[Jurisdiction], batch: str, *, is_idle: bool) -> list[ErrorNote]:
        """Publishes one release of all successful markets; the others keep their data of the last release.

        is_idle: none of them has news, so that what there is to do is noting that they were looked at.
        """
        markets = [made.code for made in successful]
        if is_idle and self._publish_without_run(markets, batch):
            return []
        return [ErrorNote("release", message) for message in self._job_runs.publish(markets, batch)]

    def _publish_without_run(self, markets: list[str], batch: str) -> bool:
        """Publishes, and tells Dagster of a release that was due all the same (of torn files).

        False if that fails, which is said: the run that follows may succeed.
        """
        try:
            published = publish_run(self._workspace, markets, batch)
        except _FAILURES as error:
            self._workspace.report_progress(f"release: {error}; trying once more, as a run of Dagster")
            return False
        if published.release is not None:
            self._job_runs.note_release(markets, published)
        return True

    @cached_property
    def _job_runs(self) -> JobRuns:
        return self._records.job_runs(self._origin)
