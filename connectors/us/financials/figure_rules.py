"""Selects the tag that gives a figure for one span of a filing: chains by filer type (docs/formats/us.md 12.3).

A total comes before its parts, a bank's revenue is net of interest, and figures that a filer type lacks stay
null. Does not belong here: which filing counts (`versions`), or figures derived from two spans
(`derived_quarters`).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from connectors.us.financials import concepts as tags
from connectors.us.financials.model import Facts

_BANK_SIGNS: Final = frozenset(tags.BANK_SIGNS)
_REVENUE_TAGS: Final = frozenset((*tags.TOTALS, *tags.PARTS))
_SEVERAL: Final = 2
_SUM: Final = "sum"


class FilerType(Enum):
    """Kinds of filers that report revenue under different tags."""

    COMMERCIAL = "commercial"
    BANK = "bank"
    INSURER = "insurer"
    REAL_ESTATE = "real estate"


class TaggedFigure(NamedTuple):
    """One figure of a filing: its scope or rank in the chain, its tags, and whether it was computed."""

    amount: int
    rank: int
    tags: frozenset[str]
    is_computed: bool = False


def filer_type_of(present: Iterable[str]) -> FilerType:
    """The kind of filer, inferred from all tags used in one filing."""
    found = frozenset(present)
    is_trader = not found.isdisjoint(tags.TRADE_SIGNS) and not found.issuperset(tags.BANK_PARTS)
    if len(found & _BANK_SIGNS) >= _SEVERAL and not is_trader:
        return FilerType.BANK
    if found.intersection(tags.INSURER_SIGNS):
        return FilerType.INSURER
    if tags.PROPERTY in found and found.intersection(tags.REAL_ESTATE):
        return FilerType.REAL_ESTATE
    return FilerType.COMMERCIAL


def first_tagged(facts: Facts, chain: tuple[str, ...]) -> TaggedFigure | None:
    """The first tag of a chain that has an amount."""
    for rank, tag in enumerate(chain):
        if tag in facts:
            return TaggedFigure(facts[tag], tags.SCOPES.get(tag, rank), frozenset((tag,)))
    return None


def revenue_figure(facts: Facts, filer: FilerType) -> TaggedFigure | None:
    """Revenue by filer type; null where only a part of it is tagged."""
    found = _REVENUE[filer](facts)
    return _ifrs_revenue(facts) if found is None else found


def operating_result_figure(facts: Facts, filer: FilerType) -> TaggedFigure | None:
    """Operating result as filed; else income less costs, only for commercial filers (banks, insurers have none)."""
    found = first_tagged(facts, tags.OPERATING)
    if found is not None or filer in (FilerType.BANK, FilerType.INSURER):
        return found
    amount = _income_less_costs(facts)
    pretax = {facts[tag] for tag in tags.PRETAX if tag in facts}
    if amount is None or amount in pretax:  # costs that include interest lead to the result before tax
        return None
    return TaggedFigure(amount, len(tags.OPERATING), frozenset((_SUM,)), is_computed=True)


def _income_less_costs(facts: Facts) -> int | None:
    income = _total_revenue(facts, tags.TOTALS)
    if income is not None and tags.COSTS in facts:
        return income - facts[tags.COSTS]
    if tags.GROSS in facts and tags.EXPENSES in facts:
        return facts[tags.GROSS] - facts[tags.EXPENSES]
    return None


def _figure_under_all_tags(facts: Facts, amount: int, rank: int) -> TaggedFigure:
    """A figure under every revenue tag that states the same amount: two periods may share only one of them."""
    same = [tag for tag, stated in facts.items() if stated == amount and tag in _REVENUE_TAGS]
    if tags.BANK_PARTS[0] in facts and _sum_if_complete(facts, tags.BANK_PARTS) == amount:
        same.append(_SUM)
    return TaggedFigure(amount, rank, frozenset(same))


def _commercial_revenue(facts: Facts) -> TaggedFigure | None:
    if any(tag in facts for tag in tags.TOTALS):
        total = _total_revenue(facts, (*tags.TOTALS, *tags.WHOLES))
        return None if total is None else _figure_under_all_tags(facts, total, 0)
    return _first_tagged_revenue(facts, tags.PARTS)


def _total_revenue(facts: Facts, candidates: tuple[str, ...]) -> int | None:
    """Of several totals the one from which the statement counts its own result; the largest where none does."""
    amounts = [facts[tag] for tag in candidates if tag in facts]
    closing = [amount for amount in amounts if _closes_statement(facts, amount)]
    return max(closing or amounts, default=None)


def _closes_statement(facts: Facts, total: int) -> bool:
    """Whether a total less the costs is the result that the same facts state (docs/formats/us.md 12.3)."""
    return any(
        costs in facts and result in facts and total - facts[costs] == facts[result]
        for costs, results in tags.IDENTITIES
        for result in results
    )


def _real_estate_revenue(facts: Facts) -> TaggedFigure | None:
    return _first_tagged_revenue(facts, ("Revenues", *tags.REAL_ESTATE)) or _commercial_revenue(facts)


def _bank_revenue(facts: Facts) -> TaggedFigure | None:
    """A bank's total revenue, unless it is a fragment: less than one of its parts with neither negative."""
    found, whole = _first_tagged_revenue(facts, tags.BANK_TOTALS), _sum_if_complete(facts, tags.BANK_PARTS)
    if found is None or whole is None:
        return found or _computed_figure(whole)
    parts = [facts[tag] for tag in tags.BANK_PARTS]
    return _computed_figure(whole) if found.amount < max(parts) <= whole else found


def _insurer_revenue(facts: Facts) -> TaggedFigure | None:
    found = _first_tagged_revenue(facts, ("Revenues", "RevenuesNetOfInterestExpense", "SalesRevenueNet"))
    if found is not None:
        return found
    due = _sum_if_complete(facts, tags.INSURER_DUE)
    if due is None:
        sells = any(tag in facts for tag in tags.TRADE_SIGNS)  # with an insurer among its subsidiaries
        return _commercial_revenue(facts) if sells else None
    gains = first_tagged(facts, tags.INSURER_GAINS)
    fees = first_tagged(facts, tags.INSURER_FEES)
    return _computed_figure(due + sum(part.amount for part in (gains, fees) if part is not None))


def _ifrs_revenue(facts: Facts) -> TaggedFigure | None:
    found = first_tagged(facts, (tags.IFRS_REVENUE,))
    if found is not None:
        return found
    net = _sum_if_complete(facts, tags.IFRS_BANK)
    bank = _sum_if_complete(facts, tags.IFRS_BANK_GROSS) if net is None else net
    parts = [(facts[tag], tag) for tag in tags.IFRS_PARTS if tag in facts]
    if parts:
        amount, tag = max(parts)
        if bank is None or bank <= amount:
            return TaggedFigure(amount, 1, frozenset((tag,)))
    return _computed_figure(bank)


def _first_tagged_revenue(facts: Facts, chain: tuple[str, ...]) -> TaggedFigure | None:
    found = first_tagged(facts, chain)
    return None if found is None else _figure_under_all_tags(facts, found.amount, found.rank)


def _sum_if_complete(facts: Facts, parts: tuple[str, ...]) -> int | None:
    amounts = [facts[tag] for tag in parts if tag in facts]
    return sum(amounts) if len(amounts) == len(parts) else None


def _computed_figure(amount: int | None) -> TaggedFigure | None:
    return None if amount is None else TaggedFigure(amount, 9, frozenset((_SUM,)), is_computed=True)


_REVENUE: Final = {
    FilerType.COMMERCIAL: _commercial_revenue,
    FilerType.BANK: _bank_revenue,
    FilerType.INSURER: _insurer_revenue,
    FilerType.REAL_ESTATE: _real_estate_revenue,
}
