"""Dates of Japanese eras and of the Indian national calendar, and digits of those scripts, to ISO 8601.

Belongs here: transforms of the registry's Japanese and Hindi dates that month names alone do not cover.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final


class UnacceptedTextError(ValueError):
    """Text that a transform does not accept: there is no value, and no guess is made."""


_DIGITS: Final = {base + digit: str(digit) for base in (0x0966, 0xFF10) for digit in range(10)}
_ERAS: Final = {"令和": 2018, "令": 2018, "平成": 1988, "平": 1988, "昭和": 1925, "昭": 1925}
_OLDER_ERAS: Final = {"大正": 1911, "大": 1911, "明治": 1867, "明": 1867}
_ERA: Final = r"\s*(明治|明|大正|大|昭和|昭|平成|平|令和|令)\s*(\d{1,2}|元)\s*年\s*(\d{1,2})\s*月\s*"
_CJK: Final = r"\s*(\d{4}|\d{1,2})\s*年\s*(\d{1,2})\s*月\s*"
_DAY: Final = r"(\d{1,2})\s*日\s*"
# Months of the Indian national calendar: stems in Latin and Devanagari, Chaitra first
_SAKA: Final = (
    r"c\S*ait|चैत्र",
    r"vai|वैशाख|बैसाख",
    r"jy|ज्येष्ठ",
    r"a\S*[dḍ]ha|आषाढ",
    r"\S*r[āa]va[nṇ]a|श्रावण|सावन",
    r"bh\S+dra|pro[sṣ][tṭ]hapada|भाद्रपद|भादो",
    r"[aā][sś]\S*in|आश्विन",
    r"k\S+rti|कार्तिक",
    r"m\S+rga|agra|मार्गशीर्ष|अगहन",
    r"pau|पौष",
    r"m\S+gh|माघ",
    r"ph\S+lg|फाल्गुन",
)
_SAKA_DATE: Final = re.compile(r"\s*(\d{1,2})(\D+)(\d{4}|\d{2})\s*")
_SAKA_PARTS: Final = re.compile(r"[\s.,/-]+")
_SAKA_OFFSET: Final = 78  # years between the Saka and the Gregorian era
_LONG_MONTHS: Final = 6  # Chaitra (30 or 31) to Bhadra have 31 days, the others 30


def ascii_digits(text: str) -> str:
    """Devanagari and full-width digits as 0 to 9."""
    return text if text.isascii() else text.translate(_DIGITS)


def _iso_date(year: int, month: str, day: str | None) -> str:
    try:
        found = date(year, int(month), 1 if day is None else int(day))
    except ValueError:
        raise UnacceptedTextError from None
    return found.isoformat()[: 7 if day is None else 10]


def _date_transform(pattern: str, *, is_era: bool, has_day: bool) -> Callable[[str], str]:
    compiled = re.compile(pattern + (_DAY if has_day else ""))

    def transform(text: str) -> str:
        match = compiled.fullmatch(ascii_digits(text))
        if match is None:
            raise UnacceptedTextError
        groups = match.groups()
        if is_era:
            era, count, *rest = groups
            year = (_ERAS | _OLDER_ERAS)[era] + (1 if count == "元" else int(count))
        else:
            count, *rest = groups
            year = int(count) + (2000 if len(count) <= 2 else 0)  # noqa: PLR2004 - short years
        return _iso_date(year, rest[0], rest[1] if has_day else None)

    return transform


def _month_name(between: str) -> str:
    """The month's name: the last separate word between day and year.

    Raises UnacceptedTextError if there is none.
    """
    match _SAKA_PARTS.split(between):
        case [_, *_, word, ""]:
            return word
        case _:
            raise UnacceptedTextError


def _saka_date(text: str) -> str:
    """A day of the Indian national calendar: Chaitra 1 is 22 March, 21 March in leap years."""
    match = _SAKA_DATE.fullmatch(ascii_digits(text))
    if match is None:
        raise UnacceptedTextError
    day, word, year = int(match[1]), _month_name(match[2]), int(match[3])
    month = next((n for n, stem in enumerate(_SAKA, 1) if re.match(stem, word, re.IGNORECASE)), 0)
    if len(match[3]) == 2:  # noqa: PLR2004 - 22 to 99 is the last century's (the registry's rule)
        year += 1900 if year > 21 else 2000  # noqa: PLR2004
    gregorian = year + _SAKA_OFFSET
    leap = gregorian % 4 == 0 and (gregorian % 100 != 0 or gregorian % 400 == 0)
    lengths = [31 if leap else 30, *[31] * (_LONG_MONTHS - 1), *[30] * (12 - _LONG_MONTHS)]
    if not month or not 1 <= day <= lengths[month - 1] or not 1 <= gregorian < date.max.year:
        raise UnacceptedTextError
    start = date(gregorian, 3, 21 if leap else 22)
    return (start + timedelta(days=sum(lengths[: month - 1]) + day - 1)).isoformat()


CALENDARS: Final[Mapping[str, Callable[[str], str]]] = {
    "dateerayearmonthdayjp": _date_transform(_ERA, is_era=True, has_day=True),
    "dateerayearmonthjp": _date_transform(_ERA, is_era=True, has_day=False),
    "date-jpn-era-year-month-day": _date_transform(_ERA, is_era=True, has_day=True),
    "date-jpn-era-year-month": _date_transform(_ERA, is_era=True, has_day=False),
    "dateyearmonthdaycjk": _date_transform(_CJK, is_era=False, has_day=True),
    "dateyearmonthcjk": _date_transform(_CJK, is_era=False, has_day=False),
    "calindaymonthyear": _saka_date,
    "date-ind-day-monthname-year-hi": _saka_date,
}
