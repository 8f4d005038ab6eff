"""Swedish numbers that follow the rules and belong to nobody.

Companies: ten digits that begin with 57, a series that is not given out, with a right check digit. Persons:
dates of birth of long ago with a wrong check digit. Does not belong here: how the service recognises numbers.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_STEM: Final = 572_000_000  # the third digit of a company's number is two or more
_ROOM: Final = 8_000_000
_BORN: Final = date(1891, 1, 1)
_GENERATION: Final = 9_000  # days
_COORDINATION: Final = 60  # added to the day of birth where a person has no number
_GD_NUMBERS: Final = 3_020_000_000


def check_digit(stem: str) -> int:
    """Luhn's digit behind a stem of nine digits."""
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(stem))
    return -sum(value - 9 * (value > 9) for value in doubled) % 10  # noqa: PLR2004 - Luhn's rule


def swedish(position: int) -> str:
    """Ten digits of a company."""
    stem = str(_STEM + position % _ROOM)
    return f"{stem}{check_digit(stem)}"


def swedish_position(number: str) -> int | None:
    """Position of a number that `swedish` may have made."""
    if not re.fullmatch(r"57[2-9]\d{7}", number):
        return None
    position = int(number[:9]) - _STEM
    return position if swedish(position) == number else None


def hyphened(number: str) -> str:
    """As documents write it."""
    return f"{number[:6]}-{number[6:]}"


def person(position: int, *, coordination: bool = False) -> str:
    """Twelve digits of nobody: the check digit is wrong."""
    born = _BORN + timedelta(days=position * 7 % _GENERATION)
    day = born.day + _COORDINATION * coordination
    stem = f"{born:%y%m}{day:02d}{position % 1000:03d}"
    return f"{born.year // 100}{stem}{(check_digit(stem) + 5) % 10}"


def gd_number(position: int) -> str:
    """Ten digits given to somebody without a number of their own."""
    return str(_GD_NUMBERS + position)


def isin(position: int) -> str:
    """A securities number by its rule."""
    stem = f"SE9{position:08d}"
    digits = "".join(str(int(sign, 36)) for sign in stem)
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits)))
    return f"{stem}{-sum(value // 10 + value % 10 for value in doubled) % 10}"
