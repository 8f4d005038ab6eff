"""Maps current rows of `se_arsredovisning` to shared filings and financials, and company names from reports.

Belongs here: columns to columns, over whole frames. Does not belong here: which fact is which figure
(`figures`), or building company profiles (`profile.companies`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.xbrl.filings import HAS_FIGURES, document_filings, with_document_ids
from connectors.se.annual_reports.schema import KEY, NUMBER, REPORTS
from connectors.se.register import company_ids
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

FILING_TYPE: Final = "annual_report"  # the only type distributed, whatever the length of the year
REPORTED: Final = {NUMBER: pl.String, "report_name": pl.String, "report_seen": pl.Datetime("us", "UTC")}
_PERIOD: Final = ["company_id", "period_end", "is_consolidated"]


def map_filings_and_financials(present: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`filings` and `financials_reported` from current staged rows."""
    if present.is_empty():
        return {table.name: staging.empty_staged_frame(table) for table in (FILINGS, FINANCIALS_REPORTED)}
    stated = present.select(*REPORTS.names, "_observed_at", "_raw")
    rows = with_document_ids(stated, company_ids(pl.col(NUMBER)))
    filings = document_filings(
        rows, KEY, filing_type=pl.lit(FILING_TYPE), filed_at=pl.col("registered_by"), is_amendment=pl.lit(value=False)
    )
    return {FILINGS.name: filings, FINANCIALS_REPORTED.name: _map_financials(rows)}


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


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    """Financials as stated in the documents.

    Multi-year overviews are rounded: their rows are used only for years without a full statement in any document.
    """
    stated = rows.filter(HAS_FIGURES)
    told = stated.filter(~pl.col("is_overview")).select(_PERIOD).unique()
    kept = pl.concat(
        [stated.filter(~pl.col("is_overview")), stated.filter("is_overview").join(told, on=_PERIOD, how="anti")]
    )
    return kept.with_columns(
        accounting_standard=pl.col("framework"),
        fiscal_year=pl.lit(None, pl.Int64),
        derived=pl.lit([], dtype=pl.List(pl.String)),
        register=pl.lit(KEY),
        raw="_raw",
        observed_at="_observed_at",
    ).select(FINANCIALS_REPORTED.names)
