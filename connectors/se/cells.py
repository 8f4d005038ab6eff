"""Text cells of whole columns: what says nothing is null, and rare spellings cost the rare rows alone.

Every pass over a column of a million rows is counted in time, so a pattern runs over those cells only that a
cheap look has found. Does not belong here: what any one column means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import polars as pl

NULL: Final = "null"  # the word that stands for a missing value, in any case


def stated(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """`rows` with blanks at the ends of some columns gone, and null for empty text and for the word null."""
    names = list(names)
    return without_null_words(trimmed(rows, names), names)


def trimmed(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """`rows` with blanks at the ends of some columns gone, and null for empty text."""
    found: list[pl.Expr] = []
    for name in names:
        column = rows[name]
        text = pl.col(name)
        if (column.str.starts_with(" ") | column.str.ends_with(" ")).any():
            text = text.str.strip_chars()
        found.append(pl.when(text != "").then(text).alias(name))
    return rows.with_columns(found)


def without_null_words(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """`rows` with null where a column says null in any case."""
    found: list[pl.Expr] = []
    for name in names:
        column = rows[name]
        short = column.filter(column.str.len_bytes() == len(NULL))
        if (short.str.to_lowercase() == NULL).any():
            word = (pl.col(name).str.to_lowercase() == NULL).fill_null(value=False)
            found.append(pl.when(~word).then(name).alias(name))
    return rows.with_columns(found)


def mended(column: pl.Series, odd: pl.Series, mend: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """`column` with what `mend` makes of the cells that `odd` marks."""
    places = odd.arg_true()
    return column if places.is_empty() else column.scatter(places, mend(column.gather(places)))
