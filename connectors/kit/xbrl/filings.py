"""Maps staged rows of accounts documents to shared filings: one per document and scope, with their ids.

The rows have one document, period and scope each (`document_sha256`, `member`, `balance_date`, `period_start`,
`is_consolidated`, `is_comparative`). Does not belong here: the columns in which markets differ (each `mapping`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.schema.codes import FIGURES
from warehouse.schema.ids import filing_id_of_bytes
from warehouse.schema.tables import FILINGS

HAS_FIGURES: Final = pl.any_horizontal(pl.col(name).is_not_null() for name in FIGURES)


def with_document_ids(rows: pl.DataFrame, company_id: pl.Expr) -> pl.DataFrame:
    """Adds company id, filing id per scope, and the link to the document inside its archive."""
    archive = pl.col("_raw").str.split("#").list.first()
    rows = rows.with_columns(
        company_id=company_id,
        _raw=pl.when(pl.col("member").is_null()).then("_raw").otherwise(archive + "#" + pl.col("member")),
    )
    ids = [
        filing_id_of_bytes(company, end, is_group, sha256)
        for company, end, is_group, sha256 in rows.select(
            "company_id", "balance_date", "is_consolidated", "document_sha256"
        ).iter_rows()
    ]
    return rows.with_columns(filing_id=pl.Series(ids, dtype=pl.String))


def document_filings(
    rows: pl.DataFrame, register: str, *, filing_type: pl.Expr, filed_at: pl.Expr, is_amendment: pl.Expr
) -> pl.DataFrame:
    """Filings, one per document and scope; a document without figures is a filing of the company scope."""
    own = rows.sort("is_comparative", "period_start", descending=[False, True])
    first = own.unique(subset="filing_id", keep="first", maintain_order=True)
    return first.select(
        filing_id="filing_id",
        company_id="company_id",
        filing_type=filing_type,
        native_id=pl.lit(None, pl.String),
        document_sha256="document_sha256",
        period_start=pl.when(~pl.col("is_comparative")).then("period_start"),
        period_end="balance_date",
        filed_at=filed_at,
        is_amendment=is_amendment,
        document_url=pl.lit(None, pl.String),
        register=pl.lit(register),
        raw="_raw",
        observed_at="_observed_at",
    ).select(FILINGS.names)
