"""Cleaning and parsing of text columns as polars expressions.

A value that does not parse is null, never guessed. `failed_to_parse` distinguishes «empty» from «did not parse».
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import polars as pl

from connectors.kit.visible_text import HIDDEN_SIGNS, visible_text

# A date further ahead of its observation is a slip, or of no use yet.
AHEAD: Final = timedelta(days=366)
_BLANKS: Final = r"[\s\x{00A0}\x{2007}\x{202F}\x{200B}\x{FEFF}]+"
# Columns that name a company or a holder, as they are served
_NAMES: Final = ("name", "holder_name")
_NAME_LISTS: Final = ("previous_names",)
_SINGLE_BLANKS: Final = r"^[^\s]+(?: [^\s]+)*$"
# Hidden signs, control characters that are blanks elsewhere, and accents that stand behind their letter
_HIDDEN: Final = "[{}]".format(
    r"\x{00}-\x{1F}\x{7F}-\x{9F}\x{0300}-\x{036F}" + "".join(rf"\x{{{code:X}}}" for code in HIDDEN_SIGNS)
)


def with_visible_names(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a shared table with names as they are seen (`visible_text`); of nearly all there is nothing to do."""
    changed: list[pl.Series] = []
    for name in (one for one in rows.columns if one in _NAMES):
        places = _is_to_clean(rows[name]).arg_true()
        if len(places):
            cleaned = [_visible_name(text) for text in rows[name].gather(places)]
            changed.append(rows[name].scatter(places, cleaned))
    for name in (one for one in rows.columns if one in _NAME_LISTS):
        column = rows[name]
        if _is_to_clean(column.explode()).any():
            lists = [None if one is None else [text and _visible_name(text) for text in one] for one in column]
            changed.append(pl.Series(name, lists, dtype=column.dtype))
    return rows.with_columns(changed) if changed else rows


def _is_to_clean(names: pl.Series) -> pl.Series:
    unusual = ~names.str.contains(_SINGLE_BLANKS) | names.str.contains(_HIDDEN)
    return unusual.fill_null(value=False)


def _visible_name(text: str) -> str:
    return visible_text(text) or text


def clean_text(column: pl.Expr) -> pl.Expr:
    """Trims and collapses whitespace (no-break too); empty becomes null."""
    text = column.str.replace_all(_BLANKS, " ").str.strip_chars(" ")
    return pl.when(text != "").then(text)


def iso_date(column: pl.Expr) -> pl.Expr:
    """Parses 2024-05-31; of 2024-05-31T12:00:00Z, 2024-05-31 12:00:00, 2024-05-31+02:00 the date as written."""
    written = column.str.extract(r"^\s*(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:.*|Z|[+-]\d{2}:\d{2})?\s*$")
    return written.str.to_date("%Y-%m-%d", strict=False)


def parse_integer(column: pl.Expr) -> pl.Expr:
    """Parses whole numbers: 12, -12, 12.0; not 12.5."""
    return column.str.extract(r"^\s*([+-]?\d+)(?:\.0+)?\s*$").str.to_integer(strict=False, dtype=pl.Int64)


def is_too_far_in_future(day: pl.Expr) -> pl.Expr:
    """True if a date is too far after `_observed_at` for shared tables (`AHEAD`); false for null."""
    return (day > pl.col("_observed_at").dt.date() + AHEAD).fill_null(value=False)


def failed_to_parse(source: pl.Expr, parsed: pl.Expr) -> pl.Expr:
    """True where a value was present and did not parse."""
    return clean_text(source).is_not_null() & parsed.is_null()
