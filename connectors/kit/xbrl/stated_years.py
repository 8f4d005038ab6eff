"""Compares the financial year that a document states with the periods of its results.

The header and the contexts of a document are written apart: a header may be left over from last year's document, or
days off. Does not belong here: finding the stated year (a market's `document`), figures (`figures`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import date, timedelta
from typing import Final

from connectors.kit.xbrl.facts import is_financial_year

_WEEK: Final = timedelta(days=7)  # by which a first or last day is a slip
Period = tuple[date, date]


def year_of_results(stated: Period, results: Collection[Period], signals: Counter[tuple[str, str]]) -> Period:
    """The stated year; where none of the results are of it, the one of results that begins within a week of it."""
    start, end = stated
    if stated in results:
        return stated
    near = [
        since
        for since, until in results
        if until == end and abs(since - start) <= _WEEK and is_financial_year(since, until)
    ]
    if not near:
        return stated
    signals["other_first_day", "the results begin on another day than the stated year"] += 1
    return min(near, key=lambda since: (abs(since - start), since)), end


def count_other_years(own: Period, results: Collection[Period], signals: Counter[tuple[str, str]]) -> None:
    """Counts results that belong neither to the document's own year nor to one before it, so that they are left out.

    Parts of the own year, such as quarters, are not counted.
    """
    start, end = own
    for since, until in results:
        if (since, until) == own or until < start or not is_financial_year(since, until):
            continue
        if until > end:
            signals["later_figures", "than the stated year: left out"] += 1
        elif since < start or (since == start and end - until <= _WEEK):
            signals["overlapping_period", "with the stated year: left out"] += 1
