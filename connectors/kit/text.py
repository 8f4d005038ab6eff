"""Cleaning and reading of text columns as polars expressions.

A value that does not parse is null, never guessed. Callers that must tell «empty» from «did not parse» ask
`unreadable`.
"""

from __future__ import annotations

from typing import Final

import polars as pl

# A date further ahead of its reading was never meant, or is of no use yet.
AHEAD: Final = pl.duration(days=366)
_BLANKS: Final = r"[\s\x{00A0}\x{2007}\x{202F}\x{200B}\x{FEFF}]+"
_TRUE: Final = ("true", "j", "ja", "y", "yes", "1")
_FALSE: Final = ("false", "n", "nei", "no", "0")


def clean(column: pl.Expr) -> pl.Expr:
    """Blanks at the ends gone, runs of blanks (no-break ones too) made one, empty is null."""
    text = column.str.replace_all(_BLANKS, " ").str.strip_chars(" ")
    return pl.when(text != "").then(text)


def iso_date(column: pl.Expr) -> pl.Expr:
    """2024-05-31; of 2024-05-31T12:00:00Z and 2024-05-31 12:00:00 the day as it is written."""
    return column.str.extract(r"^\s*(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:.*|Z)?\s*$").str.to_date(
        "%Y-%m-%d", strict=False
    )


def british_date(column: pl.Expr) -> pl.Expr:
    """31/05/2024."""
    return column.str.extract(r"^\s*(\d{2}/\d{2}/\d{4})\s*$").str.to_date("%d/%m/%Y", strict=False)


def compact_date(column: pl.Expr) -> pl.Expr:
    """20240531."""
    return column.str.extract(r"^\s*(\d{8})\s*$").str.to_date("%Y%m%d", strict=False)


def integer(column: pl.Expr) -> pl.Expr:
    """Whole numbers: 12, -12, 12.0; not 12.5."""
    return column.str.extract(r"^\s*([+-]?\d+)(?:\.0+)?\s*$").str.to_integer(strict=False, dtype=pl.Int64)


def decimal(column: pl.Expr, comma: bool = False) -> pl.Expr:
    """Numbers with a fraction, blanks between thousands allowed. comma: 12,5 and not 12.5."""
    plain = column.str.replace_all(_BLANKS, "")
    pattern = r"^[+-]?\d+(?:,\d+)?$" if comma else r"^[+-]?\d+(?:\.\d+)?$"
    number = pl.when(plain.str.contains(pattern)).then(plain.str.replace(",", ".", literal=True))
    return number.cast(pl.Decimal(38, 6), strict=False)


def boolean(column: pl.Expr) -> pl.Expr:
    """true, J, ja, Y, yes, 1 and their opposites in any case."""
    word = column.str.strip_chars().str.to_lowercase()
    return (
        pl.when(word.is_in(_TRUE)).then(pl.lit(value=True)).when(word.is_in(_FALSE)).then(pl.lit(value=False))
    )


def is_far(day: pl.Expr) -> pl.Expr:
    """Whether a date lies further ahead of `_observed_at` than shared tables take; false where there is none."""
    return (day > pl.col("_observed_at").dt.date() + AHEAD).fill_null(value=False)


def unreadable(source: pl.Expr, parsed: pl.Expr) -> pl.Expr:
    """True where there was something and it did not parse."""
    return clean(source).is_not_null() & parsed.is_null()
