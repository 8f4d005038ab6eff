"""Dagster's records of an ingest, opened by the first that needs them: where nothing is new, Dagster is not imported.

Its import and records take more than a third of an ingest without news. Does not belong here: the runs (`job_runs`).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Self

from pipelines.sources.source import IngestSource
from pipelines.workspace import Workspace
from warehouse.release.run_log import last_runs

if TYPE_CHECKING:
    import dagster as dg

    from pipelines.ingest.job_runs import JobRuns


class DagsterRecords:
    """Dagster's records of an ingest of some markets, whose locks the caller holds."""

    def __init__(
        self, workspace: Workspace, markets: Iterable[str] = (), given: dg.DagsterInstance | None = None
    ) -> None:
        self._workspace = workspace
        self._markets = list(markets)
        self._given = given
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def job_runs(self, source: IngestSource) -> JobRuns:
        """Runs of Dagster over an origin."""
        from pipelines.ingest.job_runs import JobRuns  # here, because it loads Dagster

        return JobRuns(self._workspace, source, self._instance)

    def take_market(self, market: str) -> None:
        """Adds a market, whose lock the caller holds, too."""
        if "_instance" in vars(self):
            self.fail_runs(market)
        self._markets.append(market)

    def fail_runs(self, market: str) -> None:
        """Fails the unfinished runs of a market, of which none can be alive, and frees the pools that they hold."""
        from pipelines.runtime import dead_runs  # here, because it loads Dagster

        dead_runs.fail_dead_runs(self._instance, market)

    def fail_dead_runs(self) -> None:
        """Fails what Dagster shows as unfinished, if the last run of one of the markets did not end.

        What else a killed process has left is failed when the records are opened.
        """
        last = last_runs(self._workspace.layout)
        if any(last[market].ended_at is None for market in self._markets if market in last):
            _ = self._instance

    def prune(self) -> None:
        """Deletes old runs if there are new ones."""
        if "_instance" in vars(self):
            from pipelines.runtime.run_retention import prune_dagster_runs  # here, because it loads Dagster

            prune_dagster_runs(self._instance, self._workspace.settings, self._workspace.clock())

    @cached_property
    def _instance(self) -> dg.DagsterInstance:
        """The instance, with no run of the markets left unfinished: none can be alive."""
        from pipelines.ingest import job_runs  # here, because it loads Dagster
        from pipelines.runtime import dead_runs  # as the line before

        instance = self._given or self._opened.enter_context(job_runs.dagster_instance(self._workspace.settings))
        for market in self._markets:
            dead_runs.fail_dead_runs(instance, market)
        return instance
