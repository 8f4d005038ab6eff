"""DuckDB SQL for financial and owner rows as texts, and the sort order of a company's rows.

DuckDB writes the texts, polars sorts them: polars only moves references to texts, DuckDB would move every
value. Does not belong here: the shapes (`document_sql`), packing (`codec_write`), or which companies are needed
(`pack_rows`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from warehouse.serving import codec_write
from warehouse.serving.document_sql import OWNER, PERIOD, SOURCE, json_value_expressions
from warehouse.storage.duckdb import query_frame, string_literal


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
