"""The state of a staging computed from all that was ever archived and staged: what the index answers must equal it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.kit.archive.unchanged_members import has_removed_members
from pipelines.steps.batch_figures import corrupt_bodies
from pipelines.steps.fetch import read_fetch_result
from pipelines.steps.stage_plan import StageState, base_archive, confirmed_bodies, deliver_same_records
from pipelines.workspace import Workspace
from warehouse.raw.archive import CorruptBlobError, RawBody
from warehouse.staged.store import StagedIndex
from warehouse.staged.writer import MEMBER


def whole_state(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, batch: str) -> StageState:
    """The state of `load_stage_state` with all bodies and batches in it."""
    bodies, indexes, pending = _load_pending(workspace, dataset)
    fetched = read_fetch_result(workspace, dataset.key, batch)
    facts = workspace.step_results.facts
    is_reissued = any(body.replaces is not None for body in pending)
    compared = pending if dataset.reread_interval is not None else ()
    retracted = {one for made in workspace.staged_store.retractions(dataset.key) for one in made.batches}
    sharing = (other for other in jurisdiction.datasets if deliver_same_records(dataset, other))
    return StageState(
        batch,
        bodies,
        indexes,
        pending,
        run_instants={name: facts(name).at for name in {batch, *(body.batch for body in pending)}},
        newest_instant=_newest_instant(indexes) if is_reissued else None,
        cursor=fetched.cursor,
        is_cursor_taken_back=workspace.staged_store.cursor(dataset.key) != _newest_cursor(indexes),
        retracted=retracted,
        confirmed=_load_confirmed(workspace, dataset, bodies, indexes, retracted),
        unchanged=fetched.unchanged,
        comparable={one.sha256 for one in compared if _is_comparable(workspace, one, bodies, indexes)},
        sharing=[one for other in sharing for one in workspace.raw_archive.bodies(other.key)] if compared else (),
        accepts_violation=dataset.key in facts(batch).accept_shrink,
        # a stream begins where it is entered: it has no first load
        is_partial_fetch=fetched.is_partial and dataset.listen_stream is None,
        was_queried=fetched.asked,
    )


def _load_pending(workspace: Workspace, dataset: Dataset) -> tuple[list[RawBody], list[StagedIndex], list[RawBody]]:
    """Bodies, staged batches, and the pending ones of the bodies.

    A body found damaged counts as parsed until it is intact again.
    """
    bodies = list(workspace.raw_archive.bodies(dataset.key))
    indexes = list(workspace.staged_store.indexes(dataset.key))
    corrupt = corrupt_bodies(indexes)
    repaired = {body.sha256 for body in bodies if body.sha256 in corrupt and _is_intact(workspace, body)}
    return bodies, indexes, pending_bodies(bodies, indexes, repaired)


def _load_confirmed(
    workspace: Workspace,
    dataset: Dataset,
    bodies: Sequence[RawBody],
    indexes: Sequence[StagedIndex],
    retracted: Collection[str],
) -> list[RawBody]:
    """The unchanged bodies to parse again (`confirmed_bodies`); none, and a message, if one is no longer stored."""
    found = confirmed_bodies(bodies, workspace.raw_archive.manifest_lines(dataset.key), indexes, retracted)
    pruned = [body.name for body in found if workspace.raw_archive.stored_bytes(body) is None]
    if pruned:
        workspace.report_progress(
            f"{dataset.key}: {pruned[0]} was found unchanged at {found[0].observed_at:%Y-%m-%d %H:%M:%S} UTC, but is "
            "no longer stored: an older complete file counts as the newest until it is fetched again"
        )
    return [] if pruned else found


def _newest_cursor(indexes: Sequence[StagedIndex]) -> str | None:
    return next((index.cursor for index in reversed(indexes) if index.cursor is not None), None)


def _is_intact(workspace: Workspace, body: RawBody) -> bool:
    try:
        workspace.raw_archive.verify_body(body)
    except CorruptBlobError:
        return False
    return True


def _newest_instant(indexes: Sequence[StagedIndex]) -> datetime | None:
    """The newest instant of anything staged."""
    return max((index.newest_instant for index in indexes if index.newest_instant is not None), default=None)


def _is_comparable(
    workspace: Workspace, body: RawBody, bodies: Sequence[RawBody], indexes: Sequence[StagedIndex]
) -> bool:
    """True if an archive can be compared with its base, which must be stored and undamaged.

    Nor may a member of the base be unparsed, as it may be readable later and would otherwise stay unparsed, or be
    missing in the new archive: its rows stay on the base.
    """
    base, _ = base_archive(body, bodies, indexes) or (None, None)
    if base is None or workspace.raw_archive.stored_bytes(base) is None or base.sha256 in corrupt_bodies(indexes):
        return False
    if any(_has_unread_members(workspace, base, index) for index in indexes):
        return False
    try:
        return _is_intact(workspace, base) and not has_removed_members(body.open, base.open)
    except CorruptBlobError:  # the new archive: reported when it is parsed
        return False


def _has_unread_members(workspace: Workspace, body: RawBody, index: StagedIndex) -> bool:
    if all(entry["sha256"] != body.sha256 for entry in index.pieces):
        return False
    rejects = workspace.staged_store.rejects(index.dataset, index.batch)
    members = rejects.filter(pl.col("table") == MEMBER, pl.col("raw").str.starts_with(body.sha256))
    return not members.is_empty()


def pending_bodies(
    bodies: Sequence[RawBody], indexes: Iterable[StagedIndex], repaired: Collection[str] = ()
) -> list[RawBody]:
    """Bodies that RAW holds and no staged batch (oldest first) names: of this run, and of killed ones before.

    A batch names a body by name and bytes, if the body was fetched by its run or before. A body equal to a named
    one in name, bytes and instant is left out: a folder may hold two vintages under one name, and be ingested
    again. One that replaces another body of the same instant is included, even if it is the original body again; so
    is one that was damaged when parsed and is intact again (`repaired`, by SHA-256): it replaces itself.
    """
    named = {(entry["name"], entry["sha256"]): index.batch for index in indexes for entry in index.pieces}

    def is_named(body: RawBody) -> bool:
        return body.batch <= named.get((body.name, body.sha256), "")

    unnamed = [body for body in bodies if not is_named(body) and body.sha256 not in repaired]
    names = {body.name for body in unnamed}
    read = {_body_identity(body) for body in bodies if body.name in names and is_named(body)}
    again = [replace(body, replaces=body.sha256) for body in bodies if body.sha256 in repaired]
    return again + [body for body in unnamed if body.replaces is not None or _body_identity(body) not in read]


def _body_identity(body: RawBody) -> tuple[str, str, datetime]:
    return body.name, body.sha256, body.observed_at
