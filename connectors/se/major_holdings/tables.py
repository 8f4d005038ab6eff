"""Reads tables of a notice: rows before and after the transaction, and Finansinspektionen's form.

Lines come from a normalised text with cells ending in bars. A column is identified by its heading, a form line
by its label. Does not belong here: sentences (`sentences`), text normalisation
(`connectors.nasdaq.major_holdings.text`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from connectors.kit.columns.percentages import percentage_from_text
from connectors.nasdaq.major_holdings.form_row import FormColumn, NotFlaggingFormError, PercentageLevel
from connectors.se.major_holdings.dates import find_first_day

_BEFORE: Final = re.compile(
    r"^\W*(?:(?:innehav|position|holding)\w*\s+)?(?:före|innan|before|prior\s+to|previous|tidigare)\b", re.IGNORECASE
)
_AFTER: Final = re.compile(
    r"^\W*(?:(?:resulterande|resulting)\s+)?(?:(?:innehav|position|holding)\w*\s+)?(?:efter|after|following|resulting|nuvarande|nytt)\b",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile(r"[<>]?\s*(\d{1,3}(?:[.,]\d{1,6})?)\s*(?:%|procent|per\s?cent|percent)?", re.IGNORECASE)
_SHARE_OF: Final = re.compile(r"%|andel|procent|per\s?cent|percent|proportion|share\s+of|holding\s+of", re.IGNORECASE)
_SHARES: Final = re.compile(r"aktie|kapital|\bshares?\b(?!\s+of\s+(?:the\s+)?(?:vot|röst))|capital", re.IGNORECASE)
_VOTES: Final = re.compile(r"röst|\bvot", re.IGNORECASE)
_COUNT: Final = re.compile(r"\b(?:antal|number|quantity|no\.?)\b", re.IGNORECASE)
_DAY_ROW: Final = re.compile(
    r"^(?P<day>\d{4}-\d{2}-\d{2})[ |]{1,9}\d[\d ]{0,20}?[ |]{1,9}(?P<shares>\d{1,3}[.,]\d{1,6})[ |]{1,9}"
    r"\d[\d ]{0,20}?[ |]{1,9}(?P<votes>\d{1,3}[.,]\d{1,6})[ |%]{0,9}$"
)
_DAY_HEADING: Final = re.compile(r"^\W*(?:shares|aktier)\W+(?:votes|röster)\W*$", re.IGNORECASE)
_SIDES: Final = 2
_HUNDRED: Final = 100
_LEAST: Final = 2  # minimum cells of a table row

# The form of Finansinspektionen, in both its languages.
_FORM_BEFORE: Final = re.compile(r"^\W*(?:before the transaction|före transaktionen)\W*$", re.IGNORECASE)
_FORM_MOVED: Final = re.compile(r"^\W*(?:transaction|transaktion(?:en)?)\W*$", re.IGNORECASE)
_FORM_AFTER: Final = re.compile(r"^\W*(?:after the transaction|efter transaktionen)\W*$", re.IGNORECASE)
_INSTRUMENT: Final = re.compile(r"^\W*instrument\s*[|:]", re.IGNORECASE)
_DATE: Final = re.compile(r"^\W*(?:date|datum)\s*[|:]", re.IGNORECASE)
_HELD: Final = re.compile(
    r"^\W*(?:directly|indirectly|direkt|indirekt)\s+(?:held|innehavda|ägda)\s+"
    r"(?P<what>shares|voting rights|aktier|röster)"
    r"[\s|:]+(?:(?P<percent>\d{1,3}(?:[.,]\d{1,6})?)\s*%)?",
    re.IGNORECASE,
)
_FORM_SHARE: Final = re.compile(r"^\W*(?:percentage|andel|procent)\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PositionTable:
    """Content of a table: position after, position before if stated, and day and holder of a form."""

    now: FormColumn
    before: FormColumn | None
    day: date | None = None
    holder: str | None = None


def parse_register_form(lines: list[str]) -> PositionTable | None:
    """Parses Finansinspektionen's form; None for any other text.

    Raises NotFlaggingFormError without a percentage.
    """
    marks = [_line_index(lines, pattern) for pattern in (_FORM_BEFORE, _FORM_MOVED, _FORM_AFTER)]
    if None in marks or sorted(marks, key=lambda mark: mark or 0) != marks:
        return None
    start, moved, after = (mark for mark in marks if mark is not None)
    shares = after + (_line_index(lines[after:], _FORM_SHARE) or 0)  # these labels also occur above, with numbers
    found = [match for line in lines[shares:] if (match := _HELD.match(line))]
    sums = {
        kind: _sum_percentages([one["percent"] for one in found if _is_kind(kind, one["what"])])
        for kind in ("shares", "votes")
    }
    if sums["shares"] is None and sums["votes"] is None:
        raise NotFlaggingFormError("no percentages in the form after the transaction")
    day = next((find_first_day(line) for line in lines[moved:after] if _DATE.match(line)), None)
    now = FormColumn(*(None if held is None else PercentageLevel(exact=held) for held in sums.values()))
    return PositionTable(now, None, day, _form_holder(lines[:start]))


def _is_kind(kind: str, what: str) -> bool:
    return (kind == "votes") == (_VOTES.search(what) is not None)


def _line_index(lines: list[str], pattern: re.Pattern[str]) -> int | None:
    return next((place for place, line in enumerate(lines) if pattern.match(line)), None)


def _form_holder(lines: list[str]) -> str | None:
    """Holder: the line above «Instrument»."""
    place = _line_index(lines, _INSTRUMENT)
    above = [line.strip(" |") for line in lines[:place] if line.strip(" |")] if place else []
    return above[-1] if above else None


def _sum_percentages(percents: list[str | None]) -> Decimal | None:
    """Sum of direct and indirect holdings; None if neither is stated, or one is withheld."""
    found = [percentage_from_text(percent) for percent in percents if percent is not None]
    if len(found) < len(percents):
        return None
    total = sum(found, Decimal(0))
    if total > _HUNDRED:
        raise NotFlaggingFormError(f"expected a percentage, found {total}")
    return total if found else None


def parse_day_rows(lines: list[str]) -> PositionTable | None:
    """Table of two rows starting with days, shares then votes, each as number and percentage; the later day counts.

    None if the text has no such rows under such a heading, or does not name the later day outside the table.
    """
    found = [match for line in lines if (match := _DAY_ROW.match(line))]
    days = sorted({match["day"] for match in found})
    headed = any(_DAY_HEADING.search(line) for line in lines)
    told = any(days[-1] in line for line in lines if not _DAY_ROW.match(line)) if days else False
    if len(found) != len(days) or len(days) != _SIDES or not (headed and told):
        return None
    before, now = (_day_column(next(one for one in found if one["day"] == day)) for day in days)
    return PositionTable(now, before, find_first_day(days[-1]))


def _day_column(match: re.Match[str]) -> FormColumn:
    shares, votes = (percentage_from_text(match[kind]) for kind in ("shares", "votes"))
    if max(shares, votes) > _HUNDRED:
        raise NotFlaggingFormError(f"expected a percentage, found {max(shares, votes)}")
    return FormColumn(PercentageLevel(exact=shares), PercentageLevel(exact=votes))


def parse_side_rows(lines: list[str]) -> tuple[PositionTable | None, list[str]]:
    """Table of rows before and after the transaction, and the lines outside it.

    Raises NotFlaggingFormError if two rows describe the same side.
    """
    after: list[FormColumn] = []
    before: list[FormColumn] = []
    rest: list[str] = []
    heading: list[str] = []
    for line in lines:
        cells = _split_cells(line)
        rows = (
            None
            if len(cells) < _LEAST
            else after
            if _AFTER.match(cells[0])
            else before
            if _BEFORE.match(cells[0])
            else None
        )
        found = _parse_column(heading, cells) if rows is not None else None
        if rows is None or found is None:
            heading = cells if len(cells) >= _LEAST and _is_heading(cells) else heading
            rest.append(line)
            continue
        rows.append(found)
    now = _only_row(after, "after")
    return (None, lines) if now is None else (PositionTable(now, _only_row(before, "before")), rest)


def _only_row(found: list[FormColumn], side: str) -> FormColumn | None:
    """The row of one side of the transaction; None if there is none."""
    if len({(column.shares, column.votes) for column in found}) > 1:
        raise NotFlaggingFormError(f"more than one row {side} the transaction")
    return found[0] if found else None


def _split_cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.split("|")]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _is_heading(cells: list[str]) -> bool:
    return any(_SHARES.search(cell) or _VOTES.search(cell) for cell in cells) and not any(
        _PERCENT.fullmatch(cell) for cell in cells[1:]
    )


def _parse_column(heading: list[str], cells: list[str]) -> FormColumn | None:
    """Shares and votes of a row by column heading; None if no heading identifies them."""
    if len(heading) != len(cells):
        return None
    shares: PercentageLevel | None = None
    votes: PercentageLevel | None = None
    for title, cell in zip(heading[1:], cells[1:], strict=True):
        percent = _PERCENT.fullmatch(cell)
        is_count = _COUNT.search(title) is not None and "%" not in title and "%" not in cell
        if percent is None or is_count or not (_SHARE_OF.search(title) or "%" in cell):
            continue
        number = percentage_from_text(percent[1])
        if number > _HUNDRED:
            raise NotFlaggingFormError(f"expected a percentage, found {number}")
        level = (
            PercentageLevel(below=number)
            if "<" in cell
            else PercentageLevel(above=number)
            if ">" in cell
            else PercentageLevel(exact=number)
        )
        shares = level if _SHARES.search(title) else shares
        votes = level if _VOTES.search(title) else votes
    return FormColumn(shares, votes) if shares or votes else None
