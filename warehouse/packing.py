"""What stands for one company packed to one value: its rows, or the parts of its profile.

A register repeats the same words in every row, and a company's rows repeat each other: packed together they take
an eighth. Packed with Zstandard and a dictionary of the words that the declarations know; it stands in the file,
so that a later edition reads what an earlier one packed. Does not belong here: what rows say (`documents`), the
tables they stand in (`serving`), or reading them (`packed`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

import polars as pl
import zstandard

from warehouse.packed import FIELD, ROW, dictionary

SCHEMA: Final = "CREATE TABLE packing (dictionary BLOB NOT NULL)"
_LEVEL: Final = 1
_THREADS: Final = 2


class Packer:
    """Packs what is written into one file."""

    def __init__(self, words: bytes) -> None:
        known = zstandard.ZstdCompressionDict(words, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        known.precompute_compress(level=_LEVEL)
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=known, write_dict_id=False)

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Packer:
        """The one that a file is written with."""
        return cls(dictionary(connection))

    def packed(self, texts: pl.Series) -> list[bytes]:
        """Each text packed, in their order. None is empty."""
        plain = texts.cast(pl.Binary).to_list()
        if not plain:
            return []
        return [part.tobytes() for part in self._compressor.multi_compress_to_buffer(plain, threads=_THREADS)]


def fields(expressions: Iterable[str]) -> str:
    """An SQL expression that gives a row: a text of these expressions, empty where one is null."""
    return f" || '{FIELD}' || ".join(f"coalesce(({expression})::VARCHAR, '')" for expression in expressions)


def joined(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of (company_id, row) to one line a company, in the order in which companies and rows come."""
    return rows.group_by("company_id", maintain_order=True).agg(pl.col("row").str.join(ROW))
