"""Whom to erase: tombstones of subjects, with the traces that keep them out from then on.

Does not belong here: the tombstones themselves (`warehouse.tombstones`), or taking anything away (`erasing`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from pipelines.refused import column, link_text
from pipelines.resources import Workspace
from warehouse import erasing_history
from warehouse.erasing_history import Holder
from warehouse.tombstones import Tombstone, Tombstones


@dataclass(frozen=True)
class Subjects:
    """Whom to erase of one market, and why. by_register: the register took the companies' content away itself."""

    market: str
    reason: str
    at: datetime
    companies: Collection[str] = ()
    holders: Collection[str] = ()
    by_register: bool = False


def entombed(workspace: Workspace, subjects: Subjects) -> tuple[Tombstone, ...]:
    """Sets tombstones of subjects, and of companies as holders of others: nothing brings them back.

    One that has a tombstone gets what is known of it by now added to that, and is erased again.
    """
    market = subjects.market
    tombstones = Tombstones(workspace.layout)
    known = {stone.subject: stone for stone in tombstones.all(market)}
    held = erasing_history.holders(workspace.layout, market, subjects.holders, subjects.companies)
    told = _led(workspace, market, subjects.companies) | {one.subject: spelled(one) for one in held}
    whose = {one: known[one].company_id for one in subjects.holders if one in known}
    whose |= {one: one for one in subjects.companies} | {one.subject: one.company_id for one in held}
    stones: list[Tombstone] = []
    for subject, company in sorted(whose.items()):
        by_register = subjects.by_register and subject == company
        fresh = Tombstone(subject, market, company, subjects.at, subjects.reason, by_register)
        stone = known.get(subject, fresh)
        stones.append(replace(stone, traces=tuple(sorted(map(stone.trace, told.get(subject, ()))))))
    return tombstones.add(stones)


def spelled(holder: Holder) -> set[str]:
    """The texts of a holder's records; of a company its number, as registers know no id of ours."""
    return {text.rpartition(":")[2] if text.startswith("firm:") else text for text in holder.texts}


def _led(workspace: Workspace, market: str, companies: Collection[str]) -> dict[str, set[str]]:
    """What links lead to each company by, where to nobody else: rows that come later would go on naming it."""
    found: dict[str, set[str]] = {company: set() for company in companies}
    for link in workspace.jurisdiction(market).links if companies else ():
        keys = erasing_history.alone(
            workspace.layout, market, link.through, column(link.through_key), companies
        )
        for company, value in keys:
            found[company].add(link_text(link, value))
    return found
