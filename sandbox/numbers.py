"""Sandbox company numbers: one per position in the world, valid, and different from all real ones.

Belongs here: number from position and position from number. Does not belong here: how the service recognises
numbers (`warehouse.schema.identifiers`).
"""

from __future__ import annotations

import re
from typing import Final

_WEIGHTS: Final = (3, 2, 7, 6, 5, 4, 3, 2)
_NORWEGIAN_STEM: Final = 30_000_000  # real numbers begin with 8 or 9, the registry's own test numbers with 2 or 3
_PREFIXES: Final = {7: "SC", 11: "NI", 13: "OC", 17: "OE"}  # position modulo 40 -> prefix
_CYCLE: Final = 40
_ROOM: Final = 100_000  # numbers per prefix: the letters, a 9 and five digits


def _check_digit(stem: str) -> int:
    """Modulus 11 check digit; 10 means that the number does not exist."""
    rest = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, stem, strict=True)) % 11
    return 0 if rest == 0 else 11 - rest


def norwegian_number(position: int) -> str:
    """Nine-digit number. Every second stem is used; one without a valid check digit is replaced by the next."""
    stem = _NORWEGIAN_STEM + 2 * position
    digit = _check_digit(str(stem))
    if digit == 10:  # noqa: PLR2004 - see _check_digit
        stem += 1
        digit = _check_digit(str(stem))
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
