"""Packs the financial and owner rows of companies for `serving`, in chunks of companies to save memory.

Companies are processed by id; the tables of a release store companies with close ids close together. Does not
belong here: the content of a row (`row_statements`), compression (`packing`), or where it is stored
(`serving`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from typing import Final

import duckdb
import polars as pl

from warehouse.ahead import in_lanes
from warehouse.engine import cursor, database_of, streamed
from warehouse.packing import Packer
from warehouse.row_statements import ROW_STATEMENTS

STRETCH: Final = 20_000  # companies per chunk and thread
Packed = dict[str, pl.DataFrame]  # by table: (company_id, packed), where packed has all rows of the company


def of_all(source: duckdb.DuckDBPyConnection, words: bytes) -> Iterator[Packed]:
    """Packed rows of all companies, by id. `words`: the dictionary of the file."""
    return _in_lanes(source, _all(source), words)


def of(source: duckdb.DuckDBPyConnection, companies: pl.Series, words: bytes) -> Iterator[Packed]:
    """Packed rows of the given companies, as in `of_all`."""
    frames = companies.sort().rename("company_id").to_frame().iter_slices(STRETCH)
    return _in_lanes(source, (part["company_id"] for part in frames if part.height), words)


def _all(source: duckdb.DuckDBPyConnection) -> Generator[pl.Series, None, None]:
    with cursor(source, database_of(source)) as own:
        for part in streamed(own, "SELECT company_id FROM companies ORDER BY company_id", STRETCH):
            yield part["company_id"]


def _in_lanes(
    source: duckdb.DuckDBPyConnection, parts: Generator[pl.Series, None, None], words: bytes
) -> Iterator[Packed]:
    return in_lanes(parts, partial(_packed, source, database_of(source), words), waiting=1)


def _packed(source: duckdb.DuckDBPyConnection, database: str, words: bytes, companies: pl.Series) -> Packed:
    packer = Packer(words)
    found: Packed = {}
    with cursor(source, database) as own:
        for table, statement in ROW_STATEMENTS.items():
            packed = packer.by_company(statement.told(own, companies[0], companies[-1]))
            # rarely drops any row; the same condition in SQL would take a sixth of the statement's time
            found[table] = packed.filter(pl.col("company_id").is_in(companies.implode()))
    return found
