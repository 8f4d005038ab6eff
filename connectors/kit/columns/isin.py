"""ISIN check over columns: twelve characters with a valid check digit (ISO 6166).

Does not belong here: which company an ISIN belongs to.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_PATTERN: Final = r"^[A-Z]{2}[0-9A-Z]{9}[0-9]$"
_LETTERS: Final = {chr(ord("A") + place): str(10 + place) for place in range(26)}
_DIGITS: Final = 24  # of twelve characters, letters giving two


def are_isins(values: pl.Series) -> pl.Series:
    """True for each valid ISIN; false for null. Takes a Series, as an expression would be computed repeatedly."""
    fits = values.str.contains(_PATTERN).fill_null(value=False)
    digits = values.str.replace_many(_LETTERS).str.reverse()
    total = pl.Series([0], dtype=pl.Int64).new_from_index(0, values.len())
    for place in range(_DIGITS):
        digit = digits.str.slice(place, 1).str.to_integer(strict=False).fill_null(0)
        doubled = digit * (1 + place % 2)
        total = total + doubled // 10 + doubled % 10
    return (fits & (total % 10 == 0)).rename("is_isin")
