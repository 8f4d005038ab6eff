"""Which totals a statement counts its results from, and which amounts those results refute (docs/formats/us.md 12.3).

A total less its costs is the result stated beside it; what is less than a part of the statement is no total. Does not
belong here: the revenue that follows (`revenue_rules`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from connectors.us.financials import concepts as tags
from connectors.us.financials.model import ROUNDING_UNITS, Facts, Span

_Identities = tuple[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...], ...]
TOTAL_TAGS: Final = (*tags.TOTALS, *tags.WHOLES)
_CLOSING: Final = tuple(dict.fromkeys((*TOTAL_TAGS, *tags.PARTS)))
_CLOSING_TAGS: Final = frozenset(_CLOSING)
_NONE: Final[frozenset[str]] = frozenset()


def total_revenue(facts: Facts, candidates: tuple[str, ...], closing: frozenset[str]) -> int | None:
    """Of several totals the one from which the statement counts its result; the largest where none does."""
    return max((facts[tag] for tag in closing or candidates if tag in facts), default=None)


def closing_revenue(facts: Facts) -> frozenset[str]:
    """The totals that close the statement, else the parts that do: a gross profit may be that of the goods alone.

    So a part counts only if no total is as large: beside a fragment it is all there is.
    """
    if _CLOSING_TAGS.isdisjoint(facts):
        return _NONE
    found = closing_tags(facts, TOTAL_TAGS)
    if found:
        return found
    largest = max((facts[tag] for tag in TOTAL_TAGS if tag in facts), default=None)
    return frozenset(tag for tag in closing_tags(facts, tags.PARTS) if largest is None or facts[tag] > largest)


def closing_by_span(spans: Mapping[Span, Facts]) -> dict[Span, frozenset[str]]:
    """The total tags from which the statements of a filing count their results, for each span.

    A comparative or a quarter of the same filing may lack the costs that show it: there the totals count that are
    closing in other spans, and in none beside another one.
    """
    own = {span: closing_revenue(facts) for span, facts in spans.items()}
    totals = _NONE.union(*own.values())
    if not totals:
        return own
    for span, found in own.items():
        if found:
            totals -= {tag for tag in _CLOSING if tag in spans[span]} - found
    return {span: found or totals & spans[span].keys() for span, found in own.items()}


def closing_tags(facts: Facts, candidates: tuple[str, ...], rules: _Identities = tags.IDENTITIES) -> frozenset[str]:
    """Totals that less the costs are the result that the same facts state (docs/formats/us.md 12.3)."""
    present = [tag for tag in candidates if tag in facts]
    for identities in rules if present else ():
        stated = [
            (facts[costs[0]] + sum(facts[tag] for tag in costs[1:]), facts[result])
            for costs, results in identities
            if costs[0] in facts and facts.keys() >= set(costs)
            for result in results
            if result in facts
        ]
        for rounded in (False, True) if stated else ():
            found = frozenset(
                tag for tag in present if any(is_difference(facts[tag], *pair, rounded=rounded) for pair in stated)
            )
            if found:
                return found
    return _NONE


def is_difference(total: int, costs: int, result: int, *, rounded: bool) -> bool:
    """Whether a total less costs is a result; `rounded`: as nearly as the unit to which all three are rounded."""
    apart = abs(total - costs - result)
    if not rounded or not apart or apart > ROUNDING_UNITS[0]:
        return not apart
    return apart <= next((unit for unit in ROUNDING_UNITS if not (total % unit or costs % unit or result % unit)), 0)


def replaced_by(facts: Facts, column: str) -> frozenset[str]:
    """Tags that would give another quantity in place of a contradicted one; not a total that closes its statement."""
    others = [tag for tag in tags.REPLACEMENTS.get(column, ()) if tag in facts]
    closing = closing_revenue({tag: amount for tag, amount in facts.items() if tag != column})
    return frozenset(others) - (closing if column in tags.TOTALS else _NONE)


def negative_totals(facts: Facts) -> frozenset[str]:
    """Revenues below zero that would close the statement above zero, and do not as they are."""
    negated = {tag: -facts[tag] for tag in (*TOTAL_TAGS, tags.IFRS_REVENUE) if facts.get(tag, 0) < 0}
    if not negated:
        return _NONE
    rules = (*tags.IDENTITIES, *tags.IFRS_IDENTITIES)
    as_stated = closing_tags(facts, tuple(negated), rules)
    return closing_tags({**facts, **negated}, tuple(negated), rules) - as_stated


def is_refuted(facts: Facts, amount: int) -> bool:
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


def shows_scale(facts: Facts) -> bool:
    """Whether results are tagged that a revenue must fit."""
    return any(tag in facts for tag in (tags.GROSS, tags.IFRS_GROSS, tags.OPERATING[0]))


def fragments_of(spans: Mapping[Span, Facts], closing: Mapping[Span, frozenset[str]]) -> frozenset[str]:
    """Revenue tags that the results of a span refute, and no span of the filing shows to be a total."""
    refuted = {
        tag
        for facts in spans.values()
        if shows_scale(facts)
        for tag in _CLOSING
        if tag in facts and is_refuted(facts, facts[tag])
    }
    return frozenset(refuted).difference(*closing.values())
