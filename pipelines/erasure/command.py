"""`firm erase`: locks, the subjects' markets, every step, and a release without the subjects.

Does not belong here: the steps (`market`), the control plane and printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack

from connectors.contract.dataset import Jurisdiction
from pipelines.erasure import release
from pipelines.erasure.create_tombstones import ErasureRequest, create_tombstones
from pipelines.erasure.market import UnknownSubjectError
from pipelines.runtime import crash_recovery
from pipelines.settings import IngestSettings
from pipelines.workspace import ProgressCallback, Workspace, WorkspaceOverrides, ignore_progress
from warehouse.erasure import history
from warehouse.erasure.tombstones import Tombstone, TombstoneStore
from warehouse.schema import identifiers


def erase(
    settings: IngestSettings,
    subjects: Collection[str],
    reason: str,
    progress: ProgressCallback = ignore_progress,
    overrides: WorkspaceOverrides | None = None,
) -> tuple[Tombstone, ...]:
    """Erases subjects from everything but the control plane, and completes erasures that were interrupted.

    Raises UnknownSubjectError before anything is done if a subject is unknown; ReleaseInUseError at the end.
    """
    overrides = overrides or WorkspaceOverrides()
    workspace = overrides.workspace(settings, progress)
    known = workspace.jurisdictions
    stones = TombstoneStore(workspace.layout)
    by_market = _subjects_by_market(workspace, subjects, known)
    markets = sorted(by_market.keys() | {stone.market for stone in stones.unfinished_tombstones()})
    with ExitStack() as stack:
        for market in markets:
            stack.enter_context(workspace.market_lease.hold_lease(market))
        stack.callback(workspace.close)
        for market in markets:
            crash_recovery.discard_partial_rebuild(workspace.layout, market)  # it may contain the subjects too
        for told in crash_recovery.recover_releases(workspace.release_store):
            progress(told)
        at = workspace.clock()
        for market, found in by_market.items():
            companies = [subject for subject in found if _is_company(subject)]
            held = [subject for subject in found if not _is_company(subject)]
            create_tombstones(workspace, ErasureRequest(market, reason, at, companies, held))
        for market in markets:
            release.republish_market(workspace, market, at)
    return stones.list_tombstones()


def _is_company(subject: str) -> bool:
    return subject.startswith(f"{identifiers.PREFIX}:")


def _subjects_by_market(
    workspace: Workspace, subjects: Collection[str], known: Sequence[Jurisdiction]
) -> dict[str, list[str]]:
    """Subjects by market, as spelled in their ids. Raises UnknownSubjectError if a subject has none."""
    found: dict[str, list[str]] = {}
    for subject in dict.fromkeys(subjects):
        market, told = _locate_subject(workspace, subject, known)
        found.setdefault(market, []).append(told)
    return found


def _locate_subject(workspace: Workspace, subject: str, known: Sequence[Jurisdiction]) -> tuple[str, str]:
    layout = workspace.layout
    for stone in TombstoneStore(layout).list_tombstones():
        if stone.subject == subject:
            return stone.market, subject
    number = identifiers.parse_company_number(subject)
    if number is not None:
        if history.is_company_known(layout, number.market, number.company_id):
            return number.market, number.company_id
        raise UnknownSubjectError(subject)
    for market in (made.code for made in known):
        if history.find_holders(layout, market, [subject], ()):
            return market, subject
    raise UnknownSubjectError(subject)
