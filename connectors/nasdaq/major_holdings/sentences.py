"""Parses holder, issuer, and day from the sentences around the form of a notification.

Belongs here: names and days in English and Finnish prose. Does not belong here: percentages (`form`).
"""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import Final

from connectors.nasdaq.major_holdings.form import FlaggingNotification, parse_positions
from connectors.nasdaq.major_holdings.form_row import NotFlaggingFormError

_APOSTROPHE: Final = "['’`´]"
_MONTHS: Final = {name.lower(): place for place, name in enumerate(calendar.month_name) if name}
_MONTH: Final = "|".join(_MONTHS)
_START: Final = r"^[^\w\n]*+"  # characters that set off a line
_NAME: Final = r"(?P<name>[^\n|]{1,200}?)"
_HOLDERS: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        rf"{_START}Total\s+positions?\s+of\s+(?P<name>.{{1,200}}?)(?:,?\s+and\s+(?:its|their)\s+[\w\s]{{1,80}}?)?\s+subject\s+to\s",
        rf"{_START}{_NAME},\s+ilmoituksen\s+mukainen\s+kokonaisosuus",
        rf"{_START}{_NAME}\s+has\s+(?:informed|notified)\s",
        rf"{_START}{_NAME}\s+on\s+ilmoittanut",
        rf"(?:§\s*5|Section\s+5)[^\n:]{{0,200}}:\s*{_NAME}{_APOSTROPHE}s?\s+holding\s+in\s",
    )
)
_ISSUERS: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        rf"{_START}(?P<name>[^\n|(]{{1,200}}?)\s*(?:\([^)\n]{{0,200}}\)\s*)?has\s+received\s+a\s+(?:disclosure|notification)",
        rf"{_START}(?P<name>[^\n|(]{{1,200}}?)\s*(?:\([^)\n]{{0,200}}\)\s*)?on\s+vastaanottanut",
        rf"\shas\s+(?:informed|notified)\s+{_NAME}\s+(?:that|it\s+has)\s",
        rf"omistus\s+yhtiössä\s+{_NAME}\s+on\s",
        rf"{_APOSTROPHE}s?\s+holding\s+in\s+{_NAME}\s*$",
    )
)
_NUMBER: Final = re.compile(
    r"\((?:business\s+(?:code|id|identity\s+code)|y-tunnus)[:\s]*(\d{7}-\d)[^)]{0,200}\)\s*(?:has\s+received|on\s+vastaanottanut)",
    re.IGNORECASE,
)
_ENGLISH: Final = re.compile(rf"\bon\s+(\d{{1,2}})\s+({_MONTH})\s+(\d{{4}})", re.IGNORECASE)
_AMERICAN: Final = re.compile(rf"\bon\s+({_MONTH})\s+(\d{{1,2}}),\s*(\d{{4}})", re.IGNORECASE)
_FINNISH: Final = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\s*(?:klo|kello|at\b|\d|[.,]\d))")
# «has received a notification from X on …», «on … received»: the day on which the issuer was told, not the crossing
_RECEIVED: Final = r"\b(?:received|vastaanottanut)\b"
_RECEIVED_BEFORE: Final = re.compile(
    rf"{_RECEIVED}(?:(?!\b(?:that|which|whereby|according|mukaan|että)\b|\.\s+(?-i:[A-ZÅÄÖ]))[^\n|])*$", re.IGNORECASE
)
_RECEIVED_AFTER: Final = re.compile(rf"[\s,]*{_RECEIVED}", re.IGNORECASE)
_CLAUSE: Final = 300  # characters before a day in which it may be called that of the receipt
_LONGEST: Final = 120  # characters of a name


def parse_notification(text: str) -> FlaggingNotification:
    """Parses a normalised text. Raises NotFlaggingFormError if the form or the holder is missing."""
    now, before = parse_positions(text)
    holder = _find_name(_HOLDERS, text)
    if holder is None:
        raise NotFlaggingFormError("no holder in the text")
    number = _NUMBER.search(text)
    return FlaggingNotification(
        holder, _find_name(_ISSUERS, text), number.group(1) if number else None, crossing_day(text), now, before
    )


def crossing_day(text: str) -> date | None:
    """The day of the crossing: the first introduced by «on», or in Finnish the first without a time of day.

    A day on which the issuer received the notification is none.
    """
    if found := _first_crossing(_ENGLISH, text):
        return _valid_day(int(found[3]), _MONTHS[found[2].lower()], int(found[1]))
    if found := _first_crossing(_AMERICAN, text):
        return _valid_day(int(found[3]), _MONTHS[found[1].lower()], int(found[2]))
    if found := _first_crossing(_FINNISH, text):
        return _valid_day(int(found[3]), int(found[2]), int(found[1]))
    return None


def _first_crossing(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next((found for found in pattern.finditer(text) if not _is_receipt(found, text)), None)


def _is_receipt(found: re.Match[str], text: str) -> bool:
    before = text[max(0, found.start() - _CLAUSE) : found.start()]
    return _RECEIVED_BEFORE.search(before) is not None or _RECEIVED_AFTER.match(text, found.end()) is not None


def _valid_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _find_name(patterns: tuple[re.Pattern[str], ...], text: str) -> str | None:
    for pattern in patterns:
        found = pattern.search(text)
        name = " ".join(found["name"].split()).strip(" ,:;") if found else ""
        if name and len(name) <= _LONGEST:
            return name
    return None
