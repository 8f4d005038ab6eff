"""Financial and owner rows as texts, in DuckDB's SQL, and the order in which those of a company are packed.

DuckDB writes the texts, polars puts them in order: it moves where a text lies, DuckDB would every value of a row.
Does not belong here: the shapes (`documents`), packing (`packing`), or whose rows are asked for (`rows`).
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
    """Rows of one table.

    select: gives, of the companies that meet a condition, (company_id, what they are put in order by, row) in no
    order. order: columns, and whether the largest of each is first; unknown is last.
    """

    select: Callable[[str], str]
    order: tuple[tuple[str, bool], ...]

    def told(self, source: duckdb.DuckDBPyConnection, first: str, last: str) -> pl.DataFrame:
        """(company_id, row) of the companies from `first` to `last`, each company's in the contract's order."""
        # rows of companies whose ids are close lie close together: of the others few are read
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
    """Served periods."""
    return f"""
        SELECT f.company_id, f.period_end, f.period_type, f.period_start, coalesce(f.currency, '') AS currency,
            f.filing_id, f.is_consolidated, f.version,
            {packing.row((*_FINANCIAL, *values((*PERIOD, *SOURCE))))} AS row
        FROM (FROM financials WHERE {which}) AS f
        LEFT JOIN (FROM filings WHERE {which}) AS p USING (company_id, filing_id)
        WHERE f.period_type IS NOT NULL
    """


def _holders(which: str) -> str:
    """Owners, and their spans."""
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
