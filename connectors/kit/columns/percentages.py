"""Percentages as written in texts: «15,30», «15.3».

Belongs here: conversion to the precision of percentage columns. Does not belong here: finding figures in a
text, or which figures are percentages (each registry's readers).
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from typing import Final

_PLACES: Final = 4  # decimal places of a percentage column
_UNIT: Final = Decimal(1).scaleb(-_PLACES)
_SPREADSHEET: Final = Context(prec=15)  # digits that a spreadsheet keeps; further ones are those of its binary numbers


def percentage_from_text(digits: str) -> Decimal:
    """Parses digits with a decimal comma or point, as `round_percentage` rounds them.

    Any number of digits is accepted: a spreadsheet's «15.0199999999999996» is 15.02.
    """
    return round_percentage(Decimal(digits.replace(",", ".")))


def round_percentage(exact: Decimal) -> Decimal:
    """A percentage at the precision of its column: four places, half-even; fewer places are kept.

    Whole percents are thresholds: a share that is below one is rounded down rather than up to it (4.99999 is not 5).
    """
    exponent = exact.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= -_PLACES:
        return exact
    stated = _SPREADSHEET.plus(exact)
    found = stated.quantize(_UNIT)
    if found > stated and found == found.to_integral_value():
        return stated.quantize(_UNIT, ROUND_FLOOR)
    return found
