"""`firm erase`: locks, the subjects' markets, every step, and a release without the subjects.

Does not belong here: the steps (`erasing`), the control plane and printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from datetime import datetime

from connectors.declare import Jurisdiction
from pipelines import healing
from pipelines.entombing import Subjects, entombed
from pipelines.erasing import Erasing, Unknown
from pipelines.resources import Overrides, Tell, Workspace, silent
from pipelines.settings import Settings
from pipelines.stages import release
from warehouse import erasing_history
from warehouse.schema import identifiers
from warehouse.tombstones import Tombstone, Tombstones


def erase(
    settings: Settings,
    subjects: Collection[str],
    reason: str,
    progress: Tell = silent,
    overrides: Overrides | None = None,
) -> tuple[Tombstone, ...]:
    """Erases subjects from everything but the control plane, and completes erasures that were interrupted.

    Raises Unknown before anything is done if a subject is unknown; StillRead at the end.
    """
    overrides = overrides or Overrides()
    workspace = overrides.workspace(settings, progress)
    known = workspace.jurisdictions
    stones = Tombstones(workspace.layout)
    by_market = _by_market(workspace, subjects, known)
    markets = sorted(by_market.keys() | {stone.market for stone in stones.unfinished()})
    with ExitStack() as stack:
        for market in markets:
            stack.enter_context(workspace.custody.held(market))
        stack.callback(workspace.close)
        for market in markets:
            healing.discard_rebuilt(workspace.layout, market)  # it may contain the subjects too
        for told in healing.heal_releases(workspace.releases):
            progress(told)
        at = workspace.clock()
        for market, found in by_market.items():
            companies = [subject for subject in found if _is_company(subject)]
            held = [subject for subject in found if not _is_company(subject)]
            entombed(workspace, Subjects(market, reason, at, companies, held))
        for market in markets:
            _market(workspace, market, at)
    return stones.all()


def _market(workspace: Workspace, market: str, at: datetime) -> None:
    erasing = Erasing(workspace, workspace.jurisdiction(market))
    if erasing.due(at):
        number = release.reissue(workspace, [market])
        workspace.tell(
            f"{market}: nothing was published" if number is None else f"{market}: release {number}"
        )
    erasing.published()


def _is_company(subject: str) -> bool:
    return subject.startswith(f"{identifiers.PREFIX}:")


def _by_market(
    workspace: Workspace, subjects: Collection[str], known: Sequence[Jurisdiction]
) -> dict[str, list[str]]:
    """Subjects by market, as spelled in their ids. Raises Unknown if a subject has none."""
    found: dict[str, list[str]] = {}
    for subject in dict.fromkeys(subjects):
        market, told = _place(workspace, subject, known)
        found.setdefault(market, []).append(told)
    return found


def _place(workspace: Workspace, subject: str, known: Sequence[Jurisdiction]) -> tuple[str, str]:
    layout = workspace.layout
    for stone in Tombstones(layout).all():
        if stone.subject == subject:
            return stone.market, subject
    number = identifiers.parse(subject)
    if number is not None:
        if erasing_history.knows(layout, number.market, number.company_id):
            return number.market, number.company_id
        raise Unknown(subject)
    for market in (made.code for made in known):
        if erasing_history.holders(layout, market, [subject], ()):
            return market, subject
    raise Unknown(subject)
