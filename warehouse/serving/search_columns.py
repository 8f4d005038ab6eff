"""Vectorised name folding and sort keys: `warehouse.text_normalisation` and `initials` for a whole column.

Ten million names take minutes in Python, and nearly all consist of letters, digits and blanks, which polars folds
at once; the rest go through `warehouse.text_normalisation` one by one. Does not belong here: the rules
(`warehouse.text_normalisation`, `initials`), or the table with the results (`search_table`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.serving import sort_keys
from warehouse.text_normalisation import fold_text

_LETTERS: Final = [chr(sign) for sign in range(0xC0, 0x100) if chr(sign).isalpha()]  # of western Europe
_FOLDED: Final = {letter: fold_text(letter) for letter in _LETTERS}
# Letters, digits and single blanks: each can be folded without looking at its neighbours.
_PLAIN: Final = f"^[A-Za-z0-9{''.join(_LETTERS)}]+( [A-Za-z0-9{''.join(_LETTERS)}]+)*$"
_WORD: Final = 8  # bytes of an Int64


def fold_names(names: pl.Series) -> pl.Series:
    """Folds each name like `warehouse.text_normalisation.fold_text`."""
    words = names.str.to_lowercase()
    western = (words.str.len_bytes() != words.str.len_chars()).arg_true()
    words.scatter(western, words[western].str.replace_many(_FOLDED))
    others = (~names.str.contains(_PLAIN)).arg_true()
    return words.scatter(others, [fold_text(name) for name in names[others]])


def name_sort_keys(words: pl.Series) -> pl.Series:
    """Sort keys of folded names, as `initials.of_name`."""
    padded = pl.concat_str(pl.lit("\0"), pl.col("name"), pl.lit("\0" * sort_keys.BYTES)).cast(pl.Binary)
    number = padded.bin.slice(0, _WORD).bin.reinterpret(dtype=pl.Int64, endianness="big")
    return words.rename("name").to_frame().select(number.alias("initials")).to_series()


def id_sort_keys(company_ids: pl.Series) -> pl.Series:
    """Sort keys of company ids, as `initials.of_id`; polars' InvalidOperationError for an unknown market."""
    parts = company_ids.str.splitn(":", 3).struct.unnest()
    found = parts["field_1"].replace_strict(sort_keys.MARKET_PLACES, return_dtype=pl.Int64)
    number = (parts["field_2"] + "\0" * sort_keys.CHARACTERS).cast(pl.Binary)
    goes_on = pl.repeat(1, len(found), dtype=pl.Int64, eager=True)  # 0 after the end of a number
    for place in range(sort_keys.CHARACTERS):
        sign = number.bin.get(place).cast(pl.Int64) - sort_keys.BEFORE_HYPHEN
        code = sign.clip(0, sort_keys.LAST) * goes_on
        found = found * (sort_keys.LAST + 1) + code
        goes_on = ((code != 0) & (code != sort_keys.LAST)).cast(pl.Int64)
    return found
