"""Parses a notification in the supervisor's form, and issuers' own tables of several notifications.

Belongs here: the rows of FIN-FSA's form in English and Finnish (docs/formats/fi.md 6.3); the Finnish table
«Julkaisupäivä, Tapahtumapäivä, Osakkeenomistaja, Kynnys, Suora omistus, Kokonaisomistus», flattened to one line
each, in which cells run into each other. Does not belong here: the columns of a row of the form (`form_row`), text
extraction (`text`), staged rows (`dataset`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from connectors.kit.columns.percentages import percentage_from_text
from connectors.nasdaq.major_holdings.form_row import (
    FormColumn,
    NotFlaggingFormError,
    PercentageLevel,
    has_figure,
    parse_columns,
)

_NOW: Final = re.compile(
    r"Resulting\s+situation\s+on\s+the\s+date\s+on\s+which\s+(?:the\s+)?threshold\s+was\s+(?:crossed\s+or\s+reached"
    r"|reached\s+or\s+crossed)|Osuus\s+liputusrajan\s+saavuttamisen\s+tai\s+rikkoutumisen\s+jälkeen",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"Positions?\s+of\s+(?:the\s+)?previous\s+notification|Edellisessä\s+(?:liputus)?ilmoituksessa\s+ilmoitettu\s+osuus",
    re.IGNORECASE,
)
_DETAILS: Final = re.compile(
    r"Notified\s+details|Tiedot\s+osuudesta|(?<=\w)[^\w\n]*+(?P<line>\n)\W*+A\s*[:)]\s*(?:Shares|Osakkeet|%)",
    re.IGNORECASE,
)
_SUBTOTAL: Final = re.compile(r"(?:SUBTOTAL|VÄLISUMMA)\s+A\b(.{0,120})", re.IGNORECASE | re.DOTALL)
_COLUMNS: Final = 3
_TABLE_HEAD: Final = re.compile(r"Tapahtumapäivä\W*Osakkeenomistaja\W*Kynnys\W*Suora omistus %\W*Kokonaisomistus %")
_DAY: Final = r"(\d{1,2})\.(\d{1,2})\.(\d{4})"
_TABLE_LINE: Final = re.compile(
    rf"^[^\w\n]*+{_DAY}\W*+{_DAY}\W*+(?P<holder>\D{{1,200}}?)\W{{0,60}}(?:yli|alle)\s*\d+(?:,\d+)?\s*%\W*+"
    r"(?P<direct>\d+(?:,\d+)?)\s*%\W*+(?P<total>\d+(?:,\d+)?)\s*%",
    re.MULTILINE | re.IGNORECASE,
)
_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class FormPosition:
    """One row of the form."""

    shares_and_votes: FormColumn | None
    instruments: FormColumn | None
    total: FormColumn | None


@dataclass(frozen=True, slots=True)
class FlaggingNotification:
    """One holder's current position and the one of the previous notification."""

    holder: str
    issuer: str | None
    business_id: str | None
    day: date | None
    now: FormPosition
    before: FormPosition | None


def parse_positions(text: str) -> tuple[FormPosition, FormPosition | None]:
    """The rows of the new situation and of the previous notification. Raises NotFlaggingFormError."""
    now = _NOW.search(text)
    if now is None:
        raise NotFlaggingFormError("no row of the resulting situation")
    before = _BEFORE.search(text, now.end())
    details = _details_start(text, now.end())
    end = before.start() if before else details
    found = _parse_position(text[now.end() : end], text)
    if found is None:
        raise NotFlaggingFormError("no percentages in the row of the resulting situation")
    if before is None:
        return found, None
    last = details if details > before.end() else len(text)
    return found, _previous_position(text[before.end() : last])


def _details_start(text: str, begins: int) -> int:
    """Offset of the details: their line, with the empty ones before it. The end of the text if there are none.

    `begins`: an offset after a word, so that every line starting with «A:» has a line before it.
    """
    found = _DETAILS.search(text, begins)
    if found is None:
        return len(text)
    return found.start() if found["line"] is None else found.start("line")


def _previous_position(row: str) -> FormPosition | None:
    """The row of the previous notification; if it cannot be parsed, the new situation is still used."""
    try:
        return _parse_position(row, "")
    except NotFlaggingFormError:
        return None


def _parse_position(row: str, text: str) -> FormPosition | None:
    found = parse_columns(row)
    figures = [column for column in found if column is not None]
    if len(found) == _COLUMNS:
        held, instruments, total = found
        if held is not None and instruments is not None and total is None:
            raise NotFlaggingFormError("two percentages in a row of the form, and no total")
        return FormPosition(held, instruments, total) if figures else None
    if not figures:
        return None
    # which columns these are is unknown, except that the last is the total
    is_held = len(figures) == 1 and has_figure(_subtotal_text(text))
    return FormPosition(figures[0], None, None) if is_held else FormPosition(None, None, figures[-1])


def _subtotal_text(text: str) -> str:
    found = _SUBTOTAL.search(text)
    return "" if found is None else found.group(1)


def parse_table_notifications(text: str) -> list[FlaggingNotification | NotFlaggingFormError]:
    """The lines of such a table, or the reason for a line that cannot be parsed; empty for other texts."""
    if _TABLE_HEAD.search(text) is None:
        return []
    return [_line_notification(found) for found in _TABLE_LINE.finditer(text)]


def _line_notification(found: re.Match[str]) -> FlaggingNotification | NotFlaggingFormError:
    """Position held directly and in total; the table has no votes."""
    try:
        day = date(int(found[6]), int(found[5]), int(found[4]))
    except ValueError:
        return NotFlaggingFormError(f"{found[4]}.{found[5]}.{found[6]} is no day")
    total = percentage_from_text(found["total"])
    if total > _HUNDRED:
        return NotFlaggingFormError(f"expected a percentage, found {total}")
    held = FormColumn(PercentageLevel(exact=total), None)
    return FlaggingNotification(found["holder"].strip(), None, None, day, FormPosition(held, None, None), None)
