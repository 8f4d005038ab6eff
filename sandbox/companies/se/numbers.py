"""Swedish numbers that follow the rules but are assigned to no company or person.

Companies: ten digits starting with 57, an unassigned series, with a valid check digit. Persons: birth dates long
ago with a wrong check digit. Does not belong here: how the service recognises numbers.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_STEM: Final = 572_000_000  # third digit two or more, as in all company numbers
_ROOM: Final = 8_000_000
_BORN: Final = date(1891, 1, 1)
_GENERATION: Final = 9_000  # days
_COORDINATION: Final = 60  # added to the day of birth in coordination numbers
_GD_NUMBERS: Final = 3_020_000_000


def check_digit(stem: str) -> int:
    """Luhn check digit of a nine-digit stem."""
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(stem))
    return -sum(value - 9 * (value > 9) for value in doubled) % 10  # noqa: PLR2004 - Luhn's rule


def swedish_number(position: int) -> str:
    """Ten-digit company number."""
    stem = str(_STEM + position % _ROOM)
    return f"{stem}{check_digit(stem)}"


def swedish_position(number: str) -> int | None:
    """Position of a number made by `swedish_number`, else None."""
    if not re.fullmatch(r"57[2-9]\d{7}", number):
        return None
    position = int(number[:9]) - _STEM
    return position if swedish_number(position) == number else None


def hyphenated_number(number: str) -> str:
    """Number with hyphen, as in documents."""
    return f"{number[:6]}-{number[6:]}"


def invalid_personal_number(position: int, *, coordination: bool = False) -> str:
    """Twelve-digit personal number with a wrong check digit, so that it belongs to no person."""
    born = _BORN + timedelta(days=position * 7 % _GENERATION)
    day = born.day + _COORDINATION * coordination
    stem = f"{born:%y%m}{day:02d}{position % 1000:03d}"
    return f"{born.year // 100}{stem}{(check_digit(stem) + 5) % 10}"


def estate_number(position: int) -> str:
    """Ten-digit number given to persons without a personal number."""
    return str(_GD_NUMBERS + position)


def swedish_isin(position: int) -> str:
    """Formally valid ISIN."""
    stem = f"SE9{position:08d}"
    digits = "".join(str(int(sign, 36)) for sign in stem)
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits)))
    return f"{stem}{-sum(value // 10 + value % 10 for value in doubled) % 10}"
