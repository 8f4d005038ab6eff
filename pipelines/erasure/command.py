"""`firm erase`, and releases without erased subjects: the erasure's steps before a release, and those after it.

Does not belong here: the steps (`market`), what a release contains (`steps.publish`), the control plane and
printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING

from pipelines.erasure.create_tombstones import ErasureRequest, create_tombstones
from pipelines.erasure.market import MarketErasure, ReleaseInUseError, UnknownSubjectError
from pipelines.runtime import crash_recovery
from pipelines.steps import publish
from pipelines.steps.publish import PublishResult
from pipelines.workspace import ProgressCallback, Workspace, WorkspaceOverrides, ignore_progress
from warehouse.erasure import history
from warehouse.erasure.event_redaction import RULES
from warehouse.erasure.tombstones import Tombstone, TombstoneStore
from warehouse.schema import identifiers

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


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
    stones = TombstoneStore(workspace.layout)
    by_market = _subjects_by_market(workspace, subjects)
    unfinished = (stone for stone in stones.list_tombstones() if not stone.is_finished or stone.rules != RULES)
    markets = sorted(by_market.keys() | {stone.market for stone in unfinished})
    with ExitStack() as stack:
        for market in markets:
            stack.enter_context(workspace.market_lease.hold_lease(market))
        stack.callback(workspace.close)
        for market in markets:
            # it may contain the subjects too
            crash_recovery.discard_partial_rebuild(workspace.layout, market)
        for told in crash_recovery.recover_releases(workspace.release_store):
            progress(told)
        at = workspace.clock()
        for market, found in by_market.items():
            companies = [subject for subject in found if _is_company(subject)]
            held = [subject for subject in found if not _is_company(subject)]
            create_tombstones(workspace, ErasureRequest(market, reason, at, companies, held))
        for market in markets:
            republish_market(workspace, market, at)
    return stones.list_tombstones()


class NotErasedError(LookupError):
    """A subject without a tombstone in force."""

    def __init__(self, subject: str) -> None:
        super().__init__(f"{subject} is not erased: `firm erase --list` shows erased subjects")


class UnfinishedErasureError(RuntimeError):
    """An erasure that cannot be lifted, as its steps are not all done."""

    def __init__(self, subject: str) -> None:
        super().__init__(f"the erasure of {subject} is not finished: run `firm erase` first, then lift it")


def lift(
    settings: IngestSettings, subjects: Collection[str], reason: str, overrides: WorkspaceOverrides | None = None
) -> tuple[Tombstone, ...]:
    """Accepts records of erased subjects again, from their next delivery on; returns the lifted tombstones.

    Of a company, also those that were created with it for its holdings in others. What was erased stays erased.
    Raises NotErasedError or UnfinishedErasureError before anything is done.
    """
    workspace = (overrides or WorkspaceOverrides()).workspace(settings, ignore_progress)
    stones = TombstoneStore(workspace.layout)
    with ExitStack() as stack:
        for market in sorted({stone.market for stone in _tombstones_to_lift(stones, subjects)}):
            stack.enter_context(workspace.market_lease.hold_lease(market))
        stack.callback(workspace.close)
        # read again: another machine may have written them before the lease was held
        found = _tombstones_to_lift(stones, subjects)
        return stones.lift([stone.subject for stone in found], workspace.clock(), reason)


def _tombstones_to_lift(stones: TombstoneStore, subjects: Collection[str]) -> list[Tombstone]:
    known = {stone.subject: stone for stone in stones.list_tombstones()}
    for subject in subjects:
        if subject not in known:
            raise NotErasedError(subject)
    chosen = [known[subject] for subject in dict.fromkeys(subjects)]
    companies = [stone for stone in chosen if stone.is_company]
    held = [stone for stone in known.values() if any(_is_same_company(company, stone) for company in companies)]
    found = list({stone.subject: stone for stone in (*chosen, *held)}.values())
    for stone in found:
        if not stone.is_finished:
            raise UnfinishedErasureError(stone.subject)
    return found


def _is_same_company(company: Tombstone, holder: Tombstone) -> bool:
    """True if a holder's tombstone was created for the holdings of this company."""
    number = company.subject.rpartition(":")[2]
    return not holder.is_company and holder.at == company.at and holder.trace(number) in holder.traces


def _is_company(subject: str) -> bool:
    return subject.startswith(f"{identifiers.PREFIX}:")


def _subjects_by_market(workspace: Workspace, subjects: Collection[str]) -> dict[str, list[str]]:
    """Subjects by market, as spelled in their ids. Raises UnknownSubjectError if a subject has none."""
    found: dict[str, list[str]] = {}
    for subject in dict.fromkeys(subjects):
        market, told = _locate_subject(workspace, subject)
        found.setdefault(market, []).append(told)
    return found


def _locate_subject(workspace: Workspace, subject: str) -> tuple[str, str]:
    layout = workspace.layout
    for stone in TombstoneStore(layout).all_tombstones():
        if stone.subject == subject:
            return stone.market, subject
    number = identifiers.parse_company_number(subject)
    if number is not None:
        if history.is_company_known(layout, number.market, number.company_id):
            return number.market, number.company_id
        raise UnknownSubjectError(subject)
    for made in workspace.jurisdictions:
        if history.find_holders(layout, made.code, [subject], ()):
            return made.code, subject
    raise UnknownSubjectError(subject)


def publish_run(workspace: Workspace, markets: Iterable[str], batch: str) -> PublishResult:
    """Publishes the markets of a run, in full where a subject was erased since the last release.

    What older releases contain of subjects is deleted; if one is still being read, by a later run.
    """
    at = workspace.step_results.facts(batch).at
    erasures = {market: MarketErasure(workspace, workspace.jurisdiction(market)) for market in sorted(markets)}
    erased = [market for market, erasure in erasures.items() if erasure.erase_before_release(at)]
    result = publish.publish(workspace, erasures, batch, erased)
    for erasure in erasures.values():
        try:
            erasure.erase_after_release()
        except ReleaseInUseError as error:
            workspace.report_progress(str(error))
    return result


def republish_market(workspace: Workspace, market: str, at: datetime) -> None:
    """Completes the erasures of a market with a release of its current history. Raises ReleaseInUseError."""
    erasure = MarketErasure(workspace, workspace.jurisdiction(market))
    if erasure.erase_before_release(at):
        number = publish.republish_markets(workspace, [market])
        workspace.report_progress(
            f"{market}: nothing was published" if number is None else f"{market}: release {number}"
        )
    erasure.erase_after_release()
