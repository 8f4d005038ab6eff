"""Selects the results and balances of one span of a filing: chains by filer type (docs/formats/us.md 12.3).

Figures that a filer type lacks stay null, and so do those whose sign is in doubt. Does not belong here: revenue
(`revenue_rules`), which filing counts (`versions`), or figures derived from two spans (`derived_quarters`).
"""

from __future__ import annotations

from typing import Final

from connectors.us.financials import concepts as tags
from connectors.us.financials.closing_totals import (
    closing_revenue,
    is_difference,
    is_refuted,
    negative_totals,
    total_revenue,
)
from connectors.us.financials.model import Facts
from connectors.us.financials.tagged_figures import SUM_TAG, FilerType, TaggedFigure, first_tagged

_RESULTS: Final = (*tags.NET_RESULT, *tags.PRETAX)


def operating_result_figure(
    facts: Facts, filer: FilerType, closing: frozenset[str] | None = None
) -> TaggedFigure | None:
    """Operating result as filed; else income less costs, only for commercial filers.

    Banks and insurers have none, and the expenses of landlords hold their interest.
    """
    found = first_tagged(facts, tags.OPERATING)
    if found is not None or filer is not FilerType.COMMERCIAL:
        return found
    stated = [facts[tag] for tag in tags.PRETAX if tag in facts]
    after_interest = stated or [facts[tag] for tag in tags.NET_RESULT if tag in facts]  # of those who pay no tax
    amount = _income_less_costs(facts, closing_revenue(facts) if closing is None else closing, after_interest)
    if amount is None or amount in after_interest:  # costs that include interest lead to the result before tax
        return None
    return TaggedFigure(amount, len(tags.OPERATING), frozenset((SUM_TAG,)), is_computed=True)


def _income_less_costs(facts: Facts, closing: frozenset[str], results: list[int]) -> int | None:
    """Income less all costs; null where the costs lack those of sales, or expenses seem to hold them already."""
    income, gross = total_revenue(facts, tags.TOTALS, closing), facts.get(tags.GROSS)
    is_slip = min(facts.get(tags.COSTS, 0), facts.get(tags.EXPENSES, 0)) < 0  # costs are positive (12.3)
    if is_slip or (income is not None and is_refuted(facts, income)):
        return None
    if income is not None and tags.COSTS in facts:
        amount = income - facts[tags.COSTS]
        return None if gross is not None and amount > gross else amount
    if gross is None or tags.EXPENSES not in facts:
        return None
    expenses = facts[tags.EXPENSES]
    holds_sales = income is not None and any(
        abs(income - expenses - result) < abs(gross - expenses - result) for result in results[:1]
    )
    return None if holds_sales else gross - expenses


def net_result_figure(facts: Facts) -> TaggedFigure | None:
    """The parent's net result, else a wider one; null where its sign is in doubt."""
    return _of_certain_sign(facts, tags.NET_RESULT)


def equity_figure(facts: Facts) -> TaggedFigure | None:
    """The parent's equity, else with minorities; null where its sign is in doubt."""
    return _of_certain_sign(facts, tags.EQUITY)


def _of_certain_sign(facts: Facts, chain: tuple[str, ...]) -> TaggedFigure | None:
    found = first_tagged(facts, chain)
    return None if found is None or any(_is_of_opposite_sign(facts, tag) for tag in found.tags) else found


def tags_of_opposite_sign(facts: Facts) -> frozenset[str]:
    """Tags of amounts that the same statement has, or needs, with the other sign.

    A revenue below zero that closes the statement above it, a loss beside a profit of the same amount, an equity that
    makes a balance sheet balance only if it is negated.
    """
    signed = (tag for tag in (*tags.NET_RESULT, *tags.EQUITY) if tag in facts and _is_of_opposite_sign(facts, tag))
    return negative_totals(facts).union(signed)


def _is_of_opposite_sign(facts: Facts, tag: str) -> bool:
    """Whether the statement has a result, or needs an equity, with the other sign."""
    amount = facts[tag]
    if not amount:
        return False
    if tag in tags.NET_RESULT:
        return any(facts.get(other) == -amount for other in _RESULTS)
    for sides, liabilities in zip(tags.SIDES, tags.LIABILITIES, strict=True):
        if liabilities in facts:
            due, totals = facts[liabilities], [facts[side] for side in sides if side in facts]
            if due - amount in totals and due + amount not in totals:
                return True
    return False


def total_assets_figure(facts: Facts) -> TaggedFigure | None:
    """Total assets: the balance sheet's foot where its sides differ, if liabilities and equity show which it is.

    Null where they do not: one of the two is wrong, and nothing says which.
    """
    found = first_tagged(facts, tags.ASSETS)
    for (assets, foot), liabilities in zip(tags.SIDES, tags.LIABILITIES, strict=True):
        if assets not in facts or foot not in facts or is_difference(facts[assets], 0, facts[foot], rounded=True):
            continue
        due = {facts[liabilities] + facts[tag] for tag in tags.EQUITY if tag in facts and liabilities in facts}
        closing = tuple(tag for tag in (assets, foot) if facts[tag] in due)
        found = TaggedFigure(facts[closing[0]], 0, frozenset(closing)) if closing else None
    return found
