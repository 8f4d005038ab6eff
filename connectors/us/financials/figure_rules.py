"""Selects the tag that gives a figure for one span of a filing: chains by filer type (docs/formats/us.md 12.3).

A total comes before its parts, a bank's revenue is net of interest, and figures that a filer type lacks stay
null. Does not belong here: which filing counts (`versions`), or figures derived from two spans
(`derived_quarters`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from connectors.us.financials import concepts as tags
from connectors.us.financials.model import ROUNDING_UNITS, Facts, Span

_BANK_SIGNS: Final = frozenset(tags.BANK_SIGNS)
_REVENUE_TAGS: Final = frozenset((*tags.TOTALS, *tags.PARTS))
_CANDIDATES: Final = (*tags.TOTALS, *tags.WHOLES)
_CLOSING: Final = tuple(dict.fromkeys((*_CANDIDATES, *tags.PARTS)))
_Identities = tuple[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...], ...]
_LEASES: Final = frozenset(tags.LEASES)
_NONE: Final[frozenset[str]] = frozenset()
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
    if (len(found & _BANK_SIGNS) >= _SEVERAL or tags.BANK_TOTALS[0] in found) and not is_trader:
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
    totals = _closing_revenue(facts) if closing is None else closing
    found = _REVENUE[filer](facts, totals) or _ifrs_revenue(facts)
    if found is None or found.amount in {facts[tag] for tag in totals}:
        return found
    is_part = found.tags <= fragments and not _shows_scale(facts)
    return None if is_part or _is_refuted(facts, found.amount) or _negative_totals(facts) else found


def fragments_of(spans: Mapping[Span, Facts], closing: Mapping[Span, frozenset[str]]) -> frozenset[str]:
    """Revenue tags that the results of a span refute, and no span of the filing shows to be a total."""
    refuted = {
        tag
        for facts in spans.values()
        if _shows_scale(facts)
        for tag in _CLOSING
        if tag in facts and _is_refuted(facts, facts[tag])
    }
    return frozenset(refuted).difference(*closing.values())


def _shows_scale(facts: Facts) -> bool:
    """Whether results are tagged that a revenue must fit."""
    return any(tag in facts for tag in (tags.GROSS, tags.IFRS_GROSS, tags.OPERATING[0]))


def net_result_figure(facts: Facts) -> TaggedFigure | None:
    """The parent's net result, else a wider one; null where its sign is in doubt."""
    return _of_certain_sign(facts, tags.NET_RESULT)


def equity_figure(facts: Facts) -> TaggedFigure | None:
    """The parent's equity, else with minorities; null where its sign is in doubt."""
    return _of_certain_sign(facts, tags.EQUITY)


def _of_certain_sign(facts: Facts, chain: tuple[str, ...]) -> TaggedFigure | None:
    found = first_tagged(facts, chain)
    return None if found is None or found.tags & tags_of_opposite_sign(facts) else found


def tags_of_opposite_sign(facts: Facts) -> frozenset[str]:
    """Tags of amounts that the same statement has, or needs, with the other sign.

    A revenue below zero that closes the statement above it, a loss beside a profit of the same amount, an equity that
    makes a balance sheet balance only if it is negated.
    """
    found = set(_negative_totals(facts))
    results = {facts[tag] for tag in (*tags.NET_RESULT, *tags.PRETAX) if tag in facts}
    found.update(tag for tag in tags.NET_RESULT if facts.get(tag) and -facts[tag] in results)
    for sides, liabilities in zip(tags.SIDES, tags.LIABILITIES, strict=True):
        totals = {facts[side] for side in sides if side in facts}
        for tag in tags.EQUITY if liabilities in facts else ():
            amount, due = facts.get(tag, 0), facts[liabilities]
            if amount and due - amount in totals and due + amount not in totals:
                found.add(tag)
    return frozenset(found)


def _negative_totals(facts: Facts) -> frozenset[str]:
    """Revenues below zero that would close the statement above zero, and do not as they are."""
    negated = {tag: -facts[tag] for tag in (*_CANDIDATES, tags.IFRS_REVENUE) if facts.get(tag, 0) < 0}
    if not negated:
        return _NONE
    rules = (*tags.IDENTITIES, *tags.IFRS_IDENTITIES)
    as_stated = _closing_tags(facts, tuple(negated), rules)
    return _closing_tags({**facts, **negated}, tuple(negated), rules) - as_stated


def _is_refuted(facts: Facts, amount: int) -> bool:
    """Whether the statement's results show that a revenue is a part, beside a total that has no tag of its own.

    It is less than the gross profit, or less than half of what costs and operating result come to, and by more than
    half of the costs: a gain may lie between them.
    """
    if amount < 0:
        return False
    if any(amount < facts[tag] for tag in (tags.GROSS, tags.IFRS_GROSS) if tag in facts):
        return True
    result = facts.get(tags.OPERATING[0])
    costs = [facts[tag] for tag in (tags.COSTS, *tags.COSTS_OF_SALES) if tag in facts]
    return result is not None and any(max(2 * amount, amount + one // 2) < one + result for one in costs)


def closing_by_span(spans: Mapping[Span, Facts]) -> dict[Span, frozenset[str]]:
    """The total tags from which the statements of a filing count their results, for each span.

    A comparative or a quarter of the same filing may lack the costs that show it: there the totals count that are
    closing in other spans, and in none beside another one.
    """
    own = {span: _closing_revenue(facts) for span, facts in spans.items()}
    totals = _NONE.union(*own.values())
    for span, found in own.items():
        if found:
            totals -= {tag for tag in _CLOSING if tag in spans[span]} - found
    return {span: found or totals & spans[span].keys() for span, found in own.items()}


def replaced_by(facts: Facts, column: str) -> frozenset[str]:
    """Tags that would give another quantity in place of a contradicted one; not a total that closes its statement."""
    others = [tag for tag in tags.REPLACEMENTS.get(column, ()) if tag in facts]
    closing = _closing_revenue({tag: amount for tag, amount in facts.items() if tag != column})
    return frozenset(others) - (closing if column in tags.TOTALS else _NONE)


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
    amount = _income_less_costs(facts, _closing_revenue(facts) if closing is None else closing, after_interest)
    if amount is None or amount in after_interest:  # costs that include interest lead to the result before tax
        return None
    return TaggedFigure(amount, len(tags.OPERATING), frozenset((_SUM,)), is_computed=True)


def _income_less_costs(facts: Facts, closing: frozenset[str], results: list[int]) -> int | None:
    """Income less all costs; null where the costs lack those of sales, or expenses seem to hold them already."""
    income, gross = _total_revenue(facts, tags.TOTALS, closing), facts.get(tags.GROSS)
    is_slip = min(facts.get(tags.COSTS, 0), facts.get(tags.EXPENSES, 0)) < 0  # costs are positive (12.3)
    if is_slip or (income is not None and _is_refuted(facts, income)):
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


def total_assets_figure(facts: Facts) -> TaggedFigure | None:
    """Total assets: the balance sheet's foot where its sides differ, if liabilities and equity show which it is.

    Null where they do not: one of the two is wrong, and nothing says which.
    """
    found = first_tagged(facts, tags.ASSETS)
    for (assets, foot), liabilities in zip(tags.SIDES, tags.LIABILITIES, strict=True):
        if assets not in facts or foot not in facts or _is_difference(facts[assets], 0, facts[foot], rounded=True):
            continue
        due = {facts[liabilities] + facts[tag] for tag in tags.EQUITY if tag in facts and liabilities in facts}
        closing = tuple(tag for tag in (assets, foot) if facts[tag] in due)
        found = TaggedFigure(facts[closing[0]], 0, frozenset(closing)) if closing else None
    return found


def _figure_under_all_tags(facts: Facts, amount: int, rank: int) -> TaggedFigure:
    """A figure under every revenue tag that states the same amount: two periods may share only one of them."""
    same = [tag for tag, stated in facts.items() if stated == amount and tag in _REVENUE_TAGS]
    if tags.BANK_PARTS[0] in facts and _sum_if_complete(facts, tags.BANK_PARTS) == amount:
        same.append(_SUM)
    return TaggedFigure(amount, rank, frozenset(same))


def _commercial_revenue(facts: Facts, closing: frozenset[str]) -> TaggedFigure | None:
    if any(tag in facts for tag in tags.TOTALS):
        total = _total_revenue(facts, _CANDIDATES, closing)
        return None if total is None else _figure_under_all_tags(facts, total, 0)
    both = _sum_if_complete(facts, tags.GOODS_AND_SERVICES)
    if both is not None and not _closing_tags(facts, tags.GOODS_AND_SERVICES):
        return _computed_figure(both)
    found = _first_tagged_revenue(facts, tags.PARTS)
    results = [facts[tag] for tag in (*tags.OPERATING, *tags.NET_RESULT) if tag in facts]
    is_note = found is not None and found.tags <= _LEASES and any(result > found.amount for result in results)
    return None if is_note else found


def _total_revenue(facts: Facts, candidates: tuple[str, ...], closing: frozenset[str]) -> int | None:
    """Of several totals the one from which the statement counts its result; the largest where none does."""
    return max((facts[tag] for tag in closing or candidates if tag in facts), default=None)


def _closing_revenue(facts: Facts) -> frozenset[str]:
    """The totals that close the statement, else the parts that do: a gross profit may be that of the goods alone.

    So a part counts only if no total is as large: beside a fragment it is all there is.
    """
    found = _closing_tags(facts, _CANDIDATES)
    if found:
        return found
    largest = max((facts[tag] for tag in _CANDIDATES if tag in facts), default=None)
    return frozenset(tag for tag in _closing_tags(facts, tags.PARTS) if largest is None or facts[tag] > largest)


def _closing_tags(facts: Facts, candidates: tuple[str, ...], rules: _Identities = tags.IDENTITIES) -> frozenset[str]:
    """Totals that less the costs are the result that the same facts state (docs/formats/us.md 12.3)."""
    present = [tag for tag in candidates if tag in facts]
    for identities in rules if present else ():
        stated = [
            (sum(facts[tag] for tag in costs), facts[result])
            for costs, results in identities
            if all(tag in facts for tag in costs)
            for result in results
            if result in facts
        ]
        for rounded in (False, True) if stated else ():
            found = frozenset(
                tag for tag in present if any(_is_difference(facts[tag], *pair, rounded=rounded) for pair in stated)
            )
            if found:
                return found
    return _NONE


def _is_difference(total: int, costs: int, result: int, *, rounded: bool) -> bool:
    """Whether a total less costs is a result; `rounded`: as nearly as the unit to which all three are rounded."""
    apart = abs(total - costs - result)
    if not rounded or not apart or apart > ROUNDING_UNITS[0]:
        return not apart
    return apart <= next((unit for unit in ROUNDING_UNITS if not (total % unit or costs % unit or result % unit)), 0)


def _real_estate_revenue(facts: Facts, closing: frozenset[str]) -> TaggedFigure | None:
    """A landlord's total, which holds its rent; the rent where no total is tagged, or a fragment of half of it."""
    if closing:
        return _figure_under_all_tags(facts, max(facts[tag] for tag in closing), 0)
    found = _first_tagged_revenue(facts, ("Revenues", *tags.REAL_ESTATE))
    rent, total = first_tagged(facts, tags.REAL_ESTATE), _total_revenue(facts, tags.TOTALS, closing)
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
    return any(_is_difference(total, costs, facts[tag], rounded=True) for tag in tags.PRETAX if tag in facts)


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
    closing = _closing_tags(facts, (tags.IFRS_REVENUE, *tags.IFRS_PARTS), tags.IFRS_IDENTITIES)
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
