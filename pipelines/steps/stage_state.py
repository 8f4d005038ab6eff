"""Loads what the plan of a staging depends on: what has come since, and of the past what that is compared with.

What a dataset has archived and staged over the years is not read: questions go to the index of the market. Does not
belong here: the plan (`stage_plan`), and its execution (`stage`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import Scope
from connectors.kit.archive.unchanged_members import has_removed_members
from pipelines.steps.batch_figures import DAMAGED, PARTIAL_FETCH, corrupt_bodies, first_load_batches
from pipelines.steps.fetch import read_fetch_result
from pipelines.steps.stage_plan import StageState, confirmed_bodies, deliver_same_records
from pipelines.workspace import Workspace
from warehouse.raw.archive import CorruptBlobError, RawBody
from warehouse.staged.store import StagedIndex, StagedStore
from warehouse.staged.writer import MEMBER


def load_stage_state(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, batch: str) -> StageState:
    """Reads what the plan of a batch depends on."""
    store, facts = workspace.staged_store, workspace.step_results.facts
    pending = load_pending(workspace, dataset)
    fetched = read_fetch_result(workspace, dataset.key, batch)
    is_reissued = any(body.replaces is not None for body in pending)
    compared = pending if dataset.reread_interval is not None else ()
    bases = {one.sha256: found for one in compared if (found := _comparable_base(workspace, one)) is not None}
    retracted = {one for made in store.retractions(dataset.key) for one in made.batches}
    unchanged = fetched.unchanged if any(body.scope == Scope.FULL for body in pending) else ()
    named = {name for one in unchanged for name in store.batches_naming(dataset.key, one["sha256"], one["name"])}
    named |= {name for base in bases.values() for name in store.batches_naming(dataset.key, base.sha256)}
    named |= set(store.held_batches(dataset.key)) if bases else set()
    indexes = _load_indexes(store, dataset.key, {*named, *_last_batches(store, dataset.key)})
    at = facts(batch).at
    last = _last_bodies(workspace, dataset, at, is_reissued=is_reissued)
    return StageState(
        batch,
        _ordered([*last, *bases.values(), *pending]),
        indexes,
        pending,
        run_instants={name: facts(name).at for name in {batch, *(body.batch for body in pending)}},
        newest_instant=store.newest_instant(dataset.key) if is_reissued else None,
        cursor=fetched.cursor,
        is_cursor_taken_back=store.cursor(dataset.key) != _newest_cursor(indexes),
        retracted=retracted,
        confirmed=_load_confirmed(workspace, dataset, retracted),
        unchanged=fetched.unchanged,
        comparable=set(bases),
        sharing=_load_sharing(workspace, jurisdiction, dataset, bases.values()),
        accepts_violation=dataset.key in facts(batch).accept_shrink,
        # a stream begins where it is entered: it has no first load
        is_partial_fetch=fetched.is_partial and dataset.listen_stream is None,
        was_queried=fetched.asked,
    )


def load_pending(workspace: Workspace, dataset: Dataset) -> list[RawBody]:
    """Bodies to parse: those that no staged batch names, after those that were damaged when parsed and are intact now.

    A body found damaged counts as parsed until it is intact again; then it replaces itself.
    """
    unstaged = list(workspace.raw_archive.unstaged_bodies(dataset.key))
    repaired = _load_repaired(workspace, dataset, unstaged)
    hashes = {body.sha256 for body in repaired}
    return [*repaired, *(body for body in unstaged if body.sha256 not in hashes)]


def _load_repaired(workspace: Workspace, dataset: Dataset, unstaged: Iterable[RawBody]) -> list[RawBody]:
    store = workspace.staged_store
    found = _load_indexes(store, dataset.key, store.batches_with_figure(dataset.key, DAMAGED))
    damaged = {sha256 for index in found for sha256 in index.figures[DAMAGED]}
    named = {batch for sha256 in damaged for batch in store.batches_naming(dataset.key, sha256)}
    parsed = _load_indexes(store, dataset.key, {*named, *(index.batch for index in found)})
    corrupt = corrupt_bodies(parsed)
    names = {piece["name"] for index in parsed for piece in index.pieces if piece["sha256"] in corrupt}
    bodies = (body for name in names for body in workspace.raw_archive.bodies_named(dataset.key, name))
    return [
        replace(body, replaces=body.sha256)
        for body in _ordered([*bodies, *unstaged])
        if body.sha256 in corrupt and _is_intact(workspace, body)
    ]


def _load_indexes(store: StagedStore, dataset: str, batches: Iterable[str]) -> list[StagedIndex]:
    """Indexes of batches, each read once, oldest first."""
    found = (store.index(dataset, batch) for batch in sorted(set(batches)))
    return [index for index in found if index is not None]


def _ordered(bodies: Iterable[RawBody]) -> list[RawBody]:
    """Each body once, as RAW orders them."""
    found = {(one.observed_at, one.name, one.fetched_at, one.batch, one.sha256): one for one in bodies}
    return sorted(found.values(), key=lambda one: (one.observed_at, one.name, one.fetched_at))


def _last_batches(store: StagedStore, dataset: str) -> Iterator[str]:
    """The newest batch, the newest with a cursor, the newest full snapshot, and a first load that is not complete."""
    newest = store.newest_batch_in_use(dataset)
    for batch in (newest, store.newest_batch_with_cursor(dataset), store.newest_accepted_full(dataset)):
        if batch:
            yield batch
    index = store.index(dataset, newest) if newest else None
    if index is not None and index.figures.get(PARTIAL_FETCH):
        yield from first_load_batches(store.indexes(dataset))


def _last_bodies(workspace: Workspace, dataset: Dataset, at: datetime, *, is_reissued: bool) -> Iterator[RawBody]:
    """The newest body, with all of its instant if files were issued again, and the newest one before a run."""
    archive = workspace.raw_archive
    newest = next(archive.newest_bodies(dataset.key), None)
    if newest is None:
        return
    yield newest
    if is_reissued:
        instant = newest.observed_at
        yield from takewhile(lambda one: one.observed_at == instant, archive.newest_bodies(dataset.key))
    earlier = (one for one in archive.newest_bodies(dataset.key, at) if one.observed_at < at)
    yield from (one for one in [next(earlier, None)] if one is not None)


def _load_sharing(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, bases: Collection[RawBody]
) -> list[RawBody]:
    """The bodies of each dataset of the same records since the oldest of the bases; none without one."""
    since = min((base.observed_at for base in bases), default=None)
    return [
        body
        for other in jurisdiction.datasets
        if since is not None and deliver_same_records(dataset, other)
        for body in _bodies_since(workspace.raw_archive.newest_bodies(other.key), since)
    ]


def _bodies_since(newest_first: Iterable[RawBody], since: datetime) -> Iterator[RawBody]:
    return takewhile(lambda one: one.observed_at >= since, newest_first)


def _load_confirmed(workspace: Workspace, dataset: Dataset, retracted: Collection[str]) -> list[RawBody]:
    """The unchanged bodies to parse again (`confirmed_bodies`); none, and a message, if one is no longer stored."""
    archive, store, key = workspace.raw_archive, workspace.staged_store, dataset.key
    lines = _confirming_lines(workspace, dataset, retracted)
    newest = [line for line in lines if line["observed_at"] == max(one["observed_at"] for one in lines)]
    named = {batch for one in newest for batch in store.batches_naming(key, one["sha256"], one["name"])}
    instants = {datetime.fromisoformat(line["observed_at"]) for line in lines}
    named |= {batch for instant in instants for batch in store.batches_of_instant(key, instant)}
    contents = {(line["name"], line["sha256"]) for line in newest}
    bodies = [
        body
        for name in sorted({name for name, _ in contents})
        for body in reversed(list(archive.bodies_named(key, name)))
        if (name, body.sha256) in contents
    ]
    found = confirmed_bodies(bodies, lines, _load_indexes(store, key, named), retracted)
    pruned = [body.name for body in found if archive.stored_bytes(body) is None]
    if pruned:
        workspace.report_progress(
            f"{dataset.key}: {pruned[0]} was found unchanged at {found[0].observed_at:%Y-%m-%d %H:%M:%S} UTC, but is "
            "no longer stored: an older complete file counts as the newest until it is fetched again"
        )
    return [] if pruned else found


def _confirming_lines(workspace: Workspace, dataset: Dataset, retracted: Collection[str]) -> list[dict[str, Any]]:
    """Lines of complete fetches that decide whether unchanged bodies are parsed again, oldest first.

    None in most runs: the newest fetch brought something new, or found what the last one with something new had. Else
    those of all complete fetches.
    """
    found = (line for line in workspace.raw_archive.complete_lines(dataset.key) if line["batch"] not in retracted)
    newest: dict[str, str] = {}
    for instant, group in groupby(found, itemgetter("observed_at")):
        lines = list(group)
        contents = {line["name"]: line["sha256"] for line in lines}
        is_first, newest = not newest, newest or contents
        if any(line["new"] for line in lines) or workspace.staged_store.batches_of_instant(
            dataset.key, datetime.fromisoformat(instant)
        ):
            if is_first or newest.items() <= contents.items():
                return []
            return sorted(workspace.raw_archive.complete_lines(dataset.key), key=itemgetter("observed_at"))
    return []


def _newest_cursor(indexes: Sequence[StagedIndex]) -> str | None:
    return next((index.cursor for index in reversed(indexes) if index.cursor is not None), None)


def _is_intact(workspace: Workspace, body: RawBody) -> bool:
    try:
        workspace.raw_archive.verify_body(body)
    except CorruptBlobError:
        return False
    return True


def _comparable_base(workspace: Workspace, body: RawBody) -> RawBody | None:
    """The newest parsed archive of a body's name, if the body can be compared with it: it is stored and undamaged.

    Nor may a member of the base be unparsed, as it may be readable later and would otherwise stay unparsed, or be
    missing in the new archive: its rows stay on the base.
    """
    store, archive = workspace.staged_store, workspace.raw_archive
    for base in archive.bodies_named(body.dataset, body.name):
        parsed = _load_indexes(store, base.dataset, store.batches_naming(base.dataset, base.sha256))
        if base.batch == body.batch or not any(_has_parsed(index, base) for index in parsed):
            continue
        if archive.stored_bytes(base) is None or base.sha256 in corrupt_bodies(parsed):
            return None
        if any(_has_unread_members(workspace, base, index) for index in parsed):
            return None
        try:
            is_comparable = _is_intact(workspace, base) and not has_removed_members(body.open, base.open)
        except CorruptBlobError:  # the new archive: reported when it is parsed
            return None
        return base if is_comparable else None
    return None


def _has_parsed(index: StagedIndex, body: RawBody) -> bool:
    return index.held is None and any(
        (piece["name"], piece["sha256"]) == (body.name, body.sha256) and piece["rejected"] is None
        for piece in index.pieces
    )


def _has_unread_members(workspace: Workspace, body: RawBody, index: StagedIndex) -> bool:
    rejects = workspace.staged_store.rejects(index.dataset, index.batch)
    members = rejects.filter(pl.col("table") == MEMBER, pl.col("raw").str.starts_with(body.sha256))
    return not members.is_empty()
