"""Parses the period stated in a headline: «January–September 2026», «1.1.–30.9.2026», «Q3 2026».

Only stated periods count: a year alone does not give its months, and a quarter counts only if it fits the day
of the release, since some years begin in autumn. Does not belong here: which releases are reports
(`categories`).
"""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import Final

_MONTHS: Final = {
    word: place
    for words in (
        "january february march april may june july august september october november december",
        "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
        "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
        "januari februari mars april maj juni juli augusti september oktober november december",
        "januar februar marts april maj juni juli august september oktober november desember",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for place, word in enumerate(words.split(), start=1)
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_TO: Final = r"\s*(?:[-–—−]|to|till|until)\s*"
_YEAR: Final = r"(\d{4})(?![/\d–-])"
_LAST_YEAR: Final = r"(?P<last_year>\d{4})(?![/\d–-])"
_DAYS: Final = re.compile(
    r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.?\s*(?P<year>\d{4})?"
    rf"{_TO}(?P<last_day>\d{{1,2}})\.(?P<last_month>\d{{1,2}})\.\s*{_LAST_YEAR}"
)
# a whole word; in Finnish with its case ending: «syyskuun», «syyskuulta»
_CASE: Final = r"(?:(?<=kuu)(?:n|ta|na|ksi|ssa|sta|hun|lla|lta|lle))?\b"
_NAMED: Final = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})\.?\s+)?(?P<month>{_MONTH}){_CASE}\s*(?P<year>\d{{4}})?"
    rf"{_TO}(?:(?P<last_day>\d{{1,2}})\.?\s+)?(?P<last_month>{_MONTH}){_CASE},?\s+{_LAST_YEAR}",
    re.IGNORECASE,
)
_MONTH_FIRST: Final = re.compile(  # «January 1 - September 30, 2026»
    rf"\b(?P<month>{_MONTH})\s+(?P<day>\d{{1,2}})(?:,?\s+(?P<year>\d{{4}}))?"
    rf"{_TO}(?P<last_month>{_MONTH})\s+(?P<last_day>\d{{1,2}}),?\s+{_LAST_YEAR}",
    re.IGNORECASE,
)
_QUARTER: Final = re.compile(rf"\bQ([1-4])\s*/?\s*{_YEAR}|(?<!\d)(\d{{4}})\s*/?\s*Q([1-4])\b", re.IGNORECASE)
_QUARTERS: Final = re.compile(
    rf"\bQ([1-4])\s*/?\s*(\d{{4}})?{_TO}Q?([1-4])\s*/?\s*{_YEAR}"
    rf"|(?<!\d)(\d{{4}})\s*/?\s*Q([1-4]){_TO}Q?([1-4])(?![\w/-])",
    re.IGNORECASE,
)
_ANY_QUARTER: Final = re.compile(r"\bQ([1-4])(?!\d)", re.IGNORECASE)
_HALF: Final = re.compile(rf"\bH1\s*/?\s*{_YEAR}", re.IGNORECASE)
_LATEST: Final = 150  # days after its end within which a report is still of that period
# a quarter by its number only: issuers report within three months, and Q1 of a year that begins in April ends in June
_LATEST_NUMBERED: Final = 100
_LONGEST: Final = 400
Period = tuple[date, date]


def stated_period(headline: str, released: date) -> Period | None:
    """First and last day stated in the headline; None if none is stated, or none that fits the release."""
    dated = ((_dated_period(pattern.search(headline)), _LATEST) for pattern in (_DAYS, _NAMED, _MONTH_FIRST))
    half = _HALF.search(headline)
    numbered = [(_build_period(None, 1, None, None, 6, half.group(1)), _LATEST)] if half is not None else []
    for found, latest in (*dated, *numbered, (_period_by_quarter(headline), _LATEST_NUMBERED)):
        if found is not None:
            start, end = found
            fits = 0 <= (released - end).days <= latest and 0 < (end - start).days <= _LONGEST
            return found if fits else None
    return None


def _dated_period(found: re.Match[str] | None) -> Period | None:
    if found is None:
        return None
    month, last_month = (
        int(text) if text.isdecimal() else _MONTHS[text.lower()] for text in found.group("month", "last_month")
    )
    return _build_period(found["day"], month, found["year"], found["last_day"], last_month, found["last_year"])


def _period_by_quarters(headline: str) -> Period | None:
    """A range of quarters is one period from the first to the last."""
    found = _QUARTERS.search(headline)
    if found is None:
        return None
    first, year, last, last_year = found.groups()[:4]
    if first is None:
        year = None
        last_year, first, last = found.groups()[4:]
    return _build_period(None, 3 * int(first) - 2, year, None, 3 * int(last), last_year)


def _period_by_quarter(headline: str) -> Period | None:
    found = _QUARTER.search(headline)
    if found is None or len(set(_ANY_QUARTER.findall(headline))) > 1:
        return _period_by_quarters(headline)  # or several that make no range: it is not stated which one is meant
    quarter, year = (found.group(1), found.group(2)) if found.group(1) else (found.group(4), found.group(3))
    last = 3 * int(quarter)
    return _build_period(None, last - 2, None, None, last, year)


def _build_period(
    day: str | None, month: int, year: str | None, last_day: str | None, last_month: int, last_year: str
) -> Period | None:
    """The days; months without days are whole, and a start without a year is of the same or the previous year."""
    ends = int(last_year)
    begins = int(year) if year else ends - (month > last_month)
    try:
        end = date(ends, last_month, int(last_day) if last_day else calendar.monthrange(ends, last_month)[1])
        return date(begins, month, int(day or 1)), end
    except ValueError:
        return None
