"""Derives quarters that were not filed, as differences of two comparable sums of one fiscal year.

See docs/formats/us.md 12.4.

Only money flows, only of one tag, and only while both sums are of the same vintage: a sum restated alone gives
no quarter. A filed quarter always wins, field by field. Does not belong here: filed figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from connectors.us.financials.latest_values import FLOWS, DerivedFigure, FilerFigures, LatestValue
from connectors.us.financials.model import Span
from connectors.us.financials.periods import PeriodIndex, SpanLength, day_after, span_length

_BEFORE: Final = {
    SpanLength.HALF: SpanLength.QUARTER,
    SpanLength.NINE_MONTHS: SpanLength.HALF,
    SpanLength.YEAR: SpanLength.NINE_MONTHS,
}
_THREE: Final = 3


def derive_quarters(
    figures: FilerFigures, currency: str | None, reported: Iterable[Span], periods: PeriodIndex
) -> set[Span]:
    """Derives quarters from the sums a filing reports and earlier ones; returns which quarters were touched."""
    touched: set[Span] = set()
    for span in sorted(reported, key=lambda one: one[1]):
        kind = _BEFORE.get(span_length(span))
        if kind is None:
            continue
        for rest in _spans_to_subtract(figures, currency, span, kind):
            quarter = (day_after(rest[-1][1]), span[1])
            if span_length(quarter) is SpanLength.QUARTER and _derive_quarter(
                figures, currency, span, rest, periods.canonical_span(quarter)
            ):
                touched.add(periods.canonical_span(quarter))
    return touched


def _spans_to_subtract(book: FilerFigures, currency: str | None, span: Span, kind: SpanLength) -> list[list[Span]]:
    """Sums to subtract from a sum: the one up to the previous quarter; for a year also its first three quarters."""
    sums = [other for other in book.starting(currency, span[0]) if other[1] < span[1] and span_length(other) is kind]
    three = _first_three_quarters(book, currency, span) if span_length(span) is SpanLength.YEAR else []
    return [*([other] for other in sums), *([three] if three else [])]


def _first_three_quarters(book: FilerFigures, currency: str | None, year: Span) -> list[Span]:
    """The first three quarters of a year, where each is known."""
    found: list[Span] = []
    start = year[0]
    while len(found) < _THREE:
        here = [span for span in book.starting(currency, start) if span_length(span) is SpanLength.QUARTER]
        if len(here) != 1 or here[0][1] >= year[1]:
            return []
        found.append(here[0])
        start = day_after(here[0][1])
    return found


def _derive_quarter(book: FilerFigures, currency: str | None, span: Span, rest: list[Span], quarter: Span) -> bool:
    held = book.period(currency, quarter)
    sums = book.period(currency, span)
    others = [book.period(currency, part) for part in rest]
    changed = False
    for name in FLOWS:
        whole, before = sums.items.get(name), held.derived.get(name)
        parts = [one.items[name] for one in others if name in one.items]
        if whole is None or len(parts) != len(rest) or (before is not None and before.parts < len(parts)):
            continue
        if not whole.periodic or not all(part.periodic for part in parts):
            continue
        shared = _shared_tags(book, currency, name, whole, parts, span[1])
        made = DerivedFigure(whole.amount - sum(part.amount for part in parts), len(parts), shared)
        if not shared or made == before:
            continue
        if any(book.is_recast_between(currency, name, part.last_filed, whole.since) for part in parts):
            book.unlike_parts.add((name, quarter))
            continue  # the parts are of another scope, until a later report states them again
        if _is_same_vintage(whole, parts) and not (name == "revenue" and made.amount < 0):
            book.unlike_parts.discard((name, quarter))
            held.derived[name] = made
            changed = True
    return changed


def _shared_tags(
    book: FilerFigures, currency: str | None, name: str, whole: LatestValue, parts: list[LatestValue], day: str
) -> frozenset[str]:
    """The tags that a sum and all its parts share; those of the sum where comparatives show them to be the same."""
    shared = whole.tags.intersection(*(part.tags for part in parts))
    if shared:
        return shared
    others = [part.tags for part in parts if whole.tags.isdisjoint(part.tags)]
    is_one = all(book.carry_one_quantity(currency, name, whole.tags, tags, day) for tags in others)
    return whole.tags if is_one and others else shared


def _is_same_vintage(whole: LatestValue, parts: list[LatestValue]) -> bool:
    """Whether all parts were filed after the whole's last other value: not if only the whole was restated."""
    return all(part.last_filed > whole.superseded for part in parts)
