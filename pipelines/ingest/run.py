"""One ingest from the command line: each market's job, then one release of all markets.

Belongs here: locks, crash recovery, running Dagster, the report. Does not belong here: what the steps do
(`pipelines.steps`), worker processes (`market_workers`), printing (`firm`). Markets are independent: one that fails
or is quarantined does not keep the others from their release.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import connectors
from connectors.contract.dataset import Jurisdiction
from pipelines.ingest import resource_errors
from pipelines.ingest.dagster_records import DagsterRecords
from pipelines.ingest.market_run import MarketResult, MarketRunner
from pipelines.ingest.market_workers import MarketWorkers, WorkerTask
from pipelines.maintenance.retract import finish_retractions
from pipelines.reporting import report, run_log
from pipelines.reporting.report import IngestReport
from pipelines.runtime import crash_recovery
from pipelines.runtime.batch_ids import CLOCK_SLACK, batch_instant, next_batch, run_instant
from pipelines.runtime.step_results import RunParameters
from pipelines.sources.source import IngestSource
from pipelines.steps import fetch as steps_fetch
from pipelines.workspace import ProgressCallback, Workspace, chosen_markets, ignore_progress
from warehouse.raw.archive import utc_now
from warehouse.release.run_log import ErrorNote
from warehouse.storage.atomic_files import Step, ignore_step

if TYPE_CHECKING:
    import dagster as dg

    from pipelines.settings import IngestSettings


class MarketNotServedError(ValueError):
    """A market that is announced but has no dataset to fetch yet."""

    def __init__(self, market: str) -> None:
        super().__init__(
            f"market {market} is announced, not served yet: it has no dataset to fetch; leave it out "
            "(--from FOLDER lists its files)"
        )
        self.market = market


@dataclass(frozen=True)
class IngestOverrides:
    """Settings that differ from an ordinary ingest.

    accept_shrink: datasets let through their guards for this run.
    datasets: those to ingest; none means all of the chosen markets. The others keep what they have.
    workers: processes that ingest markets in parallel, with this machine's connectors and clock. Not from live
    registries: those are fetched by one process, which keeps their rate limits.
    """

    accept_shrink: Collection[str] = ()
    datasets: Collection[str] = ()
    workers: MarketWorkers | None = None
    jurisdictions: tuple[Jurisdiction, ...] | None = None
    clock: Callable[[], datetime] = utc_now
    on_step: Step = ignore_step
    instance: dg.DagsterInstance | None = None


def ingest(
    settings: IngestSettings,
    markets: Sequence[str],
    source: IngestSource,
    at: datetime | None = None,
    progress: ProgressCallback = ignore_progress,
    overrides: IngestOverrides | None = None,
) -> IngestReport:
    """Ingests markets from an origin, round by round, each ending in a release.

    Args:
        settings: of this installation.
        markets: codes in any case; none means all that are served.
        source: a `FolderSource` or `LiveSource`.
        at: the logical instant of the run; None: now. A round with a date of its own keeps it.
        progress: called with one line after each step that did something.
        overrides: for tests, and to accept a genuine mass change.

    Raises ValueError if several processes would fetch from registries, FolderError if a folder names what nobody
    declares, RunInterruptedError if the disk or the database of Dagster's records fails.
    """
    overrides = overrides or IngestOverrides()
    known = connectors.JURISDICTIONS if overrides.jurisdictions is None else overrides.jurisdictions
    workspace = Workspace(settings, known, overrides.clock, progress, overrides.on_step)
    chosen = chosen_markets(markets, known)
    if source.supports_lookups and (silent_ones := [made for made in chosen if not made.datasets]):
        raise MarketNotServedError(silent_ones[0].code)
    if overrides.workers is not None and not source.is_shareable:
        raise ValueError("live registries are fetched by one process, for their rate limits: one market at a time")
    source.validate(known)
    with ExitStack() as stack, resource_errors.explain_resource_errors(settings):
        for jurisdiction in sorted(chosen, key=lambda made: made.code):
            stack.enter_context(workspace.market_lease.hold_lease(jurisdiction.code))
        stack.callback(workspace.close)
        codes = [jurisdiction.code for jurisdiction in chosen]
        records = stack.enter_context(DagsterRecords(workspace, codes, overrides.instance))
        records.fail_dead_runs()
        for jurisdiction in chosen:
            crash_recovery.discard_partial_rebuild(workspace.layout, jurisdiction.code)
        for told in crash_recovery.recover_releases(workspace.release_store):
            progress(told)
        for jurisdiction in chosen:
            finish_retractions(workspace, jurisdiction)
        rounds = [
            _IngestRound(workspace, chosen, place, records, overrides).run(at, overrides.accept_shrink)
            for place in source.sub_sources()
        ]
        workspace.step_results.prune(settings.keep_runs, workspace.clock())
        records.prune()
    return report.merge_reports(rounds)


class _IngestRound:
    """One batch: a Dagster run per market with news, then one that publishes."""

    def __init__(
        self,
        workspace: Workspace,
        jurisdictions: list[Jurisdiction],
        origin: IngestSource,
        records: DagsterRecords,
        overrides: IngestOverrides,
    ) -> None:
        self._workspace = workspace
        self._jurisdictions = jurisdictions
        self._origin = origin
        self._workers = overrides.workers
        self._records = records
        self._datasets = frozenset(overrides.datasets)
        self._runs = MarketRunner(workspace, origin, records, self._datasets)

    def run(self, at: datetime | None, accept_shrink: Collection[str]) -> IngestReport:
        now = self._workspace.clock()
        taken = (
            *self._workspace.step_results.batches(),
            # of other machines, whose clocks are ahead
            *self._workspace.staged_store.newest_batches(_dataset_keys(self._jurisdictions)),
        )
        batch = next_batch(now, taken)
        instant = at or run_instant(batch, now)
        self._warn_if_clock_behind(batch, now)
        self._workspace.step_results.begin(batch, RunParameters(instant, frozenset(accept_shrink)))
        run_log.log_start(self._workspace, [made.code for made in self._jurisdictions], batch)
        ended = {one.code: one for one in self._run_markets(batch, instant)}
        read = [made for made in self._jurisdictions if made.code in ended]
        told = [error for made in read for error in ended[made.code].errors]
        if sound := [made for made in read if not ended[made.code].errors]:
            told += self._runs.publish(sound, batch, is_idle=all(ended[made.code].is_idle for made in sound))
        found = report.build_report(self._workspace, self._jurisdictions, batch, tuple(told))
        return self._log_end(batch, replace(found, seconds={made.code: ended[made.code].seconds for made in read}))

    def _run_markets(self, batch: str, instant: datetime) -> Iterator[MarketResult]:
        opened = self._origin.open(instant)
        read = [made for made in self._jurisdictions if made.datasets]
        for made in self._jurisdictions:
            if not made.datasets:  # announced: its files are listed, none is read
                steps_fetch.record_source_files(self._workspace, made, opened, batch)
        if self._workers is not None:
            task = WorkerTask(self._workspace.settings, self._origin, batch, instant, self._datasets)
            progress = self._workspace.report_progress
            return self._workers.run_markets(task, read, progress, on_death=self._records.fail_runs)
        return (self._runs.run_market(made, batch, opened) for made in read)

    def _log_end(self, batch: str, found: IngestReport) -> IngestReport:
        """Writes the run log; a disk error is added to the report, which keeps the earlier errors."""
        try:
            run_log.log_end(self._workspace, self._jurisdictions, batch, found)
        except OSError as error:
            told = ErrorNote("note", resource_errors.with_hint(str(error)))
            return replace(found, errors=(*found.errors, told))
        return found

    def _warn_if_clock_behind(self, batch: str, now: datetime) -> None:
        earlier = batch_instant(batch)
        if earlier - now > CLOCK_SLACK:
            self._workspace.report_progress(
                f"the clock says {now:%Y-%m-%d %H:%M} UTC, an earlier run {earlier:%Y-%m-%d %H:%M}: new data "
                "is stamped just after that run; correct the clock"
            )


def _dataset_keys(jurisdictions: Iterable[Jurisdiction]) -> list[str]:
    return [dataset.key for made in jurisdictions for dataset in made.datasets]
