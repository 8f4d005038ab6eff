"""Creates tombstones of subjects to erase, with the hashed traces that keep them out from then on.

Does not belong here: the tombstones themselves (`warehouse.erasure.tombstones`), or deleting anything (`market`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from pipelines.steps.link_companies import key_column
from pipelines.steps.suppression import link_text
from pipelines.workspace import Workspace
from warehouse.erasure import history
from warehouse.erasure.event_redaction import RULES
from warehouse.erasure.history import KnownHolder
from warehouse.erasure.tombstones import Tombstone, TombstoneStore


@dataclass(frozen=True)
class ErasureRequest:
    """Subjects to erase in one market, and why. is_by_register: the register itself removed the companies' content."""

    market: str
    reason: str
    at: datetime
    companies: Collection[str] = ()
    holders: Collection[str] = ()
    is_by_register: bool = False


def create_tombstones(workspace: Workspace, subjects: ErasureRequest) -> tuple[Tombstone, ...]:
    """Creates tombstones of subjects, and of companies as holders of others: nothing brings them back.

    A subject that already has a tombstone gets the traces known by now added to it, and is erased again.
    """
    market = subjects.market
    tombstones = TombstoneStore(workspace.layout)
    known = {stone.subject: stone for stone in tombstones.all_tombstones(market)}
    held = history.find_holders(workspace.layout, market, subjects.holders, subjects.companies)
    told = _linking_texts(workspace, market, subjects.companies)
    for company, name in history.company_names(workspace.layout, market, subjects.companies):
        told[company].add(name)  # by which free texts are found (`warehouse.erasure.free_texts`)
    told |= {one.subject: holder_trace_texts(one) for one in held}
    whose = {one: known[one].company_id for one in subjects.holders if one in known}
    whose |= {one: one for one in subjects.companies} | {one.subject: one.company_id for one in held}
    stones: list[Tombstone] = []
    for subject, company in sorted(whose.items()):
        by_register = subjects.is_by_register and subject == company
        fresh = Tombstone(subject, market, company, subjects.at, subjects.reason, by_register, rules=RULES)
        stone = _tombstone_in_force(known.get(subject), fresh)
        traces = {*stone.traces, *map(stone.trace, told.get(subject, ()))}
        stones.append(replace(stone, traces=tuple(sorted(traces))))
    return tombstones.add(stones)


def _tombstone_in_force(former: Tombstone | None, fresh: Tombstone) -> Tombstone:
    """The tombstone to store: the former one; if that was lifted, a fresh one with its traces."""
    if former is None:
        return fresh
    if former.lifted_at is None:
        return replace(former, rules=fresh.rules)
    return replace(fresh, salt=former.salt, traces=former.traces)


def holder_trace_texts(holder: KnownHolder) -> set[str]:
    """The texts of a holder's records; for a company its bare number, as registers do not know our ids."""
    return {text.rpartition(":")[2] if text.startswith("firm:") else text for text in holder.texts}


def _linking_texts(workspace: Workspace, market: str, companies: Collection[str]) -> dict[str, set[str]]:
    """Link keys that lead to each company and to no other: without them, later rows would still name it."""
    found: dict[str, set[str]] = {company: set() for company in companies}
    for link in workspace.jurisdiction(market).links if companies else ():
        keys = history.unshared_values(workspace.layout, market, link.through, key_column(link.through_key), companies)
        for company, value in keys:
            found[company].add(link_text(link, value))
    return found
