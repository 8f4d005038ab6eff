"""Sort keys of companies, vectorised: `sort_keys.name_sort_key` and `sort_keys.id_sort_key` for whole columns.

Does not belong here: the rules (`sort_keys`), how names fold (`name_matching.name_columns`), or the table with the
results (`search_table`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.serving import sort_keys

_WORD: Final = 8  # bytes of an Int64


def name_sort_keys(words: pl.Series) -> pl.Series:
    """Sort keys of folded names, as `sort_keys.name_sort_key`."""
    padded = pl.concat_str(pl.lit("\0"), pl.col("name"), pl.lit("\0" * sort_keys.BYTES)).cast(pl.Binary)
    number = padded.bin.slice(0, _WORD).bin.reinterpret(dtype=pl.Int64, endianness="big")
    return words.rename("name").to_frame().select(number.alias("initials")).to_series()


def id_sort_keys(company_ids: pl.Series) -> pl.Series:
    """Sort keys of company ids, as `sort_keys.id_sort_key`; polars' InvalidOperationError for other markets."""
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
