"""Writes the operator's run log: an entry when a run begins, completed with its result when it ends.

Made from the run's report, so command-line and scheduled runs are logged the same way. Does not belong here:
the content and place of a log entry (`warehouse.release.run_log`), or the report (`report`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from connectors.contract.dataset import Jurisdiction
from pipelines.reporting import report
from pipelines.reporting.report import IngestReport
from pipelines.runtime.batch_ids import batch_instant
from pipelines.steps import normalise, quarantine
from pipelines.workspace import Workspace
from warehouse.release import run_log
from warehouse.release.run_log import ErrorNote, ReadNote, RunNote, SignalNote

_SIGNALS: Final = 100  # per run, the most frequent ones
_LONGEST: Final = 500  # characters of a reason
_ADDRESS: Final = re.compile(r"(https?://[^/\s]+)\S*")
_FUTURE_FILES: Final = re.compile(r"^.*?(?=:? (?:is )?dated \d{4}-)")  # of `pipelines.steps.future_instants`
_LONGEST_SUBJECT: Final = 100
Subject = tuple[str, str, str]
"""Dataset, code and subject of signals."""


def log_start(workspace: Workspace, markets: Sequence[str], batch: str) -> None:
    """Logs the start of a run; a run that is killed keeps this entry."""
    run_log.write_run_note(workspace.layout, RunNote(batch, tuple(markets), batch_instant(batch)))


def log_end(workspace: Workspace, jurisdictions: Iterable[Jurisdiction], batch: str, report: IngestReport) -> None:
    """Logs the result of a run."""
    jurisdictions = list(jurisdictions)
    signals = _signal_counts(workspace, jurisdictions, batch)
    note = RunNote(
        batch,
        tuple(made.code for made in jurisdictions),
        batch_instant(batch),
        workspace.clock(),
        report.release,
        dict(report.events),
        tuple(_read_notes(report, signals)),
        tuple(replace(one, seen=_shortened_value(one.seen)) for one in report.held),
        tuple(replace(one, message=shorten_reason(one.message)) for one in report.errors),
        tuple(SignalNote(*subject, count) for subject, count in signals.most_common(_SIGNALS)),
        dict(report.seconds),
        dict(report.late),
    )
    run_log.write_run_note(workspace.layout, note)


@contextmanager
def scheduled_run(workspace: Workspace, market: str, batch: str) -> Iterator[None]:
    """Logs a run that Dagster started (schedule or sensor), of one market, around all of its steps.

    It counts as failed if the release step did not complete and no guard explains it.
    """
    log_start(workspace, [market], batch)
    try:
        yield
    finally:
        made = workspace.jurisdiction(market)
        came_through = workspace.step_results.read(batch, "release") is not None or quarantine.is_market_quarantined(
            workspace, made
        )
        failure = ErrorNote(market, "a step failed: see its run in Dagster for the step and the cause")
        errors = () if came_through else (failure,)
        log_end(workspace, [made], batch, report.build_report(workspace, [made], batch, errors))


def _read_notes(found: IngestReport, signals: Counter[Subject]) -> Iterator[ReadNote]:
    """Datasets that delivered something."""
    by_dataset = Counter(dataset for dataset, _, _ in signals)
    for row in found.datasets:
        note = ReadNote(row.dataset, row.rows, row.rejected, by_dataset[row.dataset])
        if note.rows or note.rejected or note.signals:
            yield note


def _signal_counts(workspace: Workspace, jurisdictions: list[Jurisdiction], batch: str) -> Counter[Subject]:
    """Signals with their counts, over all files of the run."""
    found: Counter[Subject] = Counter()
    for made in jurisdictions:
        receipt = workspace.step_results.read(batch, normalise.normalise_result_name(made.code))
        told = [] if receipt is None else list(receipt["signals"])
        for dataset in made.datasets:
            if workspace.staged_store.index(dataset.key, batch) is not None:
                told += workspace.staged_store.signals(dataset.key, batch)
        for one in told:
            found[one["dataset"], one["code"], str(one["subject"])[:_LONGEST_SUBJECT]] += one["count"]
    return found


def _shortened_value(seen: float | str) -> float | str:
    return shorten_reason(seen) if isinstance(seen, str) else seen


def shorten_reason(reason: str) -> str:
    """A reason without URL paths and names of files dated in the future; cut to the maximum length.

    Both may identify a company that is erased later; the report of the run names the files.
    """
    return _ADDRESS.sub(r"\1", _FUTURE_FILES.sub("a file", reason))[:_LONGEST]
