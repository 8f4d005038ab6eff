"""Creates tombstones of subjects to erase, with the hashed traces that keep them out from then on.

Does not belong here: the tombstones themselves (`warehouse.tombstones`), or deleting anything (`erasing`).
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
    """Subjects to erase in one market, and why. by_register: the register itself removed the companies' content."""

    market: str
    reason: str
    at: datetime
    companies: Collection[str] = ()
    holders: Collection[str] = ()
    by_register: bool = False


def entombed(workspace: Workspace, subjects: Subjects) -> tuple[Tombstone, ...]:
    """Creates tombstones of subjects, and of companies as holders of others: nothing brings them back.

    A subject that already has a tombstone gets the traces known by now added to it, and is erased again.
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
    """The texts of a holder's records; for a company its bare number, as registers do not know our ids."""
    return {text.rpartition(":")[2] if text.startswith("firm:") else text for text in holder.texts}


def _led(workspace: Workspace, market: str, companies: Collection[str]) -> dict[str, set[str]]:
    """Link keys that lead to each company and to no other: without them, later rows would still name it."""
    found: dict[str, set[str]] = {company: set() for company in companies}
    for link in workspace.jurisdiction(market).links if companies else ():
        keys = erasing_history.alone(
            workspace.layout, market, link.through, column(link.through_key), companies
        )
        for company, value in keys:
            found[company].add(link_text(link, value))
    return found
