"""Sandbox company numbers: one per position in the world, valid, and different from all real ones.

Swedish companies have a number of an unassigned series that begins with 57; Swedish persons a birth date long ago
with a wrong check digit. Belongs here: number from position and position from number; ISINs. Does not belong here:
how the service recognises numbers (`warehouse.schema.identifiers`).
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_NORWEGIAN_WEIGHTS: Final = (3, 2, 7, 6, 5, 4, 3, 2)
_NORWEGIAN_STEM: Final = 30_000_000  # real numbers begin with 8 or 9, the registry's own test numbers with 2 or 3
_PREFIXES: Final = {7: "SC", 11: "NI", 13: "OC", 17: "OE"}  # position modulo 40 -> prefix
_CYCLE: Final = 40
_ROOM: Final = 100_000  # numbers per prefix: the letters, a 9 and five digits
_FINNISH_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2)
_FINNISH_STEM: Final = 5_000_000  # real ids have reached 3.6 million
_DANISH_WEIGHTS: Final = (2, 7, 6, 5, 4, 3, 2)
_DANISH_STEM: Final = 8_000_000  # real numbers have reached 46 million with their check digit
_SWEDISH_STEM: Final = 572_000_000  # third digit two or more, as in all company numbers
_SWEDISH_ROOM: Final = 8_000_000
_BORN: Final = date(1891, 1, 1)
_GENERATION: Final = 9_000  # days
_COORDINATION: Final = 60  # added to the day of birth in coordination numbers
_GD_NUMBERS: Final = 3_020_000_000


def _modulus_11(stem: int, weights: tuple[int, ...]) -> int:
    """Modulus 11 check digit; 10 means that the number does not exist."""
    rest = sum(weight * int(digit) for weight, digit in zip(weights, str(stem), strict=True)) % 11
    return 0 if rest == 0 else 11 - rest


def _stem_and_digit(stem: int, weights: tuple[int, ...]) -> tuple[int, int]:
    """A stem with its check digit. Every second stem is used; one without a valid digit is replaced by the next."""
    stem += _modulus_11(stem, weights) == 10  # noqa: PLR2004 - see _modulus_11
    return stem, _modulus_11(stem, weights)


def norwegian_number(position: int) -> str:
    """Nine-digit number."""
    stem, digit = _stem_and_digit(_NORWEGIAN_STEM + 2 * position, _NORWEGIAN_WEIGHTS)
    return f"{stem}{digit}"


def norwegian_position(number: str) -> int | None:
    """Position of a number made by `norwegian_number`, else None."""
    if not re.fullmatch(r"[3-9]\d{8}", number):
        return None
    position = (int(number[:8]) - _NORWEGIAN_STEM) // 2
    return position if norwegian_number(position) == number else None


def british_number(position: int) -> str:
    """Eight-character number: mostly digits from 90000000, sometimes with SC, NI, OC or OE."""
    cycle, place = divmod(position, _CYCLE)
    prefix = _PREFIXES.get(place)
    if prefix is None or cycle >= _ROOM:
        return f"9{position:07d}"
    return f"{prefix}9{cycle:05d}"


def british_position(number: str) -> int | None:
    """Position of a number made by `british_number`, else None."""
    found = re.fullmatch(r"(SC|NI|OC|OE)?9(\d+)", number)
    if found is None:
        return None
    position = int(found[2])
    if found[1]:
        place = next(place for place, prefix in _PREFIXES.items() if prefix == found[1])
        position = position * _CYCLE + place
    return position if british_number(position) == number else None


def finnish_number(position: int) -> str:
    """Seven digits, a hyphen, a check digit (docs/formats/fi.md 1)."""
    stem, digit = _stem_and_digit(_FINNISH_STEM + 2 * position, _FINNISH_WEIGHTS)
    return f"{stem}-{digit}"


def finnish_position(number: str) -> int | None:
    """Position of an id made by `finnish_number`, else None."""
    if not re.fullmatch(r"[5-9]\d{6}-\d", number):
        return None
    position = (int(number[:7]) - _FINNISH_STEM) // 2
    return position if finnish_number(position) == number else None


def danish_number(position: int) -> str:
    """Eight digits (docs/formats/dk.md 1)."""
    stem, digit = _stem_and_digit(_DANISH_STEM + 2 * position, _DANISH_WEIGHTS)
    return f"{stem}{digit}"


def danish_position(number: str) -> int | None:
    """Position of a number made by `danish_number`, else None."""
    if not re.fullmatch(r"[89]\d{7}", number):
        return None
    position = (int(number[:7]) - _DANISH_STEM) // 2
    return position if danish_number(position) == number else None


def check_digit(stem: str) -> int:
    """Luhn check digit of a nine-digit stem."""
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(stem))
    return -sum(value - 9 * (value > 9) for value in doubled) % 10  # noqa: PLR2004 - Luhn's rule


def swedish_number(position: int) -> str:
    """Ten-digit company number."""
    stem = str(_SWEDISH_STEM + position % _SWEDISH_ROOM)
    return f"{stem}{check_digit(stem)}"


def swedish_position(number: str) -> int | None:
    """Position of a number made by `swedish_number`, else None."""
    if not re.fullmatch(r"57[2-9]\d{7}", number):
        return None
    position = int(number[:9]) - _SWEDISH_STEM
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


def sandbox_isin(stem: str) -> str:
    """A formally valid ISIN: eleven characters and their check digit (ISO 6166)."""
    digits = "".join(str(int(sign, 36)) for sign in stem)
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits)))
    return f"{stem}{-sum(value // 10 + value % 10 for value in doubled) % 10}"


def swedish_isin(position: int) -> str:
    """ISIN of a Swedish company's share."""
    return sandbox_isin(f"SE9{position:08d}")
