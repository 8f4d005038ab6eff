"""Deletion check: records missing from a full snapshot, to be looked up before absence counts as deletion.

The look-ups happen between staging and applying the snapshot, so that answers and snapshot form one state. A
record without an answer is not deleted, and is looked up again by every run until the next full snapshot.
Does not belong here: what absence means in a market (`Dataset.doubts`), or the look-ups (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import polars as pl

from connectors.contract.dataset import AbsenceCheck, Dataset, FetchedFile, Jurisdiction, Scope
from pipelines.steps.snapshots import KEPT
from pipelines.workspace import Workspace
from warehouse.schema.types import Table
from warehouse.staged.store import StagedIndex, StagedStore


class DeletionCheck:
    """Deletion checks of one dataset in one run: subjects looked up, and subjects answered."""

    def __init__(self, doubts: Iterable[AbsenceCheck], editions: Mapping[str, str]) -> None:
        self._doubts = tuple(doubts)
        self._editions = editions
        self._answered: set[str] = set()
        self._asked: str | None = None
        self._has_asked = False

    def subjects(self) -> Iterator[str]:
        """Subjects to look up, one after the other: arrivals are attributed to the last one requested."""
        for subject in dict.fromkeys(doubt.subject for doubt in self._doubts):
            self._asked, self._has_asked = subject, True
            yield subject
        self._asked = None

    def heard(self, arrivals: Iterable[FetchedFile]) -> Iterator[FetchedFile]:
        """Passes arrivals on; one counts as archived when the next is requested."""
        for arrival in arrivals:
            asked = self._asked
            yield arrival
            if asked is not None:
                self._answered.add(asked)

    def settle(self, lake: StagedStore, dataset: str, failure: str | None) -> int:
        """Stores the unanswered records; returns their number."""
        nobody_to_ask = not self._has_asked and failure is None
        left = [] if nobody_to_ask else [one for one in self._doubts if one.subject not in self._answered]
        lake.note_doubts(dataset, self._editions, [(one.table, one.key) for one in left])
        return len(left)


def deletion_check_for(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset
) -> DeletionCheck | None:
    """The deletion checks of `dataset` for the newest full snapshots; None if none is open."""
    complete = dict(_complete_snapshots(workspace, jurisdiction))
    editions = {name: f"{index.dataset}/{index.batch}" for name, (index, _) in complete.items()}
    noted, left = workspace.lake.doubts(dataset.key)
    path = workspace.layout.history_file(jurisdiction.code)
    if dataset.doubts is None or not complete or not path.exists() or (noted == editions and not left):
        return None
    tables = {name: table for made in jurisdiction.datasets for name, table in made.staged.items()}
    with workspace.history(jurisdiction.code) as history:
        absent = {
            name: history.absent(tables[name], _snapshot_keys(workspace.lake, index, tables[name]), instant)
            for name, (index, instant) in complete.items()
        }
        companies = pl.concat(rows["_company_id"] for rows in absent.values()).drop_nulls().unique()
        present = {name: rows.collect() for name, rows in history.rows_of(tables.values(), companies).items()}
    return DeletionCheck(dataset.doubts(absent, present), editions)


def unconfirmed_keys(lake: StagedStore, jurisdiction: Jurisdiction, table: Table) -> Iterator[pl.DataFrame]:
    """Keys of records with an open deletion check: a snapshot that lacks them does not delete them."""
    for dataset in jurisdiction.datasets:
        if dataset.doubts is not None:
            keys = [key for name, key in lake.doubts(dataset.key)[1] if name == table.name]
            yield pl.DataFrame(keys, schema=dict.fromkeys(table.key, pl.String()), orient="row")


def _complete_snapshots(
    workspace: Workspace, jurisdiction: Jurisdiction
) -> Iterator[tuple[str, tuple[StagedIndex, datetime]]]:
    """The newest staged batch of each table and its instant, if it is a full snapshot and not quarantined.

    A batch that repeats bodies of an earlier batch is left out: their keys are not in it.
    """
    for made in jurisdiction.datasets:
        newest = workspace.lake.batches(made.key)[-1:]
        index = workspace.lake.index(made.key, newest[0]) if newest else None
        if index is None or index.held is not None or index.figures.get(KEPT):
            continue
        full = [edition for edition in index.editions if edition["scope"] == Scope.FULL]
        for table in made.staged.values():
            if index.tables.get(table.name) and full:
                yield table.name, (index, max(datetime.fromisoformat(one["observed_at"]) for one in full))


def _snapshot_keys(lake: StagedStore, index: StagedIndex, table: Table) -> pl.DataFrame:
    return lake.rows(index.dataset, index.batch, table).select(table.key).collect()
