"""ISINs over columns: twelve characters whose check digit holds (ISO 6166).

Does not belong here: whose security an ISIN is.
"""

from __future__ import annotations

from typing import Final

import polars as pl

PATTERN: Final = r"^[A-Z]{2}[0-9A-Z]{9}[0-9]$"
_LENGTH: Final = 12
_DIGITS: Final = 24  # a letter is two


def are_isins(values: pl.Expr) -> pl.Expr:
    """Whether each text is an ISIN; false for null."""
    text = pl.when(values.str.contains(PATTERN)).then(values)
    signs = [text.str.slice(place, 1).str.to_integer(base=36, strict=False) for place in range(_LENGTH)]
    digits = pl.concat_str([sign.cast(pl.String) for sign in signs]).str.reverse()
    total = pl.lit(0, pl.Int64)
    for place in range(_DIGITS):
        digit = digits.str.slice(place, 1).str.to_integer(strict=False).fill_null(0)
        doubled = digit * 2
        total = total + (digit if place % 2 == 0 else doubled // 10 + doubled % 10)
    return (text.is_not_null() & (total % 10 == 0)).fill_null(value=False)
