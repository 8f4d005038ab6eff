"""What stands for one company packed to one value: its rows, or the parts of its profile.

A register repeats the same words in every row, and a company's rows repeat each other: packed together they take
an eighth. Packed with Zstandard and a dictionary of the words that the declarations know; it stands in the file,
so that a later edition reads what an earlier one packed. Does not belong here: what rows say (`documents`), or
the tables they stand in (`serving`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import polars as pl
import zstandard

from warehouse.segments import read_only

FIELD: Final = "\x1f"  # between the fields of a row; JSON escapes both, and ids have neither
ROW: Final = "\x1e"
SCHEMA: Final = "CREATE TABLE packing (dictionary BLOB NOT NULL)"
_LEVEL: Final = 1
_THREADS: Final = 2
_UNPACKED: Final = "unpacked"  # as SQL calls it


def _row(*columns: str) -> str:
    """A row of columns as SQLite writes it, empty where one is null."""
    return " || char(31) || ".join(f"coalesce({column}, '')" for column in columns)


def _rows_of(table: str, *columns: str) -> str:
    return f"""CREATE TEMP VIEW {table} AS
        SELECT company_id, group_concat(row, char(30)) AS packed
        FROM (SELECT company_id, {_row(*columns)} AS row FROM main.{table} ORDER BY company_id, position)
        GROUP BY company_id"""


# Until the first publish after an upgrade, what the former edition published is served: a row each, not packed.
_FORMER: Final = (
    f"""CREATE TEMP VIEW companies AS SELECT rank, company_id, org_number, name, body, etag,
        {_row("detail", "identifiers", "address", "sources")} AS parts FROM main.companies""",
    _rows_of(
        "financials",
        *("period_type", "fiscal_year", "period_start", "period_end", "is_consolidated", "is_current"),
        *("version", "currency", "filing_id", "body", "source"),
    ),
    _rows_of("owners", "holder_id", "since", "until", "pct", "floor", "body"),
)


class Packer:
    """Packs what is written into one file."""

    def __init__(self, dictionary: bytes) -> None:
        words = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        words.precompute_compress(level=_LEVEL)
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=words, write_dict_id=False)

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Packer:
        """The one that a file is written with."""
        return cls(_dictionary(connection))

    def packed(self, texts: pl.Series) -> list[bytes]:
        """Each text packed, in their order. None is empty."""
        plain = texts.cast(pl.Binary).to_list()
        if not plain:
            return []
        return [part.tobytes() for part in self._compressor.multi_compress_to_buffer(plain, threads=_THREADS)]


def opened(path: Path) -> sqlite3.Connection:
    """A finished file, where SQL may call `unpacked(value)`; one of the former edition reads alike.

    Raises sqlite3.DatabaseError where it is damaged.
    """
    connection = read_only(path)
    try:
        connection.create_function(_UNPACKED, 1, _unpack(connection), deterministic=True)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _unpack(connection: sqlite3.Connection) -> Callable[[Any], bytes]:
    """What a file's values are unpacked by; makes views of one that has none packed."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'packing'").fetchone() is None:
        for view in _FORMER:
            connection.execute(view)
        return _as_bytes
    return unpacker(_dictionary(connection))


def unpacker(dictionary: bytes) -> Callable[[bytes], bytes]:
    """Gives a packed value as it was; for one thread at a time."""
    words = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    return zstandard.ZstdDecompressor(dict_data=words).decompress


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def rows(value: tuple[bytes] | None) -> Iterator[list[bytes]]:
    """The rows of one company, each as its fields; none where it has no value."""
    if value is not None:
        for row in value[0].split(ROW.encode()):
            yield row.split(FIELD.encode())


def fields(expressions: Iterable[str]) -> str:
    """An SQL expression that gives a row: a text of these expressions, empty where one is null."""
    return f" || '{FIELD}' || ".join(f"coalesce(({expression})::VARCHAR, '')" for expression in expressions)


def joined(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of (company_id, row) to one line a company, in the order in which companies and rows come."""
    return rows.group_by("company_id", maintain_order=True).agg(pl.col("row").str.join(ROW))


def _dictionary(connection: sqlite3.Connection) -> bytes:
    return connection.execute("SELECT dictionary FROM packing").fetchone()[0]
