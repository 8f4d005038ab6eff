"""Selects the tag that gives a figure for one span of a filing: chains by filer type (docs/formats/us.md 12.3).

A total comes before its parts, a bank's revenue is net of interest, and figures that a filer type lacks stay
null. Does not belong here: which filing counts (`facts_versions`), or figures derived from two spans
(`quarters`).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from connectors.us import facts_tags as tags
from connectors.us.facts_model import Facts

_BANK_SIGNS: Final = frozenset(tags.BANK_SIGNS)
_REVENUE_TAGS: Final = frozenset((*tags.TOTALS, *tags.PARTS))
_SEVERAL: Final = 2
_SUM: Final = "sum"


class Filer(Enum):
    """Kinds of filers that report revenue under different tags."""

    COMMERCIAL = "commercial"
    BANK = "bank"
    INSURER = "insurer"
    REAL_ESTATE = "real estate"


class Figure(NamedTuple):
    """One figure of a filing: its scope or rank in the chain, its tags, and whether it was computed."""

    amount: int
    rank: int
    tags: frozenset[str]
    computed: bool = False


def filer_of(present: Iterable[str]) -> Filer:
    """The kind of filer, inferred from all tags used in one filing."""
    found = frozenset(present)
    is_trader = not found.isdisjoint(tags.TRADE_SIGNS) and not found.issuperset(tags.BANK_PARTS)
    if len(found & _BANK_SIGNS) >= _SEVERAL and not is_trader:
        return Filer.BANK
    if found.intersection(tags.INSURER_SIGNS):
        return Filer.INSURER
    if tags.PROPERTY in found and found.intersection(tags.REAL_ESTATE):
        return Filer.REAL_ESTATE
    return Filer.COMMERCIAL


def first(facts: Facts, chain: tuple[str, ...]) -> Figure | None:
    """The first tag of a chain that has an amount."""
    for rank, tag in enumerate(chain):
        if tag in facts:
            return Figure(facts[tag], tags.SCOPES.get(tag, rank), frozenset((tag,)))
    return None


def revenue(facts: Facts, filer: Filer) -> Figure | None:
    """Revenue by filer type; null where only a part of it is tagged."""
    found = _REVENUE[filer](facts)
    return _ifrs(facts) if found is None else found


def operating_result(facts: Facts, filer: Filer) -> Figure | None:
    """Operating result as filed; else income less costs, only for commercial filers (banks, insurers have none)."""
    found = first(facts, tags.OPERATING)
    if found is not None or filer in (Filer.BANK, Filer.INSURER):
        return found
    amount = _difference(facts)
    pretax = {facts[tag] for tag in tags.PRETAX if tag in facts}
    if amount is None or amount in pretax:  # costs that include interest lead to the result before tax
        return None
    return Figure(amount, len(tags.OPERATING), frozenset((_SUM,)), computed=True)


def _difference(facts: Facts) -> int | None:
    income = [facts[tag] for tag in tags.TOTALS if tag in facts]
    if income and tags.COSTS in facts:
        return max(income) - facts[tags.COSTS]
    if tags.GROSS in facts and tags.EXPENSES in facts:
        return facts[tags.GROSS] - facts[tags.EXPENSES]
    return None


def _stated(facts: Facts, amount: int, rank: int) -> Figure:
    """A figure under every revenue tag that states the same amount: two periods may share only one of them."""
    same = [tag for tag, stated in facts.items() if stated == amount and tag in _REVENUE_TAGS]
    if tags.BANK_PARTS[0] in facts and _sum(facts, tags.BANK_PARTS) == amount:
        same.append(_SUM)
    return Figure(amount, rank, frozenset(same))


def _commercial(facts: Facts) -> Figure | None:
    totals = [facts[tag] for tag in tags.TOTALS if tag in facts]
    if totals:
        wholes = [facts[tag] for tag in tags.WHOLES if tag in facts]
        return _stated(facts, max(totals + wholes), 0)
    return _chained(facts, tags.PARTS)


def _real_estate(facts: Facts) -> Figure | None:
    return _chained(facts, ("Revenues", *tags.REAL_ESTATE)) or _commercial(facts)


def _bank(facts: Facts) -> Figure | None:
    """A bank's total revenue, unless it is a fragment: less than one of its parts with neither negative."""
    found, whole = _chained(facts, tags.BANK_TOTALS), _sum(facts, tags.BANK_PARTS)
    if found is None or whole is None:
        return found or _computed(whole)
    parts = [facts[tag] for tag in tags.BANK_PARTS]
    return _computed(whole) if found.amount < max(parts) <= whole else found


def _insurer(facts: Facts) -> Figure | None:
    found = _chained(facts, ("Revenues", "RevenuesNetOfInterestExpense", "SalesRevenueNet"))
    if found is not None:
        return found
    due = _sum(facts, tags.INSURER_DUE)
    if due is None:
        sells = any(tag in facts for tag in tags.TRADE_SIGNS)  # with an insurer among its subsidiaries
        return _commercial(facts) if sells else None
    gains = first(facts, tags.INSURER_GAINS)
    fees = first(facts, tags.INSURER_FEES)
    return _computed(due + sum(part.amount for part in (gains, fees) if part is not None))


def _ifrs(facts: Facts) -> Figure | None:
    found = first(facts, (tags.IFRS_REVENUE,))
    if found is not None:
        return found
    net = _sum(facts, tags.IFRS_BANK)
    bank = _sum(facts, tags.IFRS_BANK_GROSS) if net is None else net
    parts = [(facts[tag], tag) for tag in tags.IFRS_PARTS if tag in facts]
    if parts:
        amount, tag = max(parts)
        if bank is None or bank <= amount:
            return Figure(amount, 1, frozenset((tag,)))
    return _computed(bank)


def _chained(facts: Facts, chain: tuple[str, ...]) -> Figure | None:
    found = first(facts, chain)
    return None if found is None else _stated(facts, found.amount, found.rank)


def _sum(facts: Facts, parts: tuple[str, ...]) -> int | None:
    amounts = [facts[tag] for tag in parts if tag in facts]
    return sum(amounts) if len(amounts) == len(parts) else None


def _computed(amount: int | None) -> Figure | None:
    return None if amount is None else Figure(amount, 9, frozenset((_SUM,)), computed=True)


_REVENUE: Final = {
    Filer.COMMERCIAL: _commercial,
    Filer.BANK: _bank,
    Filer.INSURER: _insurer,
    Filer.REAL_ESTATE: _real_estate,
}
