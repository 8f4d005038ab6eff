"""Cleans text columns: empty values become null; rare spellings are fixed only in the rows that have them.

Each pass over a column of a million rows costs time, so a regular expression runs only on cells selected by a
cheap test. Does not belong here: what any one column means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import polars as pl

NULL: Final = "null"  # marks a missing value, in any letter case


def null_if_empty(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Strips blanks in the given columns; empty text and the word null become null."""
    names = list(names)
    return without_null_words(strip_blanks(rows, names), names)


def strip_blanks(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Strips blanks in the given columns; empty text becomes null."""
    names = list(names)
    text = pl.col(names)
    blank = rows.select((text.str.starts_with(" ") | text.str.ends_with(" ")).any()).row(0, named=True)
    empty = rows.select((text == "").any()).row(0, named=True)
    stripped = {name: pl.col(name).str.strip_chars() if blank[name] else pl.col(name) for name in names}
    return rows.with_columns(
        pl.when(text != "").then(text) for name, text in stripped.items() if blank[name] or empty[name]
    )


def without_null_words(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Replaces the word null, in any letter case, by null."""
    names = list(names)
    is_short = pl.col(names).str.len_bytes() == len(NULL)
    some = [name for name, is_so in rows.select(is_short.any()).row(0, named=True).items() if is_so]
    short = pl.col(some).filter(pl.col(some).str.len_bytes() == len(NULL))
    words = rows.select(short.unique().implode()).row(0, named=True) if some else {}
    found: dict[str, pl.Expr] = {}
    for name, spellings in words.items():
        for word in (word for word in spellings if word.lower() == NULL):
            column = found.get(name, pl.col(name))
            found[name] = pl.when(column != word).then(column)
    return rows.with_columns(**found) if found else rows


def repair_cells(column: pl.Series, malformed: pl.Series, repair: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Applies `repair` to the cells marked by `malformed`."""
    if not malformed.any():
        return column
    places = malformed.arg_true()
    return column.scatter(places, repair(column.gather(places)))
