"""Packs the financial and owner rows of companies for `documents_db`, in chunks of companies to save memory.

Companies are processed by id; the tables of a release store companies with close ids close together. DuckDB writes
the rows as texts, polars sorts them: polars only moves references to texts, DuckDB would move every value. Does not
belong here: the shapes of rows (`document_sql`), compression (`codec_write`), or where they are stored
(`documents_db`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import duckdb
import polars as pl

from warehouse.serving import codec_write
from warehouse.serving.codec_write import RowPacker
from warehouse.serving.document_sql import OWNER, PERIOD, SOURCE, json_value_expressions
from warehouse.storage.duckdb import database_name, open_cursor, query_frame, stream_frames, string_literal
from warehouse.storage.parallel import parallel_map

STRETCH: Final = 20_000  # companies per chunk and thread
Packed = dict[str, pl.DataFrame]  # by table: (company_id, packed), where packed has all rows of the company


@dataclass(frozen=True, slots=True)
class RowStatement:
    """SQL for the rows of one table.

    select: SQL for (company_id, sort columns, row), unordered, given a condition on companies. order: sort
    columns, and whether each is descending; nulls last.
    """

    select: Callable[[str], str]
    order: tuple[tuple[str, bool], ...]

    def query_rows(self, source: duckdb.DuckDBPyConnection, first: str, last: str) -> pl.DataFrame:
        """(company_id, row) for the companies from `first` to `last`, by company, then in the contract's order."""
        # companies with close ids are stored close together, so few other rows are read
        found = query_frame(
            source, self.select(f"company_id BETWEEN {string_literal(first)} AND {string_literal(last)}")
        )
        by, descending = zip(("company_id", False), *self.order, strict=True)
        return found.sort(by, descending=descending, nulls_last=True).select("company_id", "row")


# In the order of `reader.queries.financials`.
_FINANCIAL: Final = (
    *("f.period_type", "f.fiscal_year", "f.period_start", "f.period_end", "f.is_consolidated::INTEGER"),
    *("f.is_current::INTEGER", "f.version", "f.currency", "f.filing_id"),
)
# In the order of `reader.queries.owners`; percentages in ten-thousandths.
_OWNER: Final = (
    *("o.holder_id", "o.as_of", "least(o.valid_to, o.ended_on)", "(o.pct * 10000)::BIGINT"),
    "(coalesce(o.pct, o.pct_min) * 10000)::BIGINT",
)


def _financial_rows_sql(which: str) -> str:
    """SQL for served periods."""
    return f"""
        SELECT f.company_id, f.period_end, f.period_type, f.period_start, coalesce(f.currency, '') AS currency,
            f.filing_id, f.is_consolidated, f.version,
            {codec_write.row_expression((*_FINANCIAL, *json_value_expressions((*PERIOD, *SOURCE))))} AS row
        FROM (FROM financials WHERE {which}) AS f
        LEFT JOIN (FROM filings WHERE {which}) AS p USING (company_id, filing_id)
        WHERE f.period_type IS NOT NULL
    """


def _owner_rows_sql(which: str) -> str:
    """SQL for owners and their valid time."""
    row = codec_write.row_expression((*_OWNER, *json_value_expressions(OWNER)))
    return f"""
        SELECT o.company_id, o.pct, o.holder_id, o.as_of, {row} AS row
        FROM (FROM owners WHERE {which}) AS o
    """


ROW_STATEMENTS: Final = {
    "financials": RowStatement(
        _financial_rows_sql,
        (
            ("period_end", True),
            ("period_type", False),
            ("period_start", True),
            ("currency", False),
            ("filing_id", False),
            ("is_consolidated", True),
            ("version", True),
        ),
    ),
    "owners": RowStatement(_owner_rows_sql, (("pct", True), ("holder_id", False), ("as_of", True))),
}


def pack_all_companies(source: duckdb.DuckDBPyConnection, dictionary: bytes) -> Iterator[Packed]:
    """Packed rows of all companies, by id. `dictionary`: the dictionary of the file."""
    return _pack_in_parallel(source, _all_companies(source), dictionary)


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
