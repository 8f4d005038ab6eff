"""What is applied to the present tables at which instant, decided from plain records, without I/O.

Does not belong here: reading the state of a market, and executing the plan (`normalise`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import Scope, Signal
from pipelines.steps.batch_figures import IncrementalArchive, completed_fetches, incremental_archives, reissued_files
from pipelines.steps.stage_plan import deliver_same_records
from warehouse.decisions import DecisionRecord
from warehouse.schema.types import Table
from warehouse.staged.store import StagedIndex

FEED_GAP: Final = "missed_by_feed"
_EXAMPLES: Final = 5
_TICK: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Watermark:
    """Instants of the first and of the newest applied snapshot of a dataset."""

    baseline: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class NormaliseState:
    """What is stored of a market before its pending batches are applied.

    run_at: logical instant of the run. pending: staged batches neither applied nor quarantined, by dataset in
    declared order, oldest first. watermarks: by dataset. unfinished: logical instants of the earlier runs among
    the pending batches that ended before they staged every dataset, by batch. decisions: manual decisions not
    applied yet. unconfirmed: by staged table, keys of records with an open deletion check. known_until: newest instant
    of the history's known time. first_loads: `dataset/batch` of the batches that complete a first load.
    """

    run_at: datetime
    pending: Sequence[StagedIndex] = ()
    watermarks: Mapping[str, Watermark] = field(default_factory=dict)
    unfinished: Mapping[str, datetime] = field(default_factory=dict)
    decisions: Sequence[DecisionRecord] = ()
    unconfirmed: Mapping[str, Sequence[pl.DataFrame]] = field(default_factory=dict)
    known_until: datetime | None = None
    first_loads: Collection[str] = ()


@dataclass(frozen=True, slots=True, eq=False)  # one row of the plan: compared by identity
class StagedSnapshot:
    """Rows of one dataset with one instant and scope in one staged batch.

    index: of the batch. instant: of its rows; none of them replaces a newer one of the same record. dated_at: when it
    counts as observed: its instant, or later for what a killed run fetched and for reissued files. tables: those with
    rows; a full snapshot is complete only in them. is_complete: what it lacks is deleted. repeated: archives that
    repeat rows of earlier ones, which get its provenance. is_first_load: it completes a first load that its first
    snapshot began.
    """

    dataset: Dataset
    index: StagedIndex
    instant: datetime
    dated_at: datetime
    scope: str
    tables: Sequence[Table]
    repeated: Sequence[IncrementalArchive]
    is_late_arriving: bool
    is_complete: bool
    is_first_load: bool = False

    @property
    def complete_before(self) -> datetime:
        """What it lacks is deleted if it is older; one that counts later may follow on another of its own instant."""
        return self.instant if self.dated_at == self.instant else self.instant + _TICK

    def subject_columns(self, table: Table) -> tuple[str, ...]:
        """The columns whose values name subjects of which it has all records; none if it has all there are."""
        if self.is_complete or self.is_late_arriving:
            return ()
        return self.dataset.complete_subjects.get(table.name, ())

    @property
    def is_own_row(self) -> pl.Expr:
        """True for its rows among those of the batch."""
        return (pl.col("_observed_at") == self.instant) & (pl.col("_scope") == str(self.scope))


@dataclass(frozen=True, slots=True)
class InstantPlan:
    """What is applied at one instant, in this order.

    feed_gaps: datasets whose complete snapshots are compared with their change feed, with the instant since which
    the feed should have announced every change. changed_tables: staged tables whose links are followed again.
    known_at: when the content becomes known, `instant` or later. today: the logical date of rules that depend on the
    day, of the newest instant so far; a late-arriving file does not turn it back. previous_today: the same before this
    instant, None at the first.
    """

    instant: datetime
    snapshots: Sequence[StagedSnapshot]
    decisions: Sequence[DecisionRecord]
    feed_gaps: Mapping[str, datetime]
    changed_tables: frozenset[str]
    known_at: datetime
    today: date
    previous_today: date | None


def completeness_by_dataset(found: Iterable[StagedSnapshot]) -> dict[str, bool]:
    """By dataset, whether any of its snapshots is complete."""
    complete: dict[str, bool] = {}
    for snapshot in found:
        key = snapshot.dataset.key
        complete[key] = complete.get(key, False) or snapshot.is_complete
    return complete


def plan_instants(jurisdiction: Jurisdiction, state: NormaliseState) -> list[InstantPlan]:
    """Every pending snapshot at the instant at which it is applied, oldest first."""
    found = [snapshot for index in state.pending for snapshot in _batch_snapshots(jurisdiction, state, index)]
    pending = _with_completion_instants(_with_reissue_instants(found, state), state, jurisdiction)
    moved = _moved_snapshots(pending, state)
    by_instant: dict[datetime, list[StagedSnapshot]] = defaultdict(list)
    for snapshot in pending:  # rows keep their own instant; only the snapshot they become part of changes
        instant = max(snapshot.dated_at, state.run_at) if snapshot in moved else snapshot.dated_at
        by_instant[instant].append(snapshot)
    newest = max([*by_instant, *(mark.newest for mark in state.watermarks.values())], default=None)
    if state.decisions and newest is not None:
        by_instant.setdefault(newest, [])  # decisions apply to the newest state
    known_at = _known_instants(by_instant, state)
    watermarks, plans = dict(state.watermarks), list[InstantPlan]()
    for instant, found in sorted(by_instant.items()):
        changed = {table.name for snapshot in found for table in snapshot.tables}
        if not plans:  # links may have been declared since the last run
            changed |= {name for dataset in jurisdiction.datasets for name in dataset.staged_tables}
        decisions = state.decisions if instant == newest else ()
        gaps = _feed_gaps(found, watermarks)
        before = max((mark.newest for mark in watermarks.values()), default=None)
        days = max(instant, before or instant).date(), before and before.date()
        plans.append(InstantPlan(instant, found, decisions, gaps, frozenset(changed), known_at[instant], *days))
        for key in {snapshot.dataset.key for snapshot in found}:
            known = watermarks.get(key, Watermark(instant, instant))
            watermarks[key] = Watermark(known.baseline, max(known.newest, instant))
    return plans


def _known_instants(
    by_instant: Mapping[datetime, Sequence[StagedSnapshot]], state: NormaliseState
) -> dict[datetime, datetime]:
    """When the content of each instant becomes known: at that instant, unless known time has passed it.

    What was known at a past instant never changes. Content from behind becomes known just before the first newer
    instant of the run; without one at the run's own, to the millisecond, as the name of its batch keeps it for a
    rebuild; decisions alone when they were made.
    """
    until, known = state.known_until, {instant: instant for instant in by_instant}
    passed = sorted(instant for instant in by_instant if until is not None and instant <= until)
    if until is None or not passed:
        return known
    if newer := known.keys() - set(passed):
        first = min(newer) - len(passed) * _TICK
    elif any(by_instant.values()):
        first = state.run_at.replace(microsecond=state.run_at.microsecond // 1000 * 1000)
    else:
        first = max(decision.at for decision in state.decisions)
    at = max(first, until + _TICK)
    for instant in sorted(known):  # what is applied later becomes known later, also within one microsecond of `until`
        known[instant] = at if instant <= until else max(instant, at)
        at = known[instant] + _TICK
    return known


def _batch_snapshots(jurisdiction: Jurisdiction, state: NormaliseState, index: StagedIndex) -> Iterator[StagedSnapshot]:
    dataset, watermark = jurisdiction.dataset(index.dataset), state.watermarks.get(index.dataset)
    repeated = incremental_archives(index)
    for edition in index.editions:
        instant, scope = datetime.fromisoformat(edition["observed_at"]), edition["scope"]
        is_late = watermark is not None and instant <= watermark.newest
        yield StagedSnapshot(
            dataset,
            index,
            instant,
            instant,
            scope,
            [table for table in dataset.staged_tables.values() if edition["rows"].get(table.name)],
            [archive for archive in repeated if archive.observed_at == instant],
            is_late_arriving=is_late,
            is_complete=scope == Scope.FULL and not is_late,
            is_first_load=f"{index.dataset}/{index.batch}" in state.first_loads,
        )


def _with_reissue_instants(pending: Sequence[StagedSnapshot], state: NormaliseState) -> list[StagedSnapshot]:
    """The pending snapshots; reissued files are dated just after everything applied to the market, one by one.

    So the state that they correct is not corrected in the past; no later than necessary, or the next file of the
    dataset would be late-arriving.
    """
    reissued = {(index.batch, one.observed_at) for index in state.pending for one in reissued_files(index)}
    newest = max((mark.newest for mark in state.watermarks.values()), default=None)
    if newest is None:
        return list(pending)
    dated: dict[StagedSnapshot, StagedSnapshot] = {}
    for one in sorted(pending, key=lambda one: one.instant):
        if (one.index.batch, one.instant) in reissued:
            newest = max(one.instant, newest + _TICK)
            dated[one] = _dated(one, newest)
    return [dated.get(one, one) for one in pending]


def _with_completion_instants(
    pending: Sequence[StagedSnapshot], state: NormaliseState, jurisdiction: Jurisdiction
) -> list[StagedSnapshot]:
    """The pending snapshots; what a killed run fetched «now» is dated as of the run that staged it.

    All that one run fetched, or none of it: not if something newer of the same dataset, or of the same records, is
    pending or applied.
    """
    completed = {(index.batch, one) for index in state.pending for one in completed_fetches(index)}
    dated = list(pending)
    for batch, fetch in sorted(completed, key=lambda one: (one[1].fetched_at, one[0])):
        own = [one for one in dated if (one.index.batch, one.dated_at) == (batch, fetch.fetched_at)]
        newest = {one.dataset.key: _newest_applied(one.dataset, state, jurisdiction) for one in own}
        passes_applied = any(at is not None and fetch.fetched_at < at for at in newest.values())
        others = [other for other in dated if other not in own]
        passes_pending = any(_passes_newer(one, other, fetch.completed_at) for one in own for other in others)
        if not (passes_applied or passes_pending):
            dated = [_dated(one, fetch.completed_at) if one in own else one for one in dated]
    return dated


def _newest_applied(dataset: Dataset, state: NormaliseState, jurisdiction: Jurisdiction) -> datetime | None:
    """Instant of the newest applied snapshot of a dataset, or of one of the same records."""
    marks = ((other, state.watermarks.get(other.key)) for other in jurisdiction.datasets)
    same = (mark.newest for other, mark in marks if mark is not None and deliver_same_records(dataset, other))
    return max(same, default=None)


def _passes_newer(snapshot: StagedSnapshot, other: StagedSnapshot, at: datetime) -> bool:
    """True if a snapshot, dated as of an instant, would pass a newer one of its dataset or of its records."""
    is_between = snapshot.dated_at < other.dated_at < at
    return _blocks_move(snapshot, other, at) or (is_between and deliver_same_records(snapshot.dataset, other.dataset))


def _dated(snapshot: StagedSnapshot, at: datetime) -> StagedSnapshot:
    """A snapshot as of an instant that its dataset's watermark has not passed."""
    return replace(snapshot, dated_at=at, is_late_arriving=False, is_complete=snapshot.scope == Scope.FULL)


def _moved_snapshots(pending: Sequence[StagedSnapshot], state: NormaliseState) -> list[StagedSnapshot]:
    """The pending snapshots that are applied at the instant of the run, not at their own.

    What a run fetched «now» and staged before it died is applied with the run that completes it: the register
    with a new company, and the accounts that the run did not get to request, arrive together. This applies to
    the last such run only, and to all of its fetches or none: if one of its datasets has a newer snapshot
    since, or would pass another dataset's of the same records, each stays a state of its own, with its own events.
    """
    last = max(state.unfinished.items(), default=None)
    moved = [snapshot for snapshot in pending if (snapshot.index.batch, snapshot.dated_at) == last]
    blocked = any(
        _blocks_move(snapshot, other, state.run_at)
        or (other not in moved and _is_passed(other, snapshot, state.run_at))
        for snapshot in moved
        for other in pending
    )
    return [] if blocked else moved


def _blocks_move(snapshot: StagedSnapshot, other: StagedSnapshot, at: datetime) -> bool:
    """True if moving a snapshot to an instant would reorder it with, or hide it behind, a full one of its dataset.

    Partial snapshots may coincide: answers received by one run and those requested by the next form one
    look-up.
    """
    if other.dataset.key != snapshot.dataset.key or not snapshot.dated_at < other.dated_at <= at:
        return False
    return other.dated_at < at or Scope.FULL in (snapshot.scope, other.scope)


def _is_passed(other: StagedSnapshot, snapshot: StagedSnapshot, at: datetime) -> bool:
    """True if a snapshot, moved to an instant, would be applied after another dataset's newer one of its records."""
    if other.dataset.key == snapshot.dataset.key or not snapshot.dated_at <= other.dated_at < at:
        return False
    return deliver_same_records(snapshot.dataset, other.dataset)


def _feed_gaps(found: Iterable[StagedSnapshot], watermarks: Mapping[str, Watermark]) -> dict[str, datetime]:
    """Complete snapshots that their feed should have announced, by dataset, since the one before.

    Not the first snapshot, which changes everything, nor one that follows on a time before the feed began.
    """
    gaps: dict[str, datetime] = {}
    for snapshot in found:
        before = watermarks.get(snapshot.dataset.key)
        feed = watermarks.get(snapshot.dataset.change_feed_key or "")
        if snapshot.is_complete and snapshot.tables and before and feed and feed.baseline <= before.newest:
            gaps[snapshot.dataset.key] = before.newest
    return gaps


def feed_gap_signals(
    dataset: Dataset, companies: pl.Series, feed_rows: Iterable[pl.LazyFrame], since: datetime
) -> Iterator[Signal]:
    """A signal if the feed has not named all companies that a full snapshot changed or deleted since an instant.

    A metric, not an error: the full snapshot is valid.
    """
    named = [rows.filter(pl.col("_observed_at") >= since).select("_company_id") for rows in feed_rows]
    announced = pl.concat(named).collect().to_series().unique()
    missed = companies.filter(~companies.is_in(announced.implode()))
    if missed.len():
        yield Signal(dataset.key, FEED_GAP, str(dataset.change_feed_key), missed.len(), tuple(missed.head(_EXAMPLES)))
