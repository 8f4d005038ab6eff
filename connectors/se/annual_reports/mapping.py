"""Maps current rows of `se_arsredovisning` to shared filings and financials, and company names from reports.

Belongs here: columns to columns, over whole frames. Does not belong here: which fact is which figure
(`figures`), or building company profiles (`profile.companies`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.se.annual_reports.schema import KEY, NUMBER, REPORTS
from connectors.se.register import company_ids
from warehouse.schema.codes import FIGURES
from warehouse.schema.ids import filing_id_of_bytes
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

FILING_TYPE: Final = "annual_report"  # the only type distributed, whatever the length of the year
REPORTED: Final = {NUMBER: pl.String, "report_name": pl.String, "report_seen": pl.Datetime("us", "UTC")}
_HAS_FIGURES: Final = pl.any_horizontal(pl.col(name).is_not_null() for name in FIGURES)
_PERIOD: Final = ["company_id", "period_end", "is_consolidated"]


def map_filings_and_financials(present: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`filings` and `financials_reported` from current staged rows."""
    if present.is_empty():
        return {table.name: staging.empty_staged_frame(table) for table in (FILINGS, FINANCIALS_REPORTED)}
    rows = _with_ids(present.select(*REPORTS.names, "_observed_at", "_raw"))
    return {FILINGS.name: _map_filings(rows), FINANCIALS_REPORTED.name: _map_financials(rows)}


def report_names(present: pl.DataFrame) -> pl.DataFrame:
    """Company name from the newest report, for companies missing from every register file read so far."""
    if present.is_empty():
        return pl.DataFrame(schema=REPORTED)
    newest = present.filter(pl.col("company_name").is_not_null()).sort(
        "balance_date", "registered_by", "_observed_at", "document_sha256", nulls_last=False
    )
    return newest.group_by(NUMBER, maintain_order=True).agg(
        report_name=pl.col("company_name").last(), report_seen=pl.col("_observed_at").last()
    )


def _with_ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds company id, filing id per scope, and the link to the document."""
    rows = rows.with_columns(
        company_id=company_ids(pl.col(NUMBER)),
        raw=pl.when(pl.col("member").is_null())
        .then("_raw")
        .otherwise(pl.col("_raw").str.split("#").list.first() + "#" + pl.col("member")),
    )
    ids = [
        filing_id_of_bytes(company, end, is_group, sha256)
        for company, end, is_group, sha256 in rows.select(
            "company_id", "balance_date", "is_consolidated", "document_sha256"
        ).iter_rows()
    ]
    return rows.with_columns(filing_id=pl.Series(ids, dtype=pl.String))


def _provenance_columns() -> dict[str, pl.Expr]:
    return {"register": pl.lit(KEY), "raw": pl.col("raw"), "observed_at": pl.col("_observed_at")}


def _map_filings(rows: pl.DataFrame) -> pl.DataFrame:
    """Filings, one per document and scope."""
    own = rows.sort("is_comparative", "period_start", descending=[False, True])
    first = own.unique(subset="filing_id", keep="first", maintain_order=True)
    return first.select(
        filing_id="filing_id",
        company_id="company_id",
        filing_type=pl.lit(FILING_TYPE),
        native_id=pl.lit(None, pl.String),
        document_sha256="document_sha256",
        period_start=pl.when(~pl.col("is_comparative")).then("period_start"),
        period_end="balance_date",
        filed_at="registered_by",
        is_amendment=pl.lit(value=False),
        document_url=pl.lit(None, pl.String),
        **_provenance_columns(),
    ).select(FILINGS.names)


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    """Financials as stated in the documents.

    Multi-year overviews are rounded: their rows are used only for years without a full statement in any document.
    """
    stated = rows.filter(_HAS_FIGURES)
    told = stated.filter(~pl.col("is_overview")).select(_PERIOD).unique()
    kept = pl.concat(
        [stated.filter(~pl.col("is_overview")), stated.filter("is_overview").join(told, on=_PERIOD, how="anti")]
    )
    return kept.with_columns(
        accounting_standard=pl.col("framework"),
        fiscal_year=pl.lit(None, pl.Int64),
        derived=pl.lit([], dtype=pl.List(pl.String)),
        **_provenance_columns(),
    ).select(FINANCIALS_REPORTED.names)
