"""Masks personal identity numbers inside a company's text before archiving (docs/formats/se.md 1).

Belongs here: finding and masking them in text of any ASCII-compatible encoding. Does not belong here: removing
whole records of persons, or which numbers are a company's (`register`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Final

# Digits 3 and 4 are a month; in company numbers the third digit is two or more, so they are never masked. The
# pattern starts with the month's first digit: a search with few possible first bytes is several times as fast.
_LIKELY: Final = re.compile(rb"[01](?<=[0-9]{2}[01])[0-9]{3}( ?(?:[-+\x96]|\xe2\x80[\x90-\x95]) ?| )?[0-9]{4}(?![0-9])")
_YEAR: Final = re.compile(rb"(?<![0-9])(18|19|20)?[0-9]{2}\Z")
_DIGIT: Final = re.compile(rb"[0-9]")
_BEFORE: Final = 5  # bytes before the month, enough to detect a two- or four-digit year
_COORDINATION: Final = 60  # added to the day in a coordination number
_MASK: Final = b"*"


def mask_identity_numbers(text: bytes) -> bytes:
    """Replaces each digit of a personal number by a star; length is kept, and unaffected text is returned as is."""
    kept: list[bytes] = []
    since = 0
    for found in _LIKELY.finditer(text):
        begins = _number_start(text, found)
        if begins is not None:
            kept += (text[since:begins], _DIGIT.sub(_MASK, text[begins : found.end()]))
            since = found.end()
    return b"".join([*kept, text[since:]]) if kept else text


def mask_values(value: Any) -> Any:
    """Masks every text in a JSON value, including member names; a personal number becomes a text."""
    if isinstance(value, str):
        return mask_identity_numbers(value.encode()).decode()
    if isinstance(value, int | float):
        digits = str(value)
        hidden = mask_identity_numbers(digits.encode()).decode()
        return value if hidden == digits else hidden
    if isinstance(value, list):
        return [mask_values(one) for one in value]
    if isinstance(value, dict):
        return {mask_values(name): mask_values(one) for name, one in value.items()}
    return value


def _number_start(text: bytes, found: re.Match[bytes]) -> int | None:
    """Start offset of a personal number; None if it is another number."""
    at = max(0, found.start() - _BEFORE)
    year = _YEAR.search(text, at, found.start())
    if year is None:
        return None
    digits = b"".join(_DIGIT.findall(text, found.start() - 2, found.end())).decode()
    century = int(year[1] or 20) * 100
    if not _is_date(century + int(digits[:2]), int(digits[2:4]), int(digits[4:6])):
        return None
    # with the separator between day and serial it is always masked, even with a wrong check digit
    is_parted = bool((found[1] or b"").strip())
    return year.start() if is_parted or _has_check_digit(digits) else None


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day - _COORDINATION if day > _COORDINATION else day)
    except ValueError:
        return False
    return True


def _has_check_digit(digits: str) -> bool:
    """True if the Luhn check digit is right."""
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(digits))
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0  # noqa: PLR2004 - the rule's own numbers
