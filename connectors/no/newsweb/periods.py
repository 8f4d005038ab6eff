"""Determines the period of a report from its headline, text or attachment names (docs/formats/no.md 8).

A stated last day is used literally («quarter ended 31 March 2026», `eqnr20231231NO.zip`). A year, half-year or
quarter alone («Q2 2026», «annual report 2025») means the calendar period, and is marked as not dated. Two years or
quarters in one text give no period. The headline comes first, and later texts may only make it more exact: a text
or package name with another period contradicts it, and then there is no period. Does not belong here: which
announcements are reports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from connectors.no.newsweb import period_words as words

_BLANK: Final = re.compile(r"\s+")
# Longest time between a period's end and the publication of its report.
_LATEST_YEAR: Final = timedelta(days=500)
_LATEST_PART: Final = timedelta(days=150)


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """First and last day. `is_dated`: the last day was stated explicitly."""

    start: date
    end: date
    is_dated: bool


@dataclass(frozen=True, slots=True)
class StatedPeriod:
    """The period an announcement states; none if its parts contradict each other."""

    period: ReportPeriod | None
    is_contradictory: bool = False


def annual_statement(texts: Iterable[str | None], attachments: Iterable[str], published: date) -> StatedPeriod:
    """Period of an annual report: from the first text that states one, refined by the others and package names."""
    found = _combine_statements(_normalise_blanks(texts), _OF_YEAR, published)
    days = _years_in_package_names(attachments, published)
    told = found.period
    if told is None:
        return found if found.is_contradictory or len(days) != 1 else StatedPeriod(days[0])
    same = [day for day in days if day.end.year == told.end.year]
    if told.is_dated or not days or same:
        return StatedPeriod(same[-1] if same and not told.is_dated else told)
    # a year named after its first day («2025» ended in March 2026), or an unrelated date
    return StatedPeriod(None, is_contradictory=True) if any(_is_consistent(told, day) for day in days) else found


def interim_statement(texts: Iterable[str | None], published: date) -> StatedPeriod:
    """Quarter or half-year of an interim report; if both are stated, the half-year, which contains the quarter."""
    return _combine_statements(_normalise_blanks(texts), _OF_PART, published)


def find_first_date(text: str) -> date | None:
    """The first date in a text; numeric dates are day first, as in Europe."""
    found = words.ANY_DAY.search(_BLANK.sub(" ", text))
    return None if found is None else _matched_day(found)


def _normalise_blanks(texts: Iterable[str | None]) -> Iterator[str]:
    return (_BLANK.sub(" ", text) for text in texts if text)


def _matched_day(found: re.Match[str]) -> date | None:
    for place in "1234":
        day, month, year = (found[f"{part}{place}"] for part in "dmy")
        if day is not None:
            try:
                return date(int(year), words.MONTHS.get(month.lower()) or int(month), int(day))
            except ValueError:
                return None
    return None


def _combine_statements(texts: Iterable[str], kind: _ReportKind, published: date) -> StatedPeriod:
    """Evaluates texts in order, headline first: a stated day refines an earlier period or contradicts it."""
    told: ReportPeriod | None = None
    is_named = False
    for text in texts:
        dated = _periods_with_stated_end(text, kind, published)
        if told is not None:
            same = [period for period in dated if _is_consistent(told, period)]
            if dated and not same:
                return StatedPeriod(None, is_contradictory=True)
            told = _with_exact_end(told, same)
        elif dated:
            told = dated[-1]
        elif not is_named and (named := kind.named(text)):
            is_named = True
            told = _plausible_period(named[0], published, kind.latest) if len(named) == 1 else None
    return StatedPeriod(told)


def _is_consistent(told: ReportPeriod, dated: ReportPeriod) -> bool:
    """True if a dated period matches one stated before; a bare year may be that of its first or last day."""
    if told.is_dated or not _is_full_year(told):
        return told.end == dated.end
    return told.end.year in {dated.start.year, dated.end.year}


def _with_exact_end(told: ReportPeriod, dated: list[ReportPeriod]) -> ReportPeriod:
    """The period refined to the stated last day; of two lengths ending on it, the longer one."""
    if not dated:
        return told
    newest = dated[-1]
    return newest if newest.start <= told.start or _is_full_year(told) else ReportPeriod(told.start, told.end, True)


def _is_full_year(period: ReportPeriod) -> bool:
    return period.end.year * 12 + period.end.month - period.start.year * 12 - period.start.month == 11  # noqa: PLR2004


def _periods_with_stated_end(text: str, kind: _ReportKind, published: date) -> list[ReportPeriod]:
    """Periods with a stated last day, without mere comparatives; newest and longest last."""
    periods: list[ReportPeriod] = []
    for found in words.ENDED.finditer(text):
        end, what = _matched_day(found), found["what"].lower()
        months = words.NORWEGIAN.get(what) or next(words.LENGTHS[word] for word in words.LENGTHS if word in what)
        if end is None or months not in kind.months or words.COMPARED.search(text[: found.start()]):
            continue
        period = _plausible_period(ReportPeriod(_first_day(end, months), end, True), published, kind.latest)
        periods += [] if period is None else [period]
    return sorted(periods, key=lambda period: (period.end, -period.start.toordinal()))


def _years_in_package_names(names: Iterable[str], published: date) -> list[ReportPeriod]:
    """Years ending on a date in a package name: only month ends, since names contain other dates too."""
    ends: set[date] = set()
    for name in names:
        if not name.lower().endswith(words.PACKAGE):
            continue
        for found in words.NAMED_DAY.finditer(name):
            try:
                day = date(int(found[1]), int(found[3]), int(found[4]))
            except ValueError:
                continue
            if (day + timedelta(days=1)).day == 1:
                ends.add(day)
    years = (
        _plausible_period(ReportPeriod(_first_day(end, 12), end, True), published, _LATEST_YEAR) for end in sorted(ends)
    )
    return [year for year in years if year is not None]


def _first_day(end: date, months: int) -> date:
    """First day of a period of `months` months with this last day."""
    after = end + timedelta(days=1)
    count = after.year * 12 + after.month - 1 - months
    return date(count // 12, count % 12 + 1, min(after.day, 28))


def _parse_half_year(text: str) -> ReportPeriod | None:
    years = {int(found["y1"] or found["y2"]) for found in words.HALF.finditer(text)}
    if not years and words.BOTH.search(text):
        quarter = _parse_quarter(text)
        years = {quarter.end.year} if quarter is not None and quarter.end.month == 6 else set()  # noqa: PLR2004
    if len(years) != 1:
        return None
    year = years.pop()
    return ReportPeriod(date(year, 1, 1), date(year, 6, 30), False)


def _named_years(text: str) -> list[ReportPeriod]:
    years = {int(found["y1"] or found["y2"]) for found in words.YEAR.finditer(text)}
    return [ReportPeriod(date(year, 1, 1), date(year, 12, 31), False) for year in years]


def _named_part_year(text: str) -> list[ReportPeriod]:
    told = _parse_half_year(text) or _parse_quarter(text)
    return [] if told is None else [told]


def _parse_quarter(text: str) -> ReportPeriod | None:
    """One quarter, or the first quarters of a year together; None for a range that begins later."""
    told = {pair: found for found in words.QUARTER.finditer(text) if (pair := _year_and_quarter(found)) is not None}
    if len(told) != 1:
        return None
    ((year, quarter), found) = told.popitem()
    ranged = words.RANGE.search(text[: found.start()])
    first = quarter if ranged is None else _quarter_number(ranged)
    if ranged is not None and first != 1:
        return None
    after = date(year + quarter // 4, quarter % 4 * 3 + 1, 1)
    return ReportPeriod(date(year, first * 3 - 2, 1), after - timedelta(days=1), False)


def _quarter_number(found: re.Match[str]) -> int:
    return int(found["q"] or next(place for place in "1234" if found[f"r{place}"]))


def _year_and_quarter(found: re.Match[str]) -> tuple[int, int] | None:
    year = found["y1"] or found["y2"] or found["y3"] or found["y4"]
    quarter = found["q"] or found["q_"]
    if quarter is None:
        quarter = next((place for place in "1234" if found[f"q{place}"] or found[f"r{place}"]), None)
    if year is None or quarter is None:
        return None
    return (int(year) if len(year) == 4 else 2000 + int(year)), int(quarter)  # noqa: PLR2004


def _plausible_period(period: ReportPeriod, published: date, latest: timedelta) -> ReportPeriod | None:
    """The period if it ended before publication, and recently enough; otherwise the text means another year."""
    return period if period.end < published <= period.end + latest else None


@dataclass(frozen=True, slots=True)
class _ReportKind:
    """A kind of report: months covered, longest delay after the period's end, periods named without a day."""

    months: frozenset[int]
    latest: timedelta
    named: Callable[[str], list[ReportPeriod]]


_OF_YEAR: Final = _ReportKind(frozenset({12}), _LATEST_YEAR, _named_years)
_OF_PART: Final = _ReportKind(frozenset({3, 6, 9}), _LATEST_PART, _named_part_year)
