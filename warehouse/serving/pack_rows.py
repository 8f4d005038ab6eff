"""Packs the financial and owner rows of companies for `documents_db`, in chunks of companies to save memory.

Companies are processed by id; the tables of a release store companies with close ids close together. Does not
belong here: the content of a row (`row_sql`), compression (`codec_write`), or where it is stored
(`documents_db`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from typing import Final

import duckdb
import polars as pl

from warehouse.serving.codec_write import RowPacker
from warehouse.serving.row_sql import ROW_STATEMENTS
from warehouse.storage.duckdb import database_name, open_cursor, stream_frames
from warehouse.storage.parallel import parallel_map

STRETCH: Final = 20_000  # companies per chunk and thread
Packed = dict[str, pl.DataFrame]  # by table: (company_id, packed), where packed has all rows of the company


def pack_all_companies(source: duckdb.DuckDBPyConnection, dictionary: bytes) -> Iterator[Packed]:
    """Packed rows of all companies, by id. `dictionary`: the dictionary of the file."""
    return _pack_in_parallel(source, _all_companies(source), dictionary)


def pack_companies(source: duckdb.DuckDBPyConnection, companies: pl.Series, dictionary: bytes) -> Iterator[Packed]:
    """Packed rows of the given companies, as in `pack_all_companies`."""
    frames = companies.sort().rename("company_id").to_frame().iter_slices(STRETCH)
    return _pack_in_parallel(source, (part["company_id"] for part in frames if part.height), dictionary)


def _all_companies(source: duckdb.DuckDBPyConnection) -> Generator[pl.Series, None, None]:
    with open_cursor(source, database_name(source)) as own:
        for part in stream_frames(own, "SELECT company_id FROM companies ORDER BY company_id", STRETCH):
            yield part["company_id"]


def _pack_in_parallel(
    source: duckdb.DuckDBPyConnection, parts: Generator[pl.Series, None, None], words: bytes
) -> Iterator[Packed]:
    return parallel_map(parts, partial(_pack_part, source, database_name(source), words), waiting=1)


def _pack_part(source: duckdb.DuckDBPyConnection, database: str, words: bytes, companies: pl.Series) -> Packed:
    packer = RowPacker(words)
    found: Packed = {}
    with open_cursor(source, database) as own:
        for table, statement in ROW_STATEMENTS.items():
            packed = packer.by_company(statement.query_rows(own, companies[0], companies[-1]))
            # rarely drops any row; the same condition in SQL would take a sixth of the statement's time
            found[table] = packed.filter(pl.col("company_id").is_in(companies.implode()))
    return found
