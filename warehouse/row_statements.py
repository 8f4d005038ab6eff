"""DuckDB SQL for financial and owner rows as texts, and the sort order of a company's rows.

DuckDB writes the texts, polars sorts them: polars only moves references to texts, DuckDB would move every
value. Does not belong here: the shapes (`documents`), packing (`packing`), or which companies are needed
(`rows`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from warehouse import packing
from warehouse.documents import OWNER, PERIOD, SOURCE, values
from warehouse.engine import frame, text


@dataclass(frozen=True, slots=True)
class RowStatement:
    """SQL for the rows of one table.

    select: SQL for (company_id, sort columns, row), unordered, given a condition on companies. order: sort
    columns, and whether each is descending; nulls last.
    """

    select: Callable[[str], str]
    order: tuple[tuple[str, bool], ...]

    def told(self, source: duckdb.DuckDBPyConnection, first: str, last: str) -> pl.DataFrame:
        """(company_id, row) for the companies from `first` to `last`, by company, then in the contract's order."""
        # companies with close ids are stored close together, so few other rows are read
        found = frame(source, self.select(f"company_id BETWEEN {text(first)} AND {text(last)}"))
        by, descending = zip(("company_id", False), *self.order, strict=True)
        return found.sort(by, descending=descending, nulls_last=True).select("company_id", "row")


# In the order of `queries.periods`.
_FINANCIAL: Final = (
    *("f.period_type", "f.fiscal_year", "f.period_start", "f.period_end", "f.is_consolidated::INTEGER"),
    *("f.is_current::INTEGER", "f.version", "f.currency", "f.filing_id"),
)
# In the order of `queries.holders`; percentages in ten-thousandths.
_OWNER: Final = (
    *("o.holder_id", "o.as_of", "least(o.valid_to, o.ended_on)", "(o.pct * 10000)::BIGINT"),
    "(coalesce(o.pct, o.pct_min) * 10000)::BIGINT",
)


def _periods(which: str) -> str:
    """SQL for served periods."""
    return f"""
        SELECT f.company_id, f.period_end, f.period_type, f.period_start, coalesce(f.currency, '') AS currency,
            f.filing_id, f.is_consolidated, f.version,
            {packing.row((*_FINANCIAL, *values((*PERIOD, *SOURCE))))} AS row
        FROM (FROM financials WHERE {which}) AS f
        LEFT JOIN (FROM filings WHERE {which}) AS p USING (company_id, filing_id)
        WHERE f.period_type IS NOT NULL
    """


def _holders(which: str) -> str:
    """SQL for owners and their valid time."""
    return f"""
        SELECT o.company_id, o.pct, o.holder_id, o.as_of, {packing.row((*_OWNER, *values(OWNER)))} AS row
        FROM (FROM owners WHERE {which}) AS o
    """


ROW_STATEMENTS: Final = {
    "financials": RowStatement(
        _periods,
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
    "owners": RowStatement(_holders, (("pct", True), ("holder_id", False), ("as_of", True))),
}
