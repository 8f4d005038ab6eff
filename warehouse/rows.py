"""Financial and owner rows of companies, packed for `serving`: some companies at a time, so memory stays small.

Companies come by their ids; in the tables of a release what some of them have lies close together. Does
not belong here: what a row says (`row_statements`), how it is packed (`packing`), or where it goes (`serving`).
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

STRETCH: Final = 20_000  # companies at once, in each lane
Packed = dict[str, pl.DataFrame]  # by table: (company_id, packed), what stands for all rows of each company


def of_all(source: duckdb.DuckDBPyConnection, words: bytes) -> Iterator[Packed]:
    """The rows of every company, in the order of their ids. `words`: the dictionary of the file."""
    return _in_lanes(source, _all(source), words)


def of(source: duckdb.DuckDBPyConnection, companies: pl.Series, words: bytes) -> Iterator[Packed]:
    """The rows of these companies, as `of_all`."""
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
            # hardly ever is there another: looking at every row for that would take a sixth of the statement
            found[table] = packed.filter(pl.col("company_id").is_in(companies.implode()))
    return found
