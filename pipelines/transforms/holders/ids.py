"""Ids of holders for whole columns: vectorised `warehouse.schema.ids.holder_id`, for fifteen million rows at once.

Does not belong here: the rule of the id (`warehouse.schema.ids`); a test compares the two.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import polars as pl

from warehouse.schema import ids

_NAME: Final = "holder_id"
_PARTS: Final = ("company_id", "register", "native_id")
_BITS: Final = 10  # two base-32 digits at once
_PAIRS: Final = 13  # which make the 26 digits of an id
_WORD: Final = 64
_WORDS: Final = 4  # of a digest
_USED: Final = 3  # containing the 130 bits used


def holder_ids(rows: pl.DataFrame) -> pl.Series:
    """`holder_id` of every row by company_id, register and native_id, none of which is null."""
    keys = rows.select(pl.concat_str(*(_length_prefixed(name) for name in _PARTS)).cast(pl.Binary)).to_series()
    words = array("Q", b"".join([sha256(key).digest() for key in keys.to_list()]))
    if sys.byteorder == "little":
        words.byteswap()
    told = pl.Series(words, dtype=pl.UInt64)
    digests = pl.DataFrame([told.gather_every(_WORDS, place).alias(str(place)) for place in range(_USED)])
    digits = pl.Series(_NAME, ids.PAIRS, dtype=pl.String)
    pairs = (pl.lit(digits).gather(pair).alias(f"_{place}") for place, pair in enumerate(_digit_pairs()))
    return digests.select(pl.concat_str(pl.lit("own_"), *pairs).alias(_NAME)).to_series()


def _length_prefixed(name: str) -> pl.Expr:
    """A text prefixed with its length in bytes, which distinguishes («ab», «c») from («a», «bc»)."""
    column = pl.col(name).cast(pl.String)
    return pl.concat_str(column.str.len_bytes().cast(pl.String), pl.lit(":"), column)


def _digit_pairs() -> Iterator[pl.Expr]:
    """The first 130 bits of the three words, ten at a time."""
    for pair in range(_PAIRS):
        start = pair * _BITS
        word, offset = divmod(start, _WORD)
        right = _WORD - offset - _BITS
        column = pl.col(str(word))
        if right >= 0:
            found = column // (1 << right)
        else:
            # the ten bits begin in one word and end in the next
            found = (column % (1 << (_BITS + right))) * (1 << -right) + pl.col(str(word + 1)) // (1 << (_WORD + right))
        yield (found % (1 << _BITS)).cast(pl.UInt32)
