"""What stands for one company packed to one value: its rows, or the parts of its profile.

A register repeats the same words in every row, and a company's rows repeat each other: packed together they take
an eighth. Of a JSON object its values are packed alone: DuckDB writes them in a third of the time. Packed with
Zstandard and a dictionary of the words that the declarations know; it stands in the file, and so does the text
around the values, so that a later edition reads what an earlier one packed. Does not belong here: what rows say
(`documents`), the tables they stand in (`serving`), or reading them (`packed`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final

import polars as pl
import zstandard

from warehouse.packed import FIELD, ROW, VALUE, dictionary

SCHEMA: Final = (
    "CREATE TABLE packing (dictionary BLOB NOT NULL)",
    # of the rows in a table's values: the text around their last fields
    "CREATE TABLE shapes (name TEXT PRIMARY KEY, template TEXT NOT NULL) WITHOUT ROWID",
)
_LEVEL: Final = -1  # a sixth larger than 1, in half the time
# The level's, but for the table of hashes: its own is cleared for every text, and most are shorter than it
_PARAMETERS: Final = zstandard.ZstdCompressionParameters.from_level(_LEVEL, hash_log=10, write_dict_id=False)


class Packer:
    """Packs what is written into one file; for one thread at a time."""

    def __init__(self, words: bytes) -> None:
        self.words = words
        known = zstandard.ZstdCompressionDict(words, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        known.precompute_compress(compression_params=_PARAMETERS)
        self._compressor = zstandard.ZstdCompressor(dict_data=known, compression_params=_PARAMETERS)

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Packer:
        """The one that a file is written with."""
        return cls(dictionary(connection))

    def packed(self, texts: pl.Series) -> list[bytes]:
        """Each text packed, in their order. None is empty."""
        return self._each(texts, texts.str.len_bytes().cast(pl.UInt64))

    def by_company(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows of (company_id, row) as (company_id, packed): each company's, which stand together, in one value."""
        lengths = rows.select("company_id", length=pl.col("row").str.len_bytes().cast(pl.UInt64))
        companies = lengths.group_by("company_id", maintain_order=True).agg(pl.col("length").sum())
        packed = self._each(rows["row"], companies["length"], len(ROW))
        return companies.select("company_id", packed=pl.Series(packed, dtype=pl.Binary))

    def _each(self, texts: pl.Series, lengths: pl.Series, ended: int = 0) -> list[bytes]:
        """Stretches of these lengths of texts that lie one behind the other; the last bytes of each stay away.

        The texts are read where they lie: as values of Python's own they would take as long as packing them.
        """
        if lengths.is_empty():
            return []
        places = pl.DataFrame({"offset": lengths.cum_sum() - lengths, "length": lengths - ended})
        pairs = places.select(pl.concat_arr("offset", "length").explode()).to_series()
        _, _, data = texts.to_arrow(compat_level=pl.CompatLevel.oldest()).buffers()
        stretches = zstandard.BufferWithSegments(data, pairs.to_arrow().buffers()[1])
        return [part.tobytes() for part in self._compressor.multi_compress_to_buffer(stretches, threads=1)]


def begin(connection: sqlite3.Connection, words: bytes, templates: Mapping[str, str]) -> None:
    """Writes into a file that has `SCHEMA` what its values will be packed by."""
    connection.execute("INSERT INTO packing VALUES (?)", (words,))
    connection.executemany("INSERT INTO shapes VALUES (?, ?)", sorted(templates.items()))


def template(keys: Iterable[str]) -> str:
    """The text of a JSON object around the values of these keys."""
    members = ",".join(f'"{key}":{VALUE}' for key in keys)
    return f"{{{members}}}"


def templates(*objects: str) -> str:
    """Several of those, one behind the other, each a field of the row."""
    return FIELD.join(objects)


def fields(expressions: Iterable[str]) -> str:
    """An SQL expression that gives a row: a text of these expressions, empty where one is null."""
    return f"concat({_parted(expressions)})"


def row(expressions: Iterable[str]) -> str:
    """An SQL expression that gives a row that others may follow."""
    return f"concat({_parted(expressions)}, '{ROW}')"


def _parted(expressions: Iterable[str]) -> str:
    """What `concat` puts together at once, null being nothing: `||` writes a text again for each that follows."""
    return f", '{FIELD}', ".join(expressions)
