"""Ingest report: files, datasets, events, quarantined datasets, the release, and the exit code.

Made from step results (`receipts`), so it is the same after a kill. Does not belong here: printing it
(`firm`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.steps import fetch as steps_fetch
from pipelines.steps import normalise, quarantine, stage
from pipelines.steps.future_instants import FUTURE_GUARD, describe_refused, future_file_reason
from pipelines.workspace import Workspace
from warehouse.release.manifest import parse_reconciliation
from warehouse.release.run_log import ErrorNote, QuarantineNote
from warehouse.schema.market_state import Reconciliation
from warehouse.staged.store import StagedIndex

DONE: Final = 0
FAILED: Final = 1
HELD: Final = 3  # published, with something quarantined
NOTHING: Final = 4  # nothing published, because of a quarantine, or because no file could be read
_FINAL_GUARDS: Final = (FUTURE_GUARD, quarantine.FETCH_GUARD)  # what they keep out stays out; others are lifted
UNCHANGED: Final = "unchanged"
NO_ROWS: Final = "no rows"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of a folder: the dataset that read it (None: none), and why it yielded nothing.

    A file that came before is «unchanged», or still has what made it unreadable; «not read» if the fetch failed first.

    Fetched files are listed only if they could not be read.
    """

    path: str
    dataset: str | None
    rows: int
    rejected: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """One dataset: records read and rejected, shared rows made of them, events, seconds of reading."""

    dataset: str
    rows: int
    rejected: int
    normalised: int
    seconds: float
    events: int = 0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One ingest. `release`: the number published, None if none was; `markets`: number of companies touched.

    unreadable: number of files and fetched bodies of which nothing could be read. late: by dataset, files older than
    what was already ingested, which announce no new filings or news. reconciliations: by market, what
    cannot be accounted for.
    """

    release: int | None
    files: tuple[FileReport, ...] = ()
    datasets: tuple[DatasetReport, ...] = ()
    events: Mapping[str, int] = field(default_factory=dict)
    held: tuple[QuarantineNote, ...] = ()
    signals: int = 0
    errors: tuple[ErrorNote, ...] = ()
    markets: Mapping[str, int] = field(default_factory=dict)
    batches: tuple[str, ...] = ()
    unreadable: int = 0
    late: Mapping[str, int] = field(default_factory=dict)
    reconciliations: Mapping[str, Reconciliation] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)  # by market, its steps from RAW to events

    @property
    def exit_code(self) -> int:
        """docs/architecture.md 5: 0 done, 1 error, 3 published with something quarantined, 4 nothing published."""
        if self.errors:
            return FAILED
        if self.held:
            return NOTHING if self.release is None else HELD
        return NOTHING if self.is_illegible else DONE

    @property
    def is_illegible(self) -> bool:
        """True if all input was unreadable or read by no dataset; a bad file among good ones is only reported."""
        if self.release is not None or any(row.rows for row in self.datasets):
            return False
        return self.unreadable > 0 or self.has_only_unread_files

    @property
    def has_only_unread_files(self) -> bool:
        """True if there are files, and no dataset reads any of them; of announced markets none does."""
        return bool(self.datasets and self.files) and all(file.dataset is None for file in self.files)

    def as_json(self) -> dict[str, Any]:
        """The object that `firm ingest --json` prints."""
        datasets = [asdict(dataset) for dataset in self.datasets]
        for dataset in datasets:
            del dataset["events"]
        return {
            "release": self.release,
            "files": [asdict(file) for file in self.files],
            "datasets": datasets,
            "events": dict(self.events),
            "held": [asdict(held) for held in self.held],
            "signals": self.signals,
            "late": dict(self.late),
            "reconciliations": {market: asdict(found) for market, found in sorted(self.reconciliations.items())},
        }


def merge_reports(reports: Iterable[IngestReport]) -> IngestReport:
    """Merges rounds into one report: newest release, quarantines of all rounds, everything else summed."""
    reports = list(reports)
    datasets: dict[str, DatasetReport] = {}
    for row in (row for report in reports for row in report.datasets):
        datasets[row.dataset] = _sum_dataset_reports(datasets[row.dataset], row) if row.dataset in datasets else row
    return IngestReport(
        release=max((report.release for report in reports if report.release is not None), default=None),
        files=tuple(file for report in reports for file in report.files),
        datasets=tuple(datasets.values()),
        events=dict(sum((Counter(report.events) for report in reports), Counter())),
        held=_merge_quarantines(reports),
        signals=sum(report.signals for report in reports),
        errors=tuple(error for report in reports for error in report.errors),
        markets=dict(sum((Counter(report.markets) for report in reports), Counter())),
        batches=tuple(batch for report in reports for batch in report.batches),
        unreadable=sum(report.unreadable for report in reports),
        late=dict(sum((Counter(report.late) for report in reports), Counter())),
        reconciliations={market: found for report in reports for market, found in report.reconciliations.items()},
        seconds=dict(sum((Counter(report.seconds) for report in reports), Counter())),
    )


def _merge_quarantines(reports: Sequence[IngestReport]) -> tuple[QuarantineNote, ...]:
    """The datasets quarantined at the end, after what earlier rounds left out: no later round brings their files."""
    if not reports:
        return ()
    left_out = (one for report in reports[:-1] for one in report.held if one.guard in _FINAL_GUARDS)
    return tuple(dict.fromkeys((*left_out, *reports[-1].held)))


def _sum_dataset_reports(one: DatasetReport, other: DatasetReport) -> DatasetReport:
    return DatasetReport(
        one.dataset,
        one.rows + other.rows,
        one.rejected + other.rejected,
        one.normalised + other.normalised,
        round(one.seconds + other.seconds, 3),
        one.events + other.events,
    )


def build_report(
    workspace: Workspace, jurisdictions: Iterable[Jurisdiction], batch: str, errors: tuple[ErrorNote, ...]
) -> IngestReport:
    """The report of one batch, from its step results."""
    jurisdictions = list(jurisdictions)
    release = workspace.step_results.read(batch, "release") or {}
    readings = {
        dataset.key: stage.read_stage_result(workspace, dataset.key, batch)
        for jurisdiction in jurisdictions
        for dataset in jurisdiction.datasets
    }
    touched = {made.code: _normalise_result(workspace, made, batch) for made in jurisdictions}
    late = dict(sum((Counter(receipt.late) for receipt in touched.values()), Counter[str]()))
    events: Mapping[str, int] = release.get("events_by_dataset", {})
    rows: Counter[str] = Counter()
    for receipt in touched.values():
        rows.update(receipt.rows)
    return IngestReport(
        release=release.get("release"),
        # unread files of a source group are reported once, not by every market
        files=tuple(dict.fromkeys(file for made in jurisdictions for file in _file_reports(workspace, made, batch))),
        datasets=tuple(
            DatasetReport(key, read.rows, read.rejected, rows[key], read.seconds, events.get(key, 0))
            for key, read in readings.items()
        ),
        events=release.get("events", {}),
        held=tuple(_quarantine_reports(workspace, jurisdictions, batch)),
        signals=sum(read.signals for read in readings.values())
        + sum(len(receipt.signals) for receipt in touched.values()),
        errors=errors,
        markets={market: receipt.companies for market, receipt in touched.items()},
        batches=(batch,),
        unreadable=sum(_unreadable_count(workspace, made, batch) for made in jurisdictions),
        late=late,
        reconciliations=_reconciliations(workspace, release.get("reconciliations", {})),
    )


def _reconciliations(workspace: Workspace, counted: Mapping[str, Mapping[str, Any]]) -> dict[str, Reconciliation]:
    """What a run counted of its markets; examples are those of the release, which an erasure replaces."""
    manifest = workspace.release_store.current_manifest() if counted else None
    released = {} if manifest is None else manifest.markets
    found: dict[str, Reconciliation] = {}
    for market, values in counted.items():
        own = parse_reconciliation(values)
        state = released.get(market)
        of_release = state.reconciliation if state is not None else None
        known = {} if of_release is None else {one.key: one.examples for one in of_release.unexplained_statuses}
        statuses = (replace(one, examples=known.get(one.key, ())) for one in own.unexplained_statuses)
        found[market] = replace(own, unexplained_statuses=tuple(statuses))
    return found


def _unreadable_count(workspace: Workspace, made: Jurisdiction, batch: str) -> int:
    indexes = (workspace.staged_store.index(dataset.key, batch) for dataset in made.datasets)
    return sum(piece["rejected"] is not None for index in indexes if index is not None for piece in index.pieces)


def _normalise_result(workspace: Workspace, made: Jurisdiction, batch: str) -> normalise.NormaliseResult:
    value = workspace.step_results.read(batch, normalise.normalise_result_name(made.code))
    return normalise.NormaliseResult(made.code) if value is None else normalise.NormaliseResult(**value)


def _quarantine_reports(
    workspace: Workspace, jurisdictions: list[Jurisdiction], batch: str
) -> Iterable[QuarantineNote]:
    for dataset in (dataset for made in jurisdictions for dataset in made.datasets):
        refused = quarantine.dataset_quarantine(workspace, dataset)
        came = steps_fetch.read_fetch_result(workspace, dataset.key, batch)
        if refused is not None:
            yield QuarantineNote(dataset.key, refused.guard, refused.seen, refused.allowed)
        elif came.failure is not None:
            yield QuarantineNote(dataset.key, quarantine.FETCH_GUARD, came.failure, None)
        elif came.refused:
            yield QuarantineNote(dataset.key, FUTURE_GUARD, describe_refused(came.refused), None)


def _file_reports(workspace: Workspace, made: Jurisdiction, batch: str) -> Iterable[FileReport]:
    value = workspace.step_results.read(batch, f"files-{made.code}") or {"files": []}
    read = {dataset.key: _staged_pieces(workspace, dataset, batch) for dataset in made.datasets}
    idle = {dataset.key: _reasons_of_unparsed(workspace, dataset, batch) for dataset in made.datasets}
    failures = {
        dataset.key: steps_fetch.read_fetch_result(workspace, dataset.key, batch).failure for dataset in made.datasets
    }
    for entry in value["files"]:
        key = entry["dataset"]
        piece = None if key is None else read[key].get(entry["name"])
        if key is None:
            yield FileReport(entry["path"], None, 0, 0, entry["reason"])
        elif piece is None:
            yield FileReport(entry["path"], key, 0, 0, idle[key].get(entry["name"]) or _left_out(failures[key]))
        else:
            yield FileReport(entry["path"], key, piece["rows"], piece["rejects"], _no_rows_reason(piece))
    # fetched bodies are in no folder listing: they are reported if unreadable
    listed = {(entry["dataset"], entry["name"]) for entry in value["files"]}
    for key, pieces in read.items():
        for name, piece in pieces.items():
            if piece["rejected"] is not None and (key, name) not in listed:
                yield FileReport(name, key, piece["rows"], piece["rejects"], piece["rejected"])


def _reasons_of_unparsed(workspace: Workspace, dataset: Dataset, batch: str) -> dict[str, str]:
    """Why files of a run were not parsed by it, by name: refused, or unchanged, then with what made them unreadable."""
    came = steps_fetch.read_fetch_result(workspace, dataset.key, batch)
    refused = {file["name"]: future_file_reason(datetime.fromisoformat(file["observed_at"])) for file in came.refused}
    unchanged = dict.fromkeys((body["name"] for body in came.unchanged), UNCHANGED)
    return {**unchanged, **_still_unreadable(workspace, came), **refused}


def _still_unreadable(workspace: Workspace, came: steps_fetch.FetchResult) -> dict[str, str]:
    """Bodies that a run found unchanged and that could not be read when they were parsed, with the reason of then."""
    found: dict[str, str] = {}
    if not came.unchanged:
        return found
    store = workspace.staged_store
    unchanged = {(body["name"], body["sha256"]) for body in came.unchanged}
    named = {batch for name, sha256 in unchanged for batch in store.batches_naming(came.dataset, sha256, name)}
    indexes = (store.index(came.dataset, batch) for batch in sorted(named))
    for piece in (piece for index in indexes if index is not None for piece in index.pieces):
        if (piece["name"], piece["sha256"]) in unchanged:
            found.pop(piece["name"], None)  # the newest parse counts
            if piece["rejected"] is not None:
                found[piece["name"]] = piece["rejected"]
    return found


def _left_out(failure: str | None) -> str:
    return UNCHANGED if failure is None else f"not read: {failure}"


def _staged_pieces(workspace: Workspace, dataset: Dataset, batch: str) -> Mapping[str, Mapping[str, Any]]:
    index: StagedIndex | None = workspace.staged_store.index(dataset.key, batch)
    if index is None:
        return {}
    rejects = workspace.staged_store.rejects(dataset.key, batch)
    first: dict[str, str] = dict(rejects.select("piece", "reason").reverse().iter_rows())
    return {piece["name"]: {**piece, "first": first.get(piece["name"])} for piece in index.pieces}


def _no_rows_reason(piece: Mapping[str, Any]) -> str | None:
    if piece["rejected"] is not None:
        return piece["rejected"]
    if piece["rows"]:
        return None
    return piece["first"] or NO_ROWS
