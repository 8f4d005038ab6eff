"""Plans one staging: which archived bodies become a batch, at which instants, and what they count as.

Pure functions over a frozen state. Bodies of one dataset with one instant form a snapshot. Of two archives of
complete answers (`Dataset.reread_interval`) the later is parsed only where it differs from its base, the previous one;
unchanged rows count as if it had been parsed in full. Does not belong here: reading the state and executing the
plan (`stage`), judging the parsed rows (`guards`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from connectors.contract.dataset import Dataset
from connectors.contract.pieces import PreviousArchive, Scope
from pipelines.steps.batch_figures import (
    PARTIAL_FETCH,
    CompletedFetch,
    IncrementalArchive,
    ReissuedFile,
    UnchangedBody,
    first_load_batches,
    incremental_archives,
)
from pipelines.steps.guards import last_full_rows
from warehouse.raw.archive import RawBody
from warehouse.staged.store import StagedIndex

_TICK: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class StageState:
    """What the plan of one dataset's batch depends on, read once.

    bodies: those of the dataset in use that the plan depends on, as RAW orders them, and indexes: such of its staged
    batches, oldest first (`stage_state`); the plan is the same with all of them. pending: bodies to parse.
    run_instants: logical instants of the runs that fetched these, and of this run, by batch.
    newest_instant: of anything staged of the dataset; None if no pending body is a reissue. cursor: where the
    fetch of this run ended; unchanged: `{name, sha256, observed_at}` of the bodies it found unchanged.
    comparable: SHA-256 of pending archives that can be compared with their base (`base_archive`). sharing: bodies
    of datasets with the same tables, which may have delivered single records since the base; empty without one.
    accepts_violation: the operator lets the dataset through its guards. is_partial_fetch: the fetch of this run broke
    off, or left the rest to the next run. was_queried: the source was queried in this run. retracted: batches of the
    dataset that are out of use; is_cursor_taken_back: one of them had set a cursor, so that the fetch began before it.
    confirmed: unchanged bodies that are the newest complete snapshot again, after another one (`confirmed_bodies`).
    """

    batch: str
    bodies: Sequence[RawBody]
    indexes: Sequence[StagedIndex]
    pending: Sequence[RawBody]
    run_instants: Mapping[str, datetime]
    newest_instant: datetime | None = None
    cursor: str | None = None
    unchanged: Sequence[Mapping[str, str]] = ()
    comparable: Collection[str] = ()
    sharing: Sequence[RawBody] = ()
    accepts_violation: bool = False
    is_partial_fetch: bool = False
    was_queried: bool = False
    retracted: Collection[str] = ()
    is_cursor_taken_back: bool = False
    confirmed: Sequence[RawBody] = ()


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One batch to be staged. Without bodies and cursor there is nothing to stage, except the end of a first load.

    bodies: to parse, in order, with the instants and scopes they get. unchanged: bodies that complete their
    snapshots. compared: by SHA-256, archives to parse only where they differ. cursor: where the feed resumes.
    last_full_rows: rows of the last accepted full snapshot. is_incomplete: a snapshot lacks a file.
    postponed: number of bodies that the next run parses, since this batch is staged already. is_partial_fetch: as in
    the state. completes_first_load: a first load that took several runs is complete. completed: of killed runs, whose
    bodies keep the instants at which they were fetched; reissued: of its files. `normalise_plan` decides when both are
    applied.
    """

    batch: str
    bodies: tuple[RawBody, ...] = ()
    unchanged: tuple[UnchangedBody, ...] = ()
    compared: Mapping[str, tuple[PreviousArchive, IncrementalArchive]] = field(default_factory=dict)
    cursor: str | None = None
    last_full_rows: int | None = None
    is_incomplete: bool = False
    postponed: int = 0
    accepts_violation: bool = False
    is_partial_fetch: bool = False
    completes_first_load: bool = False
    completed: tuple[CompletedFetch, ...] = ()
    reissued: tuple[ReissuedFile, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.bodies and self.cursor is None and not self.completes_first_load


def plan_stage(state: StageState, dataset: Dataset) -> StagePlan:
    """The plan of a batch. The next run parses bodies of later runs, and all of them once it or a later one is staged.

    So no batch names a body that was fetched after its run (`unstaged_bodies` of RAW).
    """
    if state.batch in state.retracted or any(index.batch >= state.batch for index in state.indexes):
        return StagePlan(state.batch, postponed=len(state.pending))
    later = sum(body.batch > state.batch for body in state.pending)
    state = replace(state, pending=[body for body in state.pending if body.batch <= state.batch])
    dated = assign_instants(state)
    unchanged = _find_unchanged(state, dated)
    dated = sorted([*dated, *state.confirmed], key=_body_order)
    bodies = downgrade_incomplete(dataset, dated, unchanged)
    return StagePlan(
        state.batch,
        tuple(bodies),
        tuple(unchanged),
        _plan_comparisons(state, dataset, bodies),
        _next_cursor(state, bodies),
        last_full_rows(state.indexes),
        bodies != dated,
        later,
        accepts_violation=state.accepts_violation,
        is_partial_fetch=state.is_partial_fetch,
        completes_first_load=_completes_first_load(state),
        completed=tuple(_completed_fetches(state, dated)),
        reissued=tuple(_reissued_files(state, dated)),
    )


def _completed_fetches(state: StageState, bodies: Iterable[RawBody]) -> Iterator[CompletedFetch]:
    for instant in sorted({body.observed_at for body in bodies if _is_of_killed_run(body, state)}):
        yield CompletedFetch(instant, state.run_instants[state.batch])


def _reissued_files(state: StageState, bodies: Iterable[RawBody]) -> Iterator[ReissuedFile]:
    after = _after_newest(state)
    if any(body.replaces is not None and body.observed_at == after for body in bodies):
        yield ReissuedFile(after)


def _is_of_killed_run(body: RawBody, state: StageState) -> bool:
    """True if an earlier run fetched a body «now», not as of a date that its source gives."""
    return body.batch != state.batch and body.observed_at == state.run_instants.get(body.batch)


def _completes_first_load(state: StageState) -> bool:
    """True if all batches so far are one first load, and nothing is left of it."""
    if state.is_partial_fetch or not state.was_queried or not state.indexes:
        return False
    last = state.indexes[-1]
    return bool(last.figures.get(PARTIAL_FETCH)) and last.batch in first_load_batches(state.indexes)


def confirmed_bodies(
    bodies: Sequence[RawBody],
    lines: Iterable[Mapping[str, Any]],
    indexes: Sequence[StagedIndex],
    retracted: Collection[str] = (),
) -> list[RawBody]:
    """Bodies that the newest complete fetch found unchanged, if an older complete file with other content is in RAW.

    Without them that file would count as the newest: an unchanged body is not parsed again. They get the instant at
    which they were found unchanged. None once a staged snapshot has that instant, if the newest fetch has new ones, or
    if one of them was quarantined or could not be read.

    Args:
        bodies: in use, of one dataset, as RAW orders them.
        lines: of its manifest, oldest first.
        indexes: its staged batches.
        retracted: batches of it that are out of use.
    """
    staged = {datetime.fromisoformat(one["observed_at"]) for index in indexes for one in index.editions}
    found: dict[datetime, dict[str, str]] = {}
    changed = set(staged)
    for line in lines:
        if line.get("scope") == Scope.FULL and line["batch"] not in retracted:
            instant = datetime.fromisoformat(line["observed_at"])
            found.setdefault(instant, {})[line["name"]] = line["sha256"]
            changed |= {instant} if line["new"] else set()
    newest = max(found, default=None)
    former = max((instant for instant in found if instant in changed), default=None)
    if newest is None or former is None or former == newest or found[newest].items() <= found[former].items():
        return []
    if all(found[instant] != found[newest] for instant in changed & found.keys()):
        return []  # the fetch broke off: what it found is no complete snapshot
    unread = {
        (piece["name"], piece["sha256"])
        for index in indexes
        for piece in index.pieces
        if index.held is not None or piece["rejected"] is not None
    }
    if not unread.isdisjoint(found[newest].items()):
        return []
    by_content = {(body.name, body.sha256): body for body in bodies}
    again = [by_content.get(content) for content in found[newest].items()]
    return [replace(body, observed_at=newest, cursor=None, replaces=None) for body in again if body is not None]


def assign_instants(state: StageState) -> list[RawBody]:
    """The pending bodies with their instants, in order.

    A reissued file of the newest snapshot gets an instant just after the newest one of its dataset: later than what it
    corrects, but older than what another dataset has stated of the same records since. A complete file
    that a killed run fetched «now» gets the instant of this run if it found that file unchanged, and nothing newer is
    stored: the source says the same again. If it fetched complete files of which that is none, they supersede it. All
    else keeps its instant.
    """
    newest = _newest_body(state)
    dated = [
        _with_reissue_instant(body, state.bodies, _after_newest(state))
        if body.replaces is not None and body.observed_at == newest
        else _with_repeated_instant(body, state)
        for body in state.pending
    ]
    return sorted(dated, key=_body_order)


def _newest_body(state: StageState) -> datetime:
    return max((body.observed_at for body in state.bodies), default=state.run_instants[state.batch])


def _after_newest(state: StageState) -> datetime:
    newest = _newest_body(state)
    return max(newest, state.newest_instant or newest) + _TICK


def _body_order(body: RawBody) -> tuple[datetime, datetime, str]:
    return body.observed_at, body.fetched_at, body.name


def _with_reissue_instant(body: RawBody, bodies: Iterable[RawBody], instant: datetime) -> RawBody:
    names = {other.name for other in bodies if other.observed_at == body.observed_at}
    return replace(body if len(names) == 1 else _downgraded(body), observed_at=instant)


def _with_repeated_instant(body: RawBody, state: StageState) -> RawBody:
    """A complete file of a killed run, as this run's fetch makes it count.

    United with other complete files of this run it would be served with what they lack. What the file itself lacks may
    be in one that the killed run did not get to fetch.
    """
    at = state.run_instants[state.batch]
    if body.scope != Scope.FULL or not _is_of_killed_run(body, state):
        return body
    if any(body.observed_at < other.observed_at < at for other in state.bodies):
        return body
    if any((one["name"], one["sha256"]) == (body.name, body.sha256) for one in state.unchanged):
        return replace(body, observed_at=at)
    own = (one for one in state.pending if one.batch == state.batch)
    return _downgraded(body) if any(one.scope == Scope.FULL and one.observed_at == at for one in own) else body


def _downgraded(body: RawBody) -> RawBody:
    return replace(body, scope=Scope.PART) if body.scope == Scope.FULL else body


def _find_unchanged(state: StageState, bodies: Iterable[RawBody]) -> list[UnchangedBody]:
    """Bodies that belong to the full snapshots among these, but are not parsed again.

    Without them, a full snapshot of several files would delete their records as absent.
    """
    full = {body.observed_at for body in bodies if body.scope == Scope.FULL}
    wanted = {
        (body["name"], body["sha256"]): instant
        for body in state.unchanged
        if (instant := datetime.fromisoformat(body["observed_at"])) in full
    }
    return [
        UnchangedBody(entry["name"], entry["sha256"], wanted[key], index.batch, entry["rows"])
        for index in state.indexes
        for entry in index.pieces
        if (key := (entry["name"], entry["sha256"])) in wanted
    ]


def downgrade_incomplete(
    dataset: Dataset, bodies: Sequence[RawBody], unchanged: Iterable[UnchangedBody]
) -> list[RawBody]:
    """The bodies, downgraded to partial if their snapshot lacks a file (`Dataset.is_whole`)."""
    is_whole = dataset.is_complete_set
    if is_whole is None:
        return list(bodies)
    names: dict[datetime, set[str]] = {}
    for body in (*(body for body in bodies if body.scope == Scope.FULL), *unchanged):
        names.setdefault(body.observed_at, set()).add(body.name)
    whole = {instant for instant, found in names.items() if is_whole(found)}
    return [body if body.observed_at in whole else _downgraded(body) for body in bodies]


def _next_cursor(state: StageState, bodies: Sequence[RawBody]) -> str | None:
    """A cursor that moved without new bytes counts too, or the feed would be read again for ever."""
    stored = [index.cursor for index in state.indexes if index.cursor is not None]
    if state.cursor and (state.is_cursor_taken_back or state.cursor not in stored[-1:]):
        return state.cursor
    return next((body.cursor for body in reversed(bodies) if body.cursor), None)


def deliver_same_records(one: Dataset, other: Dataset) -> bool:
    """True if two datasets are channels of the same records: what one states is newer or older than the other."""
    return not one.staged_tables.keys().isdisjoint(other.staged_tables)


def base_archive(
    body: RawBody, bodies: Sequence[RawBody], indexes: Iterable[StagedIndex]
) -> tuple[RawBody, StagedIndex] | None:
    """The newest parsed archive of a body's name, and the batch that parsed it; `bodies` as RAW orders them."""
    parsed = {
        entry["sha256"]: index
        for index in indexes
        for entry in index.pieces
        if entry["name"] == body.name and entry["rejected"] is None and index.held is None
    }
    earlier = [one for one in bodies if one.name == body.name and one.batch != body.batch]
    base = next((one for one in reversed(earlier) if one.sha256 in parsed), None)
    return None if base is None else (base, parsed[base.sha256])


def _plan_comparisons(
    state: StageState, dataset: Dataset, bodies: Sequence[RawBody]
) -> dict[str, tuple[PreviousArchive, IncrementalArchive]]:
    """By SHA-256, the archives that need not be parsed in full, each with its base.

    Parsed in full: complete snapshots, whose absent records are deleted; late-arriving or reissued archives, those
    after a quarantined batch, the second archive of one name in one run, and every archive once `reread_interval` has
    passed since the last full parse.
    """
    first = {body.name: body for body in reversed(bodies)}
    found: dict[str, tuple[PreviousArchive, IncrementalArchive]] = {}
    for body in first.values():
        pair = base_archive(body, state.bodies, state.indexes) if body.sha256 in state.comparable else None
        if pair is None or body.replaces is not None or body.scope == Scope.FULL:
            continue
        base, index = pair
        quarantined = any(other.held is not None and other.batch > index.batch for other in state.indexes)
        archive = _incremental_archive(body, base, index)
        is_recent = (
            dataset.reread_interval is not None and body.observed_at - archive.whole_at < dataset.reread_interval
        )
        if base.observed_at < body.observed_at and is_recent and not quarantined:
            since = (one for one in state.sharing if one.observed_at >= base.observed_at)
            names = frozenset(one.name for one in since if one.name != body.name)
            found[body.sha256] = PreviousArchive(base.open, names), archive
    return found


def _incremental_archive(body: RawBody, base: RawBody, index: StagedIndex) -> IncrementalArchive:
    """What is recorded of an archive that repeats rows of its base, which `index` parsed."""
    former = next((one for one in incremental_archives(index) if one.sha256 == base.sha256), None)
    rows = sum(entry["rows"] for entry in index.pieces if entry["sha256"] == base.sha256)
    return IncrementalArchive(
        body.sha256,
        body.observed_at,
        (*(former.on if former else ()), base.sha256),
        former.whole_at if former else base.observed_at,
        (former.rows if former else 0) + rows,
    )
