"""Cleaning and parsing of text columns as polars expressions.

A value that does not parse is null, never guessed. `failed_to_parse` distinguishes «empty» from «did not parse».
"""

from __future__ import annotations

from typing import Final

import polars as pl

# A date further ahead of its observation is an error, or of no use yet.
AHEAD: Final = pl.duration(days=366)
_BLANKS: Final = r"[\s\x{00A0}\x{2007}\x{202F}\x{200B}\x{FEFF}]+"
_TRUE: Final = ("true", "j", "ja", "y", "yes", "1")
_FALSE: Final = ("false", "n", "nei", "no", "0")


def clean_text(column: pl.Expr) -> pl.Expr:
    """Trims and collapses whitespace (no-break too); empty becomes null."""
    text = column.str.replace_all(_BLANKS, " ").str.strip_chars(" ")
    return pl.when(text != "").then(text)


def iso_date(column: pl.Expr) -> pl.Expr:
    """Parses 2024-05-31; of 2024-05-31T12:00:00Z and 2024-05-31 12:00:00 the date as written."""
    return column.str.extract(r"^\s*(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:.*|Z)?\s*$").str.to_date("%Y-%m-%d", strict=False)


def british_date(column: pl.Expr) -> pl.Expr:
    """Parses 31/05/2024."""
    return column.str.extract(r"^\s*(\d{2}/\d{2}/\d{4})\s*$").str.to_date("%d/%m/%Y", strict=False)


def compact_date(column: pl.Expr) -> pl.Expr:
    """Parses 20240531."""
    return column.str.extract(r"^\s*(\d{8})\s*$").str.to_date("%Y%m%d", strict=False)


def parse_integer(column: pl.Expr) -> pl.Expr:
    """Parses whole numbers: 12, -12, 12.0; not 12.5."""
    return column.str.extract(r"^\s*([+-]?\d+)(?:\.0+)?\s*$").str.to_integer(strict=False, dtype=pl.Int64)


def parse_decimal(column: pl.Expr, comma: bool = False) -> pl.Expr:
    """Parses decimal numbers, blanks between thousands allowed. comma: 12,5 and not 12.5."""
    plain = column.str.replace_all(_BLANKS, "")
    pattern = r"^[+-]?\d+(?:,\d+)?$" if comma else r"^[+-]?\d+(?:\.\d+)?$"
    number = pl.when(plain.str.contains(pattern)).then(plain.str.replace(",", ".", literal=True))
    return number.cast(pl.Decimal(38, 6), strict=False)


def parse_boolean(column: pl.Expr) -> pl.Expr:
    """Parses true, J, ja, Y, yes, 1 and their opposites in any case."""
    word = column.str.strip_chars().str.to_lowercase()
    return pl.when(word.is_in(_TRUE)).then(pl.lit(value=True)).when(word.is_in(_FALSE)).then(pl.lit(value=False))


def is_too_far_in_future(day: pl.Expr) -> pl.Expr:
    """True if a date is too far after `_observed_at` for shared tables (`AHEAD`); false for null."""
    return (day > pl.col("_observed_at").dt.date() + AHEAD).fill_null(value=False)


def failed_to_parse(source: pl.Expr, parsed: pl.Expr) -> pl.Expr:
    """True where a value was present and did not parse."""
    return clean_text(source).is_not_null() & parsed.is_null()
