"""Personal identity numbers that stand inside a company's text, masked before the archive (docs/formats/se.md 1).

Belongs here: finding and masking them in text of any encoding that has ASCII's digits. Does not belong here: whole
records of persons (`doors`, `organisationer_door`), or whose number is a company's (`register`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Final

# Digits 3 and 4 are a month: no number of a company has less than two there, so none is ever touched. The month's
# first digit begins the pattern, for a search that begins with few bytes is several times as fast.
_LIKELY: Final = re.compile(
    rb"[01](?<=[0-9]{2}[01])[0-9]{3}( ?(?:[-+\x96]|\xe2\x80[\x90-\x95]) ?| )?[0-9]{4}(?![0-9])"
)
_YEAR: Final = re.compile(rb"(?<![0-9])(18|19|20)?[0-9]{2}\Z")
_DIGIT: Final = re.compile(rb"[0-9]")
_BEFORE: Final = 5  # bytes before the month that say whether a year of two or four digits stands there
_COORDINATION: Final = 60  # is added to the day of a coordination number
_MASK: Final = b"*"


def masked(text: bytes) -> bytes:
    """The text with a star for every digit of a person's number: as long as before, itself where there is none."""
    kept: list[bytes] = []
    since = 0
    for found in _LIKELY.finditer(text):
        begins = _begins(text, found)
        if begins is not None:
            kept += (text[since:begins], _DIGIT.sub(_MASK, text[begins : found.end()]))
            since = found.end()
    return b"".join([*kept, text[since:]]) if kept else text


def masked_values(value: Any) -> Any:
    """A JSON value with every text in it masked, names of members too; of a number that is a person's a text."""
    if isinstance(value, str):
        return masked(value.encode()).decode()
    if isinstance(value, int | float):
        digits = str(value)
        hidden = masked(digits.encode()).decode()
        return value if hidden == digits else hidden
    if isinstance(value, list):
        return [masked_values(one) for one in value]
    if isinstance(value, dict):
        return {masked_values(name): masked_values(one) for name, one in value.items()}
    return value


def _begins(text: bytes, found: re.Match[bytes]) -> int | None:
    """Where a person's number begins; None where it is another number."""
    at = max(0, found.start() - _BEFORE)
    year = _YEAR.search(text, at, found.start())
    if year is None:
        return None
    digits = b"".join(_DIGIT.findall(text, found.start() - 2, found.end())).decode()
    century = int(year[1] or 20) * 100
    if not _is_date(century + int(digits[:2]), int(digits[2:4]), int(digits[4:6])):
        return None
    # with the sign that parts day from serial it is nothing else, slips of the pen included
    is_parted = bool((found[1] or b"").strip())
    return year.start() if is_parted or _is_checked(digits) else None


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day - _COORDINATION if day > _COORDINATION else day)
    except ValueError:
        return False
    return True


def _is_checked(digits: str) -> bool:
    """Luhn's rule."""
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(digits))
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0  # noqa: PLR2004 - the rule's own numbers
