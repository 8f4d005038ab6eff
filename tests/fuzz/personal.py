"""Numbers of persons, known by their dates and check digits. Does not belong here: where they may stand (`privacy`)."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_SWEDISH: Final = re.compile(rb"(?:18|19|20)?([0-9]{6})[-+]?([0-9]{4})")
_NORWEGIAN: Final = 11


def is_norwegian(digits: bytes) -> bool:
    """A birth number or D-number: a day, and both check digits."""
    if len(digits) != _NORWEGIAN:
        return False
    values = [int(sign) for sign in digits.decode()]
    first = sum(a * b for a, b in zip((3, 7, 6, 1, 8, 9, 4, 5, 2, 1), values[:10], strict=True))
    second = sum(a * b for a, b in zip((5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), values, strict=True))
    day, month = int(digits[:2]) % 40, int(digits[2:4]) % 40
    return not first % 11 and not second % 11 and 1 <= day <= 31 and 1 <= month <= 12


def is_swedish(written: bytes) -> bool:
    """A personal or coordination number, with or without its century: a day, and Luhn's digit."""
    found = _SWEDISH.fullmatch(written)
    if found is None:
        return False
    digits = (found[1] + found[2]).decode()
    doubled = (int(sign) * (2 - place % 2) for place, sign in enumerate(digits))
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0 and _is_day(digits)


def _is_day(digits: str) -> bool:
    year, month, day = (int(digits[at : at + 2]) for at in (0, 2, 4))
    try:
        date(2000 + year, month, day - 60 if day > 60 else day)
    except ValueError:
        return False
    return True
