"""Subjects that a dataset looks up one by one: its backlog, and records missing from full snapshots.

Backlog: staged rows of other datasets that name subjects to look up. A run killed, or cut off by its registry,
between staging such rows and looking up their subjects leaves a backlog: the next run gets the same rows again. A
batch is marked as processed once every answer is in RAW, not before.

Deletion check: a record missing from a full snapshot is looked up before its absence counts as a deletion, between
staging and applying the snapshot, so that answers and snapshot form one state. A record without an answer is not
deleted, and is looked up again by every run until the next full snapshot.

Does not belong here: which subjects a row names (`Dataset.subjects_to_fetch`), what absence means in a market
(`Dataset.absences_to_confirm`), the look-ups (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

import polars as pl

from connectors.contract.dataset import AbsenceCheck, Dataset, Jurisdiction
from connectors.contract.pieces import FetchedFile, Scope
from pipelines.steps.batch_figures import unchanged_bodies
from pipelines.workspace import Workspace, staged_tables
from warehouse.schema.types import Table
from warehouse.staged.store import DeletionCheck, StagedIndex, StagedStore


@dataclass(frozen=True, slots=True)
class LookupBacklog(Mapping[str, pl.DataFrame]):
    """Backlog rows by staged table, loaded on access: most datasets read one table of many.

    looked_up_batches: newest batch of each other dataset that is processed once these rows are; processed_before: that
    is processed without them.
    """

    rows: Mapping[str, pl.LazyFrame]
    looked_up_batches: Mapping[str, str]
    processed_before: Mapping[str, str]

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self.rows[name].collect()

    def __contains__(self, name: object) -> bool:
        """True if a table has rows, without loading them as `Mapping` would."""
        return name in self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def find_lookup_backlog(store: StagedStore, jurisdiction: Jurisdiction, dataset: Dataset) -> LookupBacklog:
    """Rows of the market's other datasets that `dataset` has not processed; oldest batch first."""
    processed = store.looked_up_batches(dataset.key)
    if not processed:
        since = store.newest_batch_in_use(dataset.key)  # data root from before any progress was recorded
        processed = {other.key: since for other in jurisdiction.datasets if other.key != dataset.key}
    rows: dict[str, list[pl.LazyFrame]] = {}
    seen: dict[str, str] = {}
    for other in (other for other in jurisdiction.datasets if other.key != dataset.key):
        indexes, last = batches_to_look_up(store.newest_indexes(other.key), processed.get(other.key, ""))
        if indexes:
            seen[other.key] = last
        for table in other.staged_tables.values():
            for index in indexes:
                if index.tables.get(table.name):
                    rows.setdefault(table.name, []).append(store.read_rows(other.key, index.batch, table))
    return LookupBacklog({name: pl.concat(frames) for name, frames in rows.items()}, processed | seen, processed)


def batches_to_look_up(newest_first: Iterable[StagedIndex], after: str) -> tuple[list[StagedIndex], str]:
    """Batches after `after`, from the last full snapshot on, which supersedes all before it; oldest first.

    Also the last batch to mark as processed: none after a quarantined batch, which would be skipped once it
    is lifted.
    """
    found: list[StagedIndex] = []
    quarantined: str | None = None
    full: datetime | None = None
    for index in takewhile(lambda one: one.batch > after, newest_first):
        if index.is_superseded_by(full):
            break
        if index.held is not None:
            quarantined = index.batch
            continue
        found.insert(0, index)
        full = max(filter(None, (full, index.full_instant)), default=None)
    done = (index.batch for index in found if quarantined is None or index.batch < quarantined)
    return found, max(done, default=after)


@dataclass(frozen=True, slots=True)
class MissingRecords:
    """What the deletion checks of one dataset depend on, read once.

    snapshots: the full snapshot of each table, as `dataset/batch`. absent: the rows it lacks, by table. present:
    all present rows of their companies, by table.
    """

    snapshots: Mapping[str, str]
    absent: Mapping[str, pl.DataFrame]
    present: Mapping[str, pl.DataFrame]


def load_missing_records(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset) -> MissingRecords | None:
    """Records missing from the newest full snapshots; None if all deletion checks of these are closed."""
    complete = {found[0].name: found for found in _complete_snapshots(workspace.staged_store, jurisdiction)}
    snapshots = {name: f"{index.dataset}/{index.batch}" for name, (_, index, _) in complete.items()}
    checked, unanswered = workspace.staged_store.pending_deletion_checks(dataset.key)
    path = workspace.layout.history_file(jurisdiction.code)
    if not complete or not path.exists() or (checked == snapshots and not unanswered):
        return None
    tables = staged_tables(jurisdiction)
    absent: dict[str, pl.DataFrame] = {}
    with workspace.open_history(jurisdiction.code) as history:
        # of a late-arriving snapshot nothing that it lacks is deleted
        complete = {
            name: found
            for name, found in complete.items()
            if not _is_passed(history.high_watermark(found[1].dataset), found[2])
        }
        if not complete:
            return None
        for name, (table, index, instant) in complete.items():
            keys = workspace.staged_store.read_rows(index.dataset, index.batch, table).select(table.key).collect()
            absent[name] = history.absent_rows(table, keys, instant)
        companies = pl.concat(rows["_company_id"] for rows in absent.values()).drop_nulls().unique()
        present = {name: rows.collect() for name, rows in history.present_rows_of(tables.values(), companies).items()}
    return MissingRecords({name: snapshots[name] for name in complete}, absent, present)


def _is_passed(watermark: datetime | None, instant: datetime) -> bool:
    return watermark is not None and instant < watermark


def _complete_snapshots(
    store: StagedStore, jurisdiction: Jurisdiction
) -> Iterator[tuple[Table, StagedIndex, datetime]]:
    """The newest staged batch of each table and its instant, if it is a full snapshot and not quarantined.

    A batch that repeats bodies of an earlier batch is left out: their keys are not in it.
    """
    for made in jurisdiction.datasets:
        index = next(store.newest_indexes(made.key), None)
        if index is None or index.held is not None or unchanged_bodies(index):
            continue
        full = [snapshot for snapshot in index.editions if snapshot["scope"] == Scope.FULL]
        for table in made.staged_tables.values():
            if index.tables.get(table.name) and full:
                yield table, index, max(datetime.fromisoformat(one["observed_at"]) for one in full)


def unconfirmed_keys(store: StagedStore, jurisdiction: Jurisdiction, table: Table) -> Iterator[pl.DataFrame]:
    """Keys of records with an open deletion check: a snapshot that lacks them does not delete them."""
    for dataset in jurisdiction.datasets:
        if dataset.absences_to_confirm is not None:
            keys = [key for name, key in store.pending_deletion_checks(dataset.key)[1] if name == table.name]
            yield pl.DataFrame(keys, schema=dict.fromkeys(table.key, pl.String()), orient="row")


def record_checks(
    store: StagedStore,
    dataset: str,
    snapshots: Mapping[str, str],
    left: Sequence[DeletionCheck],
    answered: Mapping[str, Sequence[DeletionCheck]],
) -> None:
    """Records which deletion checks of these snapshots are open, and which batches answered the others."""
    before, _ = store.pending_deletion_checks(dataset)
    known = {
        batch: [(table, key) for table, key in checks if before.get(table) == snapshots.get(table)]
        for batch, checks in store.answered_deletion_checks(dataset).items()
    }
    found = {batch: sorted({*known.get(batch, ()), *answered.get(batch, ())}) for batch in sorted({*known, *answered})}
    store.record_pending_deletion_checks(
        dataset, snapshots, left, {batch: checks for batch, checks in found.items() if checks}
    )


class LookupTracker:
    """Which deletion checks are answered while a source is fetched."""

    def __init__(self, checks: Sequence[AbsenceCheck]) -> None:
        self._checks = checks
        self._answered: set[str] = set()
        self._current: str | None = None
        self._has_requested = False

    def subjects(self) -> Iterator[str]:
        """Subjects to look up, one after the other: files are attributed to the last one requested."""
        for subject in dict.fromkeys(check.subject for check in self._checks):
            self._current, self._has_requested = subject, True
            yield subject
        self._current = None

    def attributed(self, files: Iterable[FetchedFile]) -> Iterator[FetchedFile]:
        """Passes files on; one counts as archived when the next is requested."""
        for file in files:
            subject = self._current
            yield file
            if subject is not None:
                self._answered.add(subject)

    def unconfirmed_records(self, failure: str | None) -> list[DeletionCheck]:
        """Table and key of the records to check again; none if the source cannot look up subjects."""
        if not self._has_requested and failure is None:
            return []
        return [(check.table, check.key) for check in self._checks if check.subject not in self._answered]

    def confirmed_records(self) -> list[DeletionCheck]:
        """Table and key of the records whose check was answered."""
        return [(check.table, check.key) for check in self._checks if check.subject in self._answered]
