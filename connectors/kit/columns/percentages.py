"""Percentages as written in texts: «15,30», «15.3».

Belongs here: conversion to the precision of percentage columns. Does not belong here: finding figures in a
text, or which figures are percentages (each registry's readers).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

_PLACES: Final = 4  # decimal places of a percentage column


def percentage_from_text(digits: str) -> Decimal:
    """Parses digits with a decimal comma or point, rounded half-even to four places.

    Any number of digits is accepted: a spreadsheet's «15.0199999999999996» is 15.02.
    """
    return round_percentage(Decimal(digits.replace(",", ".")))


def round_percentage(exact: Decimal) -> Decimal:
    """A percentage at the precision of its column: four places, half-even; fewer places are kept."""
    exponent = exact.as_tuple().exponent
    return round(exact, _PLACES) if isinstance(exponent, int) and exponent < -_PLACES else exact
