"""Business ids of the sandbox's Finnish companies: one per position, valid, and different from all real ones.

Belongs here: number from position and position from number (docs/formats/fi.md 1). Does not belong here: how the
service recognises numbers (`warehouse.schema.identifiers`).
"""

from __future__ import annotations

import re
from typing import Final

_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2)
_STEM: Final = 5_000_000  # real ids have reached 3.6 million


def _check_digit(stem: int) -> int:
    """Modulus 11 check digit; 10 means that the id is never issued."""
    rest = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, str(stem), strict=True)) % 11
    return 0 if rest == 0 else 11 - rest


def finnish_number(position: int) -> str:
    """Seven digits, a hyphen, a check digit. Every second stem is used; an invalid one is replaced by the next."""
    stem = _STEM + 2 * position
    if _check_digit(stem) == 10:  # noqa: PLR2004 - see _check_digit
        stem += 1
    return f"{stem}-{_check_digit(stem)}"


def finnish_position(number: str) -> int | None:
    """Position of an id made by `finnish_number`, else None."""
    if not re.fullmatch(r"[5-9]\d{6}-\d", number):
        return None
    position = (int(number[:7]) - _STEM) // 2
    return position if finnish_number(position) == number else None
