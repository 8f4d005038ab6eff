"""Selects the revenue of one span of a filing: chains by filer type (docs/formats/us.md 12.3).

A total comes before its parts, a bank's revenue is net of interest, and where only a part is tagged there is none. Does
not belong here: which totals close a statement (`closing_totals`), the other figures (`figure_rules`).
"""

from __future__ import annotations

from typing import Final

from connectors.us.financials import concepts as tags
from connectors.us.financials.closing_totals import (
    TOTAL_TAGS,
    closing_revenue,
    closing_tags,
    is_difference,
    is_refuted,
    negative_totals,
    shows_scale,
    total_revenue,
)
from connectors.us.financials.model import Facts
from connectors.us.financials.tagged_figures import SUM_TAG, FilerType, TaggedFigure, first_tagged

_REVENUE_TAGS: Final = frozenset((*tags.TOTALS, *tags.PARTS))
_LEASES: Final = frozenset(tags.LEASES)
_NONE: Final[frozenset[str]] = frozenset()


def revenue_figure(
    facts: Facts, filer: FilerType, closing: frozenset[str] | None = None, fragments: frozenset[str] = _NONE
) -> TaggedFigure | None:
    """Revenue by filer type; null where only a part of it is tagged.

    Args:
        facts: those of one span of a filing.
        filer: the kind of filer.
        closing: the totals from which the filing counts it (`closing_by_span`); those of these facts if not given.
        fragments: tags that other spans of the filing show to be parts (`fragments_of`).
    """
    totals = closing_revenue(facts) if closing is None else closing
    found = _REVENUE[filer](facts, totals) or _ifrs_revenue(facts)
    if found is None or found.amount in {facts[tag] for tag in totals}:
        return found
    is_part = found.tags <= fragments and not shows_scale(facts)
    return None if is_part or is_refuted(facts, found.amount) or negative_totals(facts) else found


def _commercial_revenue(facts: Facts, closing: frozenset[str]) -> TaggedFigure | None:
    if any(tag in facts for tag in tags.TOTALS):
        total = total_revenue(facts, TOTAL_TAGS, closing)
        return None if total is None else _figure_under_all_tags(facts, total, 0)
    both = _sum_if_complete(facts, tags.GOODS_AND_SERVICES)
    if both is not None and not closing_tags(facts, tags.GOODS_AND_SERVICES):
        return _computed_figure(both)
    found = _first_tagged_revenue(facts, tags.PARTS)
    results = [facts[tag] for tag in (*tags.OPERATING, *tags.NET_RESULT) if tag in facts]
    is_note = found is not None and found.tags <= _LEASES and any(result > found.amount for result in results)
    return None if is_note else found


def _real_estate_revenue(facts: Facts, closing: frozenset[str]) -> TaggedFigure | None:
    """A landlord's total, which holds its rent; the rent where no total is tagged, or a fragment of half of it."""
    if closing:
        return _figure_under_all_tags(facts, max(facts[tag] for tag in closing), 0)
    found = _first_tagged_revenue(facts, ("Revenues", *tags.REAL_ESTATE))
    rent, total = first_tagged(facts, tags.REAL_ESTATE), total_revenue(facts, tags.TOTALS, closing)
    if found is None or (total is not None and total > found.amount):
        return _commercial_revenue(facts, closing)
    is_fragment = rent is not None and 2 * found.amount < rent.amount
    return _figure_under_all_tags(facts, rent.amount, 0) if rent is not None and is_fragment else found


def _bank_revenue(facts: Facts, _closing: frozenset[str]) -> TaggedFigure | None:
    """A bank's total revenue, unless it is a fragment: less than one of its parts, or than half of the only one.

    Nor is it the total if it holds the interest paid, as the result before tax or the interest received shows.
    """
    found, whole = _first_tagged_revenue(facts, tags.BANK_TOTALS), _sum_if_complete(facts, tags.BANK_PARTS)
    if found is None or whole is None:
        only = max((facts[tag] for tag in tags.BANK_PARTS if tag in facts), default=0)
        return None if found is not None and 2 * found.amount < only else found or _computed_figure(whole)
    if _closes_bank_statement(facts, whole) and not _closes_bank_statement(facts, found.amount):
        return _computed_figure(whole)
    if found.amount == _sum_if_complete(facts, tags.BANK_GROSS):
        return _computed_figure(whole)
    parts = [facts[tag] for tag in tags.BANK_PARTS]
    return _computed_figure(whole) if found.amount < max(parts) <= whole else found


def _closes_bank_statement(facts: Facts, total: int) -> bool:
    """Whether a bank's revenue less provision and expenses is a result before tax that the same facts state."""
    if tags.BANK_COSTS not in facts:
        return False
    provision = first_tagged(facts, tags.PROVISIONS)
    costs = facts[tags.BANK_COSTS] + (0 if provision is None else provision.amount)
    return any(is_difference(total, costs, facts[tag], rounded=True) for tag in tags.PRETAX if tag in facts)


def _insurer_revenue(facts: Facts, closing: frozenset[str]) -> TaggedFigure | None:
    """An insurer's total, unless it is a fragment: less than its premiums while all parts together are not.

    Where the parts are not all tagged, less than half of its premiums.
    """
    found = _first_tagged_revenue(facts, ("Revenues", "RevenuesNetOfInterestExpense", "SalesRevenueNet"))
    whole = _sum_of_insurer(facts)
    if found is not None:
        premiums = facts.get(tags.INSURER_DUE[0], 0)
        is_fragment = 2 * found.amount < premiums if whole is None else found.amount < premiums <= whole
        return _computed_figure(whole) if is_fragment else found
    if whole is None:
        sells = any(tag in facts for tag in tags.TRADE_SIGNS)  # with an insurer among its subsidiaries
        return _commercial_revenue(facts, closing) if sells else None
    return _computed_figure(whole)


def _sum_of_insurer(facts: Facts) -> int | None:
    due = _sum_if_complete(facts, tags.INSURER_DUE)
    parts = (first_tagged(facts, tags.INSURER_GAINS), first_tagged(facts, tags.INSURER_FEES))
    return None if due is None else due + sum(part.amount for part in parts if part is not None)


def _ifrs_revenue(facts: Facts) -> TaggedFigure | None:
    found = first_tagged(facts, (tags.IFRS_REVENUE,))
    closing = closing_tags(facts, (tags.IFRS_REVENUE, *tags.IFRS_PARTS), tags.IFRS_IDENTITIES)
    if closing and tags.IFRS_REVENUE not in closing:
        return TaggedFigure(max(facts[tag] for tag in closing), 0, closing)
    if found is not None:
        return found
    net = _sum_if_complete(facts, tags.IFRS_BANK)
    bank = _sum_if_complete(facts, tags.IFRS_BANK_GROSS) if net is None else net
    parts = [(facts[tag], tag) for tag in tags.IFRS_PARTS if tag in facts]
    if parts:
        amount, tag = max(parts)
        interest = max((facts[one] for one in tags.IFRS_INTEREST if one in facts), default=amount)
        if bank is None and tag == tags.IFRS_PARTS[0] and amount < interest:
            return None  # of a bank what is under contracts is its fees
        if bank is None or bank <= amount:
            return TaggedFigure(amount, 1, frozenset((tag,)))
    return _computed_figure(bank)


def _first_tagged_revenue(facts: Facts, chain: tuple[str, ...]) -> TaggedFigure | None:
    found = first_tagged(facts, chain)
    return None if found is None else _figure_under_all_tags(facts, found.amount, found.rank)


def _figure_under_all_tags(facts: Facts, amount: int, rank: int) -> TaggedFigure:
    """A figure under every revenue tag that states the same amount: two periods may share only one of them."""
    same = [tag for tag, stated in facts.items() if stated == amount and tag in _REVENUE_TAGS]
    if tags.BANK_PARTS[0] in facts and _sum_if_complete(facts, tags.BANK_PARTS) == amount:
        same.append(SUM_TAG)
    return TaggedFigure(amount, rank, frozenset(same))


def _sum_if_complete(facts: Facts, parts: tuple[str, ...]) -> int | None:
    amounts = [facts[tag] for tag in parts if tag in facts]
    return sum(amounts) if len(amounts) == len(parts) else None


def _computed_figure(amount: int | None) -> TaggedFigure | None:
    return None if amount is None else TaggedFigure(amount, 9, frozenset((SUM_TAG,)), is_computed=True)


_REVENUE: Final = {
    FilerType.COMMERCIAL: _commercial_revenue,
    FilerType.BANK: _bank_revenue,
    FilerType.INSURER: _insurer_revenue,
    FilerType.REAL_ESTATE: _real_estate_revenue,
}
