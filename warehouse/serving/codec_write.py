"""Encodes the rows of one company, or the parts of its profile, as one compressed value.

Registers repeat words in every row, and rows of one company resemble each other: compressed together they take
an eighth. For JSON objects only the values are stored: DuckDB writes them in a third of the time. Compression
is Zstandard with a dictionary of declared codes; the dictionary and the text around the values are stored in
the file, so that later versions can read it. Does not belong here: the content of rows (`document_sql`), their
tables (`documents_db`), or decoding (`codec_read`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final

import polars as pl
import zstandard

from warehouse.serving.codec_read import FIELD, ROW, VALUE, read_dictionary

SCHEMA: Final = (
    "CREATE TABLE packing (dictionary BLOB NOT NULL)",
    # the text around the last fields of a table's rows
    "CREATE TABLE shapes (name TEXT PRIMARY KEY, template TEXT NOT NULL) WITHOUT ROWID",
)
_LEVEL: Final = -1  # a sixth larger than level 1, in half the time
# Those of the level, except for a smaller hash table: the default is cleared for every text, and most are
# smaller.
_PARAMETERS: Final = zstandard.ZstdCompressionParameters.from_level(_LEVEL, hash_log=10, write_dict_id=False)


class RowPacker:
    """Encoder for the values of one file; not thread-safe."""

    def __init__(self, dictionary: bytes) -> None:
        self.words = dictionary
        known = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        known.precompute_compress(compression_params=_PARAMETERS)
        self._compressor = zstandard.ZstdCompressor(dict_data=known, compression_params=_PARAMETERS)

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> RowPacker:
        """The encoder with a file's own dictionary."""
        return cls(read_dictionary(connection))

    def packed(self, texts: pl.Series) -> list[bytes]:
        """Compresses each text, keeping the order. None is treated as empty."""
        return self._pack_segments(texts, texts.str.len_bytes().cast(pl.UInt64))

    def by_company(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Packs rows of (company_id, row), sorted by company, into one value per company (company_id, packed)."""
        lengths = rows.select("company_id", length=pl.col("row").str.len_bytes().cast(pl.UInt64))
        companies = lengths.group_by("company_id", maintain_order=True).agg(pl.col("length").sum())
        packed = self._pack_segments(rows["row"], companies["length"], len(ROW))
        return companies.select("company_id", packed=pl.Series(packed, dtype=pl.Binary))

    def _pack_segments(self, texts: pl.Series, lengths: pl.Series, ended: int = 0) -> list[bytes]:
        """Compresses runs of consecutive texts with these total lengths, without the last `ended` bytes of each.

        Texts are read from the Arrow buffer: converting them to Python values would take as long as compressing
        them.
        """
        if lengths.is_empty():
            return []
        places = pl.DataFrame({"offset": lengths.cum_sum() - lengths, "length": lengths - ended})
        pairs = places.select(pl.concat_arr("offset", "length").explode()).to_series()
        _, _, data = texts.to_arrow(compat_level=pl.CompatLevel.oldest()).buffers()
        stretches = zstandard.BufferWithSegments(data, pairs.to_arrow().buffers()[1])
        return [part.tobytes() for part in self._compressor.multi_compress_to_buffer(stretches, threads=1)]


def write_packing_tables(connection: sqlite3.Connection, dictionary: bytes, templates: Mapping[str, str]) -> None:
    """Stores dictionary and templates in a file that has `SCHEMA`."""
    connection.execute("INSERT INTO packing VALUES (?)", (dictionary,))
    connection.executemany("INSERT INTO shapes VALUES (?, ?)", sorted(templates.items()))


def object_template(keys: Iterable[str]) -> str:
    """The text of a JSON object around the values of these keys."""
    members = ",".join(f'"{key}":{VALUE}' for key in keys)
    return f"{{{members}}}"


def join_templates(*objects: str) -> str:
    """Joins several templates, one field of the row each."""
    return FIELD.join(objects)


def fields_expression(expressions: Iterable[str]) -> str:
    """SQL for a row: the text of these expressions as fields, empty where one is null."""
    return f"concat({_separated_fields(expressions)})"


def row_expression(expressions: Iterable[str]) -> str:
    """SQL for a row followed by the row separator."""
    return f"concat({_separated_fields(expressions)}, '{ROW}')"


def _separated_fields(expressions: Iterable[str]) -> str:
    """Arguments of one `concat`, which treats null as empty: `||` would copy the text for each operand."""
    return f", '{FIELD}', ".join(expressions)
