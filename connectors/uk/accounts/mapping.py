"""Maps current rows of `uk_accounts` to shared filings and financials, and company facts from accounts.

Belongs here: columns to columns, over whole frames. Does not belong here: which fact is which figure
(`figures`), or building company profiles from all sources (`profile.companies`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.uk.accounts.schema import ACCOUNTS, KEY
from warehouse.schema.codes import FIGURES
from warehouse.schema.identifiers import company_id
from warehouse.schema.ids import filing_id_of_bytes
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

FACTS: Final = "facts"
_PREFIX: Final = company_id("UK", "")
_HAS_FIGURES: Final = pl.any_horizontal(pl.col(name).is_not_null() for name in FIGURES)
_IS_INTERIM: Final = pl.col("accounts_type").str.contains("Interim|Initial").fill_null(False)


def map_accounts(present: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Builds `rest_api.filing_history`, `financials_reported` and `facts` from current staged rows.

    facts: one row per company from its newest document, used to complete the companies table: company_id,
    org_number, name, dormant, balance_date, facts_at.
    """
    rows = _with_ids(_with_stated_starts(present.select(*ACCOUNTS.names, "_observed_at", "_raw").collect()))
    return {
        FILINGS.name: _map_filings(rows),
        FINANCIALS_REPORTED.name: _map_financials(rows),
        FACTS: _latest_company_facts(rows),
    }


def _with_stated_starts(rows: pl.DataFrame) -> pl.DataFrame:
    """Replaces an assumed start by the one another document states for the same last day."""
    place = ["company_number", "period_end"]
    stated = rows.filter(~pl.col("is_start_assumed")).sort("is_comparative", "period_start")
    known = stated.unique(subset=place, keep="first", maintain_order=True).select(*place, _stated="period_start")
    joined = rows.join(known, on=place, how="left", maintain_order="left")
    better = pl.coalesce("_stated", "period_start")
    start = pl.when("is_start_assumed").then(better).otherwise("period_start")
    return joined.with_columns(period_start=start).drop("_stated")


def _with_ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds company id, filing id per scope, and the link to the document inside its archive."""
    archive = pl.col("_raw").str.split("#").list.first()
    identity = pl.lit(_PREFIX) + pl.col("company_number")
    rows = rows.with_columns(
        company_id=identity,
        raw=pl.when(pl.col("member").is_null()).then("_raw").otherwise(archive + "#" + pl.col("member")),
        filed_at=pl.coalesce("received_date", pl.col("published_date").dt.offset_by("-1d")),
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
    """Filings, one per document and scope; a document without figures is a filing of the company scope."""
    own = rows.sort("is_comparative", "period_start", descending=[False, True])
    first = own.unique(subset="filing_id", keep="first", maintain_order=True)
    start = pl.when(~pl.col("is_comparative")).then("period_start")
    return first.select(
        filing_id="filing_id",
        company_id="company_id",
        filing_type=pl.when(_IS_INTERIM).then(pl.lit("interim_report")).otherwise(pl.lit("annual_report")),
        native_id=pl.lit(None, pl.String),
        document_sha256="document_sha256",
        period_start=start,
        period_end="balance_date",
        filed_at="filed_at",
        is_amendment="is_amendment",
        document_url=pl.lit(None, pl.String),
        **_provenance_columns(),
    ).select(FILINGS.names)


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    """Financials as stated. Of rows that became equal by an assumed start, the one stating it is kept."""
    stated = rows.filter(_HAS_FIGURES).sort("is_start_assumed", "is_comparative")
    unique = stated.unique(subset=list(FINANCIALS_REPORTED.key), keep="first", maintain_order=True)
    year = pl.lit(None, pl.Int64)  # null: derived from the last day, unless filers state their own
    return unique.with_columns(**_provenance_columns(), fiscal_year=year).select(FINANCIALS_REPORTED.names)


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
