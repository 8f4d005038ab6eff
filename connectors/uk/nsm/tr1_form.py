"""Parses form TR-1 from the text of an announcement «Holding(s) in Company»: DTR 5 (docs/formats/uk.md 10.4).

Belongs here: the form's issuer, holder, day of the crossing, and the two rows of section 7. Layouts differ between
wires and years, so sections are found by their labels, never by position. A text that cannot be parsed this way
gives `NotTr1FormError` with the missing part; figures are read from nowhere else. Does not belong here: linking to
a company, or staged rows (`dataset`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from connectors.kit.columns.percentages import percentage_from_text

_LONGEST: Final = 6_000  # maximum characters of one section of the form
_BLANK: Final = re.compile(r"[\s|\u00a0]+")
_NOTE: Final = r"(?:\s*\b[ivx]{1,5}\b)?\s*[:.]?\s*"  # a footnote's roman numeral within the text
_FORM: Final = re.compile(r"\bTR-?1\b|notification of major (?:holdings|interests? in shares)", re.IGNORECASE)
_ISSUER: Final = re.compile(
    r"\bIssuer Name\b(?P<new>.*?)\bUK or Non-UK Issuer\b"
    r"|\bIdentity of the issuer(?: or the underlying issuer of existing shares to which voting rights are "
    r"attached)?" + _NOTE + r"(?P<old>.*?)(?:\b1b\b|\b2\s*\.?\s*Reason)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_ISIN: Final = re.compile(r"\b([A-Z]{2}[A-Z0-9]{9}[0-9])\b")
_PERSON: Final = re.compile(r"Details of person\(?s?\)? subject to the notification obligation", re.IGNORECASE)
_SHAREHOLDER: Final = re.compile(
    r"\b4\s*\.\s*(?:Full name of|Details of the) shareholder|Full name of shareholder", re.IGNORECASE
)
_NAME: Final = re.compile(
    r"\bName\b\s*:?\s*(.*?)\s*(?=\bCity (?:and country )?of registered|\bCountry of registered|$)",
    re.IGNORECASE | re.DOTALL,
)
_CITY_AND_COUNTRY: Final = re.compile(
    r"City and country of registered office\s*(?:\(if applicable\)?)?\s*:?\s*(.*)$", re.IGNORECASE | re.DOTALL
)
_COUNTRY: Final = re.compile(
    r"Country of registered office\s*(?:\(if applicable\)?)?\s*:?\s*(.*)$", re.IGNORECASE | re.DOTALL
)
_CROSSED: Final = re.compile(r"Date on which (?:the )?threshold (?:was|is) crossed or reached" + _NOTE, re.IGNORECASE)
_NOW: Final = re.compile(
    r"Resulting situation on the date on which (?:the )?threshold was (?:crossed or reached|reached or crossed)"
    + _NOTE,
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"Positions? of (?:the )?previous notification\s*(?:\(\s*if\s+applicable\s*\)?)?", re.IGNORECASE
)
_END: Final = re.compile(r"\b8\s*\.\s*Notified details|Notified details of the resulting", re.IGNORECASE)
_CELL: Final = re.compile(
    r"(?P<below>(?:below|under|less than|<)\s*(?:the\s+)?(?:(?P<limit>\d{1,2}(?:\.\d+)?)\s*(?:%|per\s?cent)?"
    r"|(?:minimum|notifiable|lowest)?\s*(?:notifiable\s+|reportable\s+|notification\s+)?threshold))"
    r"|(?P<empty>\bn\s*[/.]\s*a\b\.?|\bnil\b|\bnone\b|(?<!\S)[-–—](?!\S))"
    r"|(?P<count>(?<![\d.,])\d{1,3}(?:,\d{3}){1,5}(?![\d,])(?:\.0+)?|(?<![\d.,])\d{4,15}(?![\d.,]))"
    r"|(?P<share>(?<![\d.,])\d{1,3}(?:[.,]\d{1,10})?(?![\d,]|\.\d))\s*(?P<percent>%)?",
    re.IGNORECASE,
)
_FOOTNOTE: Final = re.compile(r"\(\s*(?:\d{1,2}|[ivx]{1,5}|\*+)\s*\)", re.IGNORECASE)
_NO_NAME: Final = re.compile(
    r"n\s*[/.]?\s*a\.?|none|nil|not applicable|as above|(?:please\s+)?(?:see|refer to|as per)\b.*|same as\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LOOSE_POINT: Final = re.compile(r"(?:^|\s)[.,]\d")  # of the figure before it, or of one below 1: it is unclear which
_SIGNED: Final = re.compile(r"[-–−]\d")  # a negative share or a range: neither is a position
_WEEKDAY: Final = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?\s+)?"
_DAY: Final = re.compile(
    r"(?P<iso>\d{4}([-/])\d{2}\2\d{2})(?!\d)"
    rf"|{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s\-/.]+(?:of\s+)?(?:(?P<month>\d{{1,2}})[\s\-/.,]+"
    r"|(?P<word>[A-Za-z]{3,9})[\s\-/.,]*)(?P<year>\d{4}|\d{2})(?!\d)"
    rf"|{_WEEKDAY}(?P<named>[A-Za-z]{{3,9}})\.?\s+(?P<on>\d{{1,2}})(?:st|nd|rd|th)?\s*,\s*(?P<in>\d{{4}})(?!\d)",
    re.IGNORECASE,
)
_SPELT_AS: Final = re.compile(r"^[\s:]*(?:\(\s*[dmy/.\- ]+\))?[\s:]*", re.IGNORECASE)  # (DD/MM/YYYY):
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_THREE: Final = 3  # percentage columns: shares, instruments, total
_HUNDRED: Final = Decimal(100)
_CONTRADICTS: Final = Decimal("0.1")  # larger than any rounding difference between the parts and their sum
_HIGHEST_LOWEST_THRESHOLD: Final = Decimal(10)  # docs/formats/uk.md 10.4: 3, 5, or 10 of asset managers
_CENTURY: Final = 2000
_SHORT_YEAR: Final = 100


class NotTr1FormError(Exception):
    """The text is no form TR-1, or cannot be parsed; the message states which part is missing."""


@dataclass(frozen=True, slots=True)
class PositionLevel:
    """One cell: a percentage, or «below the lowest threshold»; both None for an empty cell."""

    exact: Decimal | None = None
    is_below: bool = False


@dataclass(frozen=True, slots=True)
class VotingPosition:
    """One row of section 7: votes attached to shares, through instruments, and in total."""

    votes: PositionLevel | None
    instruments: PositionLevel | None
    total: PositionLevel
    count: int | None


@dataclass(frozen=True, slots=True)
class MajorHoldingNotification:
    """Content of one form."""

    issuer: str | None
    isin: str | None
    holder: str
    country: str | None  # as written
    crossed_on: date | None
    now: VotingPosition
    before: VotingPosition | None
    forms: int = 1  # number of forms the text seems to contain; the first is read
    is_day_in_numbers: bool = False  # of the crossing: its day may be the month


def parse_notification(text: str) -> MajorHoldingNotification:
    """Parses the form in a text. Raises NotTr1FormError."""
    if _FORM.search(text) is None and _NOW.search(_single_line(text)) is None:
        raise NotTr1FormError(
            "no form TR-1 in the text: the announcement refers to an attachment, or is of another kind"
        )
    flat = _single_line(text)
    name, country = _holder_and_country(flat)
    now = _NOW.search(flat)
    if now is None:
        raise NotTr1FormError("no row «Resulting situation on the date on which threshold was crossed or reached»")
    before = _BEFORE.search(flat, now.end())
    end = _END.search(flat, now.end())
    last = end.start() if end else min(len(flat), now.end() + _LONGEST)
    found = _parse_position(flat[now.end() : before.start() if before and before.start() < last else last])
    if found is None:
        raise NotTr1FormError("no percentages in the row of the resulting situation")
    earlier = flat[before.end() : last] if before and before.end() < last else ""
    issuer, isin = _issuer_and_isin(flat)
    forms = max(1, min(len(_PERSON.findall(flat)), len(_BEFORE.findall(flat))))
    crossed_on, is_in_numbers = _crossing_day(flat)
    return MajorHoldingNotification(
        issuer, isin, name, country, crossed_on, found, _previous_position(earlier), forms, is_in_numbers
    )


def _single_line(text: str) -> str:
    """Text on one line; bars and line breaks are dropped, since cells are separated by their own shape."""
    return _BLANK.sub(" ", text)


def _issuer_and_isin(flat: str) -> tuple[str | None, str | None]:
    person = _PERSON.search(flat)
    head = flat[: person.start() if person else _LONGEST][-_LONGEST:]
    found = _ISSUER.search(head)
    name = (found["new"] or found["old"] or "") if found else ""
    isin = _ISIN.search(head)
    bare = _ISIN.sub(" ", name).replace("ISIN", " ") if isin else name
    return _trim_text(bare), isin[1] if isin else None


def _holder_and_country(flat: str) -> tuple[str, str | None]:
    """Name and country of the notifying person; the city may be a personal address and is not read."""
    begin = _PERSON.search(flat)
    if begin is None:
        raise NotTr1FormError("no section «Details of person subject to the notification obligation»")
    end = _SHAREHOLDER.search(flat, begin.end())
    section = flat[begin.end() : end.start() if end else begin.end() + _LONGEST][:_LONGEST]
    found = _NAME.search(section)
    name = _trim_text(found[1]) if found else None
    if name is None or _NO_NAME.fullmatch(name):
        raise NotTr1FormError("no name of the person subject to the notification obligation")
    both = _CITY_AND_COUNTRY.search(section)
    if both is not None:
        return name, _trim_text(both[1].rpartition(",")[2])
    country = _COUNTRY.search(section)
    return name, _trim_text(country[1]) if country else None


def _trim_text(text: str) -> str | None:
    bare = re.sub(r"\s+[ivx]{1,5}$", "", text.strip(" :;|-–,\t"))
    return bare[:300] or None


def _crossing_day(flat: str) -> tuple[date | None, bool]:
    """Day of section 5, None without a valid one, and whether its month is a number, before or after the day."""
    found = _CROSSED.search(flat)
    while found is not None:
        stated = _DAY.match(_SPELT_AS.sub("", flat[found.end() : found.end() + 60]))
        if stated is not None:
            return _parse_day(stated), stated["month"] is not None
        found = _CROSSED.search(flat, found.end())
    return None, False


def _parse_day(found: re.Match[str]) -> date | None:
    """Date in British order (day first)."""
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"].replace("/", "-"))
        word = found["word"] or found["named"]
        month = int(found["month"]) if word is None else _MONTHS.index(word[:3].casefold()) + 1
        year = int(found["year"] or found["in"])
        return date(year + _CENTURY if year < _SHORT_YEAR else year, month, int(found["day"] or found["on"]))
    except ValueError:
        return None


def _previous_position(row: str) -> VotingPosition | None:
    """Row of the previous notification; None if unreadable, without affecting the new position."""
    try:
        return _parse_position(row)
    except NotTr1FormError:
        return None


def _parse_position(row: str) -> VotingPosition | None:
    """Parses one row: three percentages and the number of votes. A single percentage is the total."""
    row = _FOOTNOTE.sub(" ", row)
    if _SIGNED.search(row) is not None:
        raise NotTr1FormError("a negative share or a range in a row of section 7")
    if _LOOSE_POINT.search(row) is not None:
        raise NotTr1FormError("digits behind a loose point in a row of section 7")
    shares, count = _split_cells(row)
    levels = [_parse_level(cell) for cell in shares]
    if not any(levels):
        return None
    if len(levels) == 1 and levels[0] is not None and _is_clearly_percentage(shares[0]):
        return VotingPosition(None, None, levels[0], count)
    if len(levels) != _THREE:
        raise NotTr1FormError(f"expected three percentages in a row of section 7, found {len(levels)}")
    votes, instruments, total = levels
    if total is None:
        raise NotTr1FormError("no total of both in a row of section 7")
    if (apart := sum_difference(votes, instruments, total)) is not None and apart > _CONTRADICTS:
        raise NotTr1FormError(f"parts and total of section 7 are {apart} apart: it is unclear which is right")
    return VotingPosition(votes, instruments, total, count)


def _split_cells(row: str) -> tuple[list[re.Match[str]], int | None]:
    """Cells before the number of votes, at most three, and that number."""
    shares: list[re.Match[str]] = []
    for cell in _CELL.finditer(row):
        if cell["count"]:
            return shares, int(re.sub(r"\.0+$|,", "", cell["count"]))
        if len(shares) < _THREE:
            shares.append(cell)
    return shares, None


def _is_clearly_percentage(cell: re.Match[str]) -> bool:
    """True if a cell is unambiguously a percentage; a bare integer may count anything."""
    return bool(cell["percent"] or cell["below"] or "." in cell[0] or "," in cell[0])


def sum_difference(
    votes: PositionLevel | None, instruments: PositionLevel | None, total: PositionLevel
) -> Decimal | None:
    """Difference between the two parts and the total of a row; None if one of them is no figure."""
    parts = [level.exact if level is not None else None for level in (votes, instruments, total)]
    shares, others, both = parts
    if shares is None or others is None or both is None:
        return None
    return abs(shares + others - both)


def _parse_level(cell: re.Match[str]) -> PositionLevel | None:
    if cell["empty"]:
        return None
    if cell["below"]:
        if cell["limit"] and Decimal(cell["limit"]) > _HIGHEST_LOWEST_THRESHOLD:
            raise NotTr1FormError(f"below {cell['limit']} %, which is no lowest threshold: the position is unknown")
        return PositionLevel(is_below=True)
    share = percentage_from_text(cell["share"])
    if share > _HUNDRED:
        raise NotTr1FormError(f"expected a percentage, found {share}")
    return PositionLevel(share)
