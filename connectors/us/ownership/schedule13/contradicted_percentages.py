"""Replaces stated percentages that their own filing and the shares outstanding contradict (docs/formats/us.md 7.1).

0.0748 beside 7,480,000 of 100,000,000 shares is a fraction: 7.48 percent. A first statement of 0 percent beside as many
shares says nothing, and neither does one of less than one percent where no total is known, as the duty to file begins
above five. Other differences are signalled and stay as stated (`holdings.percentage_signals`). Does not belong here:
missing percentages, which are derived.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from connectors.us.ownership.holder_types import Row
from connectors.us.ownership.schedule13.rows import PERCENT_DIFFERS
from connectors.us.ownership.schedule13.schema import SOURCE
from connectors.us.ownership.shares_outstanding import (
    NEAR,
    Outstanding,
    are_one_basis,
    count_near,
    is_not_common,
    is_receipt,
)

BELOW_DUTY: Final = "below_duty"  # signal: a first statement of less than one percent
_ONE: Final = Decimal(1)
_DUTY: Final = Decimal(5)  # percent above which filing is mandatory
_HUNDRED: Final = Decimal(100)
_NOTHING: Final = Decimal(0)

Totals = Mapping[str, Sequence[tuple[str, date, Decimal]]]  # by company: filing, day and total shares that it implies


def with_sound_percentages(rows: Iterable[Row], outstanding: Outstanding) -> list[Row]:
    """The rows of some companies with `doubt`, the signal of a contradicted percentage, and percentages to go by.

    outstanding: shares of each company by the covers; other filings on the company imply totals as well.
    """
    given = list(rows)
    totals = implied_totals(given)
    found = [_with_sound_percentage(row, list(_totals_of(row, totals, outstanding))) for row in given]
    largest: dict[tuple[str, str], Decimal] = {}
    for row in found:
        if row["percent"] is not None:
            filing = row["_company_id"], row[SOURCE]
            largest[filing] = max(largest.get(filing, _NOTHING), row["percent"])
    return [row | {"filingPercent": largest.get((row["_company_id"], row[SOURCE]))} for row in found]


def implied_totals(rows: Iterable[Row]) -> Totals:
    """The total shares that each filing implies which states shares and a percentage of them: those of its largest.

    Percentages below one are too rounded to give a total.
    """
    filings: dict[tuple[str, str], Row] = {}
    for row in rows:
        is_stated = row["percent"] is not None and row["percent"] >= _ONE and Decimal(row["shares"] or 0) > 0
        title = row["classTitle"]
        if not is_stated or _day_of(row) is None or is_receipt(title) or is_not_common(title):
            continue
        largest = filings.setdefault((row["_company_id"], row[SOURCE]), row)
        if row["percent"] > largest["percent"]:
            filings[row["_company_id"], row[SOURCE]] = row
    found: dict[str, list[tuple[str, date, Decimal]]] = defaultdict(list)
    for (company, source), row in filings.items():
        day = _day_of(row)
        if day is not None:
            found[company].append((source, day, Decimal(row["shares"]) * 100 / row["percent"]))
    return found


def _day_of(row: Row) -> date | None:
    day: date | None = row["day"] if "day" in row else row["eventDate"] or row["filedOn"] or row["signedOn"]
    return day


def _totals_of(row: Row, totals: Totals, outstanding: Outstanding) -> Iterator[Decimal]:
    """Total shares near the day of a statement, by the covers and by other filings on the company."""
    company, day = row["_company_id"], _day_of(row)
    if day is None or is_receipt(row["classTitle"]) or is_not_common(row["classTitle"]):
        return
    count = count_near(outstanding.get(company, ()), day)
    if count is not None:
        yield count[0]
    for source, at, total in totals.get(company, ()):
        if source != row[SOURCE] and abs(day - at) <= NEAR:
            yield total


def _with_sound_percentage(row: Row, totals: Sequence[Decimal]) -> Row:
    percent, shares = row["percent"], Decimal(row["shares"] or 0)
    plain = row | {"doubt": None}
    if percent is None or percent > _ONE or shares <= 0:
        return plain
    levels = [shares * 100 / total for total in totals if total]
    is_first = not row["isAmendment"] and not row["isExit"]
    if percent == _NOTHING:
        is_refuted = is_first and bool(levels) and min(levels) > _DUTY
        return row | {"percent": None, "doubt": PERCENT_DIFFERS} if is_refuted else plain
    if not levels:
        is_first = is_first and (row["filingPercent"] or percent) < _ONE
        return row | {"percent": None, "doubt": BELOW_DUTY} if is_first else plain
    is_fraction = any(are_one_basis(percent * _HUNDRED, level) for level in levels)
    if not is_fraction or any(are_one_basis(percent, level) for level in levels):
        return plain
    return row | {"percent": percent * _HUNDRED, "doubt": PERCENT_DIFFERS}
