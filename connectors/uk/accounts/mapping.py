"""Maps current rows of `uk_accounts` to shared filings and financials, and company facts from accounts.

Belongs here: columns to columns, over whole frames. Does not belong here: which fact is which figure
(`figures`), or building company profiles from all sources (`profile.companies`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit.xbrl.filings import HAS_FIGURES, document_filings, with_document_ids
from connectors.uk.accounts.schema import ACCOUNTS, KEY, PUBLISHED_DAYS
from connectors.uk.register import company_ids
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

FACTS: Final = "facts"
_IS_INTERIM: Final = pl.col("accounts_type").str.contains("Interim|Initial").fill_null(False)


def map_accounts(present: pl.LazyFrame, published: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Builds `rest_api.filing_history`, `financials_reported` and `facts` from current staged rows.

    published: rows of `uk_accounts_published`.

    facts: one row per company from its newest document, used to complete the companies table: company_id,
    org_number, name, dormant, balance_date, facts_at.
    """
    stated = _with_stated_starts(present.select(*ACCOUNTS.names, "_observed_at", "_raw").collect())
    stated = _with_first_days(stated, published.select(PUBLISHED_DAYS.names).collect())
    rows = with_document_ids(stated, company_ids(pl.col("company_number"))).with_columns(
        filed_at=pl.coalesce("received_date", pl.col("published_date").dt.offset_by("-1d"))
    )
    filing_type = pl.when(_IS_INTERIM).then(pl.lit("interim_report")).otherwise(pl.lit("annual_report"))
    return {
        FILINGS.name: document_filings(
            rows, KEY, filing_type=filing_type, filed_at=pl.col("filed_at"), is_amendment=pl.col("is_amendment")
        ),
        FINANCIALS_REPORTED.name: _map_financials(rows),
        FACTS: _latest_company_facts(rows),
    }


def _with_stated_starts(rows: pl.DataFrame) -> pl.DataFrame:
    """Replaces an assumed start by the one another document states for the same last day.

    Adds `_has_no_start`: a comparative whose first day no document states.
    """
    place = ["company_number", "period_end"]
    stated = rows.filter(~pl.col("is_start_assumed")).sort("is_comparative", "period_start")
    known = stated.unique(subset=place, keep="first", maintain_order=True).select(*place, _stated="period_start")
    joined = rows.join(known, on=place, how="left", maintain_order="left")
    better = pl.coalesce("_stated", "period_start")
    start = pl.when("is_start_assumed").then(better).otherwise("period_start")
    no_start = pl.col("is_start_assumed") & pl.col("is_comparative") & pl.col("_stated").is_null()
    return joined.with_columns(period_start=start, _has_no_start=no_start).drop("_stated")


def _with_first_days(rows: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Replaces the day of the zip that a document was read from last by that of the first daily zip that had it."""
    document = ["document_sha256", "company_number"]
    first = published.group_by(document).agg(_first=pl.col("published_date").min())
    joined = rows.join(first, on=document, how="left", maintain_order="left")
    return joined.with_columns(published_date=pl.coalesce("_first", "published_date")).drop("_first")


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    """Financials as stated. Of rows that became equal by an assumed start, the one stating it is kept.

    Comparatives without a first day are no financials: their year may be shorter or longer than twelve months.
    """
    stated = rows.filter(HAS_FIGURES, ~pl.col("_has_no_start")).sort("is_start_assumed", "is_comparative")
    unique = stated.unique(subset=list(FINANCIALS_REPORTED.key), keep="first", maintain_order=True)
    year = pl.lit(None, pl.Int64)  # null: derived from the last day, unless filers state their own
    origin = {"register": pl.lit(KEY), "raw": pl.col("_raw"), "observed_at": pl.col("_observed_at")}
    return unique.with_columns(**origin, fiscal_year=year).select(FINANCIALS_REPORTED.names)


def _latest_company_facts(rows: pl.DataFrame) -> pl.DataFrame:
    """Name and dormancy per company, each from the newest document that states it."""
    order = ["balance_date", "filed_at", "_observed_at", "document_sha256"]
    newest = rows.sort(order, nulls_last=False)
    return newest.group_by("company_id", maintain_order=True).agg(
        org_number=pl.col("company_number").last(),
        name=pl.col("company_name").drop_nulls().last(),
        dormant=pl.col("dormant").last(),
        balance_date=pl.col("balance_date").last(),
        facts_at=pl.col("_observed_at").last(),
    )
