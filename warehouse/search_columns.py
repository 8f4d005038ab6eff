"""Vectorised name folding and sort keys: `folding` and `initials` for a whole column.

Ten million names take minutes in Python, and nearly all consist of letters, digits and blanks, which polars
folds at once; the rest go through `folding` one by one. Does not belong here: the rules (`folding`,
`initials`), or the table with the results (`searching`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse import initials
from warehouse.folding import folded

_LETTERS: Final = [chr(sign) for sign in range(0xC0, 0x100) if chr(sign).isalpha()]  # of western Europe
_FOLDED: Final = {letter: folded(letter) for letter in _LETTERS}
# Letters, digits and single blanks: each can be folded without looking at its neighbours.
_PLAIN: Final = f"^[A-Za-z0-9{''.join(_LETTERS)}]+( [A-Za-z0-9{''.join(_LETTERS)}]+)*$"
_WORD: Final = 8  # bytes of an Int64


def names_folded(names: pl.Series) -> pl.Series:
    """Folds each name like `folding.folded`."""
    words = names.str.to_lowercase()
    western = (words.str.len_bytes() != words.str.len_chars()).arg_true()
    words.scatter(western, words[western].str.replace_many(_FOLDED))
    others = (~names.str.contains(_PLAIN)).arg_true()
    return words.scatter(others, [folded(name) for name in names[others]])


def name_initials(words: pl.Series) -> pl.Series:
    """Sort keys of folded names, as `initials.of_name`."""
    padded = pl.concat_str(pl.lit("\0"), pl.col("name"), pl.lit("\0" * initials.BYTES)).cast(pl.Binary)
    number = padded.bin.slice(0, _WORD).bin.reinterpret(dtype=pl.Int64, endianness="big")
    return words.rename("name").to_frame().select(number.alias("initials")).to_series()


def id_initials(company_ids: pl.Series) -> pl.Series:
    """Sort keys of company ids, as `initials.of_id`; polars' InvalidOperationError for an unknown market."""
    parts = company_ids.str.splitn(":", 3).struct.unnest()
    found = parts["field_1"].replace_strict(initials.MARKET_PLACES, return_dtype=pl.Int64)
    number = (parts["field_2"] + "\0" * initials.CHARACTERS).cast(pl.Binary)
    goes_on = pl.repeat(1, len(found), dtype=pl.Int64, eager=True)  # 0 after the end of a number
    for place in range(initials.CHARACTERS):
        sign = number.bin.get(place).cast(pl.Int64) - initials.BEFORE_HYPHEN
        code = sign.clip(0, initials.LAST) * goes_on
        found = found * (initials.LAST + 1) + code
        goes_on = ((code != 0) & (code != initials.LAST)).cast(pl.Int64)
    return found
