"""Percentages as texts write them: «15,30», «15.3».

Belongs here: what a column of percentages holds of one. Does not belong here: where a figure stands in a text, or
which figures are percentages (each registry's readers).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

_PLACES: Final = 4  # of a column of percentages


def percentage(digits: str) -> Decimal:
    """The number of digits with a comma or a point among them, to four places, halves even.

    However many they are: what a spreadsheet writes out («15.0199999999999996») is no other figure.
    """
    return stored(Decimal(digits.replace(",", ".")))


def stored(exact: Decimal) -> Decimal:
    """A percentage as its column holds it: to four places, halves even; one with fewer places as it is."""
    exponent = exact.as_tuple().exponent
    return round(exact, _PLACES) if isinstance(exponent, int) and exponent < -_PLACES else exact
