"""Derives quarters that were not filed, as differences of two comparable sums of one fiscal year.

See docs/formats/us.md 12.4.

Only money flows, only of one tag, and only while both sums are of the same vintage: a sum restated alone gives
no quarter. A filed quarter always wins, field by field. Does not belong here: filed figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from connectors.us.financials.amount_scales import are_scales_apart
from connectors.us.financials.latest_values import (
    FLOWS,
    OTHER_SCALE,
    DerivedFigure,
    FilerFigures,
    LatestValue,
    PeriodFigures,
)
from connectors.us.financials.model import Facts, Span
from connectors.us.financials.periods import TOLERANCE, PeriodIndex, SpanLength, day_after, day_ordinal, span_length
from connectors.us.financials.tagged_figures import TaggedFigure

_BEFORE: Final = {
    SpanLength.HALF: SpanLength.QUARTER,
    SpanLength.NINE_MONTHS: SpanLength.HALF,
    SpanLength.YEAR: SpanLength.NINE_MONTHS,
}
_PARTS: Final = frozenset(_BEFORE.values())
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
    for span in reported:
        if span_length(span) in _PARTS:
            _note_restated_part(figures, currency, span, periods)
    return touched


def _note_restated_part(book: FilerFigures, currency: str | None, part: Span, periods: PeriodIndex) -> None:
    """Notes quarters derived before a sum that was taken off was restated, while the longer sum was not."""
    for span in book.starting(currency, part[0]):
        if _BEFORE.get(span_length(span)) is not span_length(part):
            continue
        quarter = periods.canonical_span((day_after(part[1]), span[1]))
        for name, made in book.period(currency, quarter).derived.items():
            less, whole = (book.period(currency, one).items.get(name) for one in (part, span))
            if less is None or whole is None or not less.superseded or less.since <= whole.last_filed:
                continue
            if less.amount + made.amount != whole.amount:
                book.unlike_parts.add((name, quarter))


def repeats_sum(
    book: FilerFigures, currency: str | None, name: str, stated: tuple[Span, TaggedFigure], flows: Mapping[Span, Facts]
) -> bool:
    """Whether a quarter's amount is that of the sum to its end in the same filing, though there was more before it.

    Then a report tagged the sum as the quarter.
    """
    quarter, figure = stated
    if not figure.amount or span_length(quarter) is not SpanLength.QUARTER:
        return False
    sums = [
        span
        for span, facts in flows.items()
        if span[1] == quarter[1] and span_length(span) in _BEFORE and figure.amount in map(facts.get, figure.tags)
    ]
    last = day_ordinal(quarter[0]) - 1
    return any(
        abs(day_ordinal(rest[1]) - last) <= TOLERANCE and item is not None and item.periodic and item.amount
        for span in sums
        for rest in book.starting(currency, span[0])
        for item in (book.period(currency, rest).items.get(name),)
    )


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
        stated, before = _stated_sums(name, sums, others), held.derived.get(name)
        if stated is None or (before is not None and before.parts < len(rest)):
            continue
        whole, parts = stated
        shared = _shared_tags(book, currency, name, whole, parts, span[1])
        made = DerivedFigure(whole.amount - sum(part.amount for part in parts), len(parts), shared)
        if not shared or made == before:
            continue
        if are_scales_apart(whole.amount, whole.amount - made.amount):
            book.doubts.add((OTHER_SCALE, name, span[1]))
            continue
        if any(book.is_recast_between(currency, name, part.last_filed, whole.since) for part in parts):
            book.unlike_parts.add((name, quarter))
            continue  # the parts are of another scope, until a later report states them again
        if not _is_same_vintage(whole, parts):
            book.unlike_parts.update({(name, quarter)} if before is not None else ())
            continue  # what was derived of the whole as it was stands, and is told
        if not (name == "revenue" and made.amount < 0):
            book.unlike_parts.discard((name, quarter))
            held.derived[name] = made
            changed = True
    return changed


def _stated_sums(
    name: str, sums: PeriodFigures, others: list[PeriodFigures]
) -> tuple[LatestValue, list[LatestValue]] | None:
    """A figure of a sum and of what is taken off it; null unless reports give all of them."""
    items = [one.items[name] for one in (sums, *others) if name in one.items]
    if len(items) <= len(others) or not all(item.periodic for item in items):
        return None
    return items[0], items[1:]


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
