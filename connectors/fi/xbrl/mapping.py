"""Maps current statements to shared filings, figures (docs/formats/fi.md 3.3) and company names.

Belongs here: column mappings over whole frames. Does not belong here: which fact is which line (`document`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.fi.register import STATEMENTS_URL, company_ids
from connectors.fi.xbrl.concepts import PRIOR
from connectors.fi.xbrl.schema import DATE, KEY, NUMBER, STATEMENTS
from connectors.kit.staging import cast_to_table
from warehouse.schema.codes import FIGURES
from warehouse.schema.ids import filing_id
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

FILING_TYPE: Final = "annual_report"
STANDARD: Final = "FAS"
_HAS_FIGURES: Final = pl.any_horizontal(pl.col(name).is_not_null() for name in FIGURES)


def map_filings_and_financials(statements: pl.LazyFrame, registered: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Builds `filings` and `financials_reported` from the companies' current rows."""
    # registered again means filed again: the newest day
    listed = registered.group_by(NUMBER, DATE).agg(pl.col("registrationDate").max())
    rows = statements.select(*STATEMENTS.names, "_observed_at", "_raw").join(listed, on=[NUMBER, DATE], how="left")
    found = _with_ids(rows.sort(NUMBER, DATE).collect())
    return {FILINGS.name: _map_filings(found), FINANCIALS_REPORTED.name: _map_financials(found)}


def statement_names(statements: pl.LazyFrame) -> pl.LazyFrame:
    """Names from each company's newest statement, for companies missing from every YTJ file read so far."""
    named = statements.filter(pl.col("si168").is_not_null()).sort(NUMBER, DATE)
    return named.group_by(NUMBER, maintain_order=True).agg(
        stated_name=pl.col("si168").last(), stated_at=pl.col("_observed_at").last()
    )


def registration_days(registered: pl.LazyFrame) -> pl.LazyFrame:
    """Companies and days with a registered statement: notices of those days add nothing."""
    return registered.select(NUMBER, "registrationDate").unique()


def _with_ids(rows: pl.DataFrame) -> pl.DataFrame:
    native = rows.select(pl.concat_str(NUMBER, pl.col(DATE).dt.to_string(), separator=":")).to_series()
    ids = pl.Series([filing_id(KEY, one) for one in native], dtype=pl.String)
    return rows.with_columns(
        company_id=company_ids(pl.col(NUMBER)), native_id=native, filing_id=ids, register=pl.lit(KEY)
    ).with_columns(raw="_raw", observed_at="_observed_at")


def _map_filings(rows: pl.DataFrame) -> pl.DataFrame:
    url = pl.concat_str(
        pl.lit(f"{STATEMENTS_URL}/financial?businessId="),
        pl.col(NUMBER),
        pl.lit("&financialDate="),
        pl.col(DATE).dt.to_string(),
    )
    return rows.with_columns(
        filing_type=pl.lit(FILING_TYPE),
        document_sha256="sha256",
        period_start="di120",
        period_end=DATE,
        # accounts are not registered before their year is over
        filed_at=pl.when(pl.col("registrationDate") > pl.col(DATE)).then("registrationDate"),
        is_amendment=pl.lit(value=False),
        document_url=url,
    ).select(FILINGS.names)


def _figure_columns(suffix: str) -> list[pl.Expr]:
    """Columns of figures. A gross result (x520) is not revenue; net result and balance have a second line each."""

    def line(*names: str) -> pl.Expr:
        return pl.coalesce(*(name + suffix for name in names))

    return [
        line("x673").alias("revenue"),
        line("x689").alias("operating_result"),
        line("x740", "x2895").alias("net_result"),
        line("x376").alias("equity"),
        line("x360", "x481").alias("total_assets"),
        pl.lit(None, pl.Int64).alias("employees"),  # the service has no headcount
    ]


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    own = rows.filter(pl.col("di120").is_not_null()).with_columns(
        period_start="di120", period_end=DATE, is_comparative=pl.lit(value=False)
    )
    # a comparative has no first day: it is of the period that the company's own statement of that day states
    stated_periods = own.select(NUMBER, pl.col(DATE).alias("priorDate"), _stated_start="di120")
    before = rows.join(stated_periods, on=[NUMBER, "priorDate"], how="inner", maintain_order="left").with_columns(
        period_start="_stated_start", period_end="priorDate", is_comparative=pl.lit(value=True)
    )
    both = [own.with_columns(_figure_columns("")), before.drop("_stated_start").with_columns(_figure_columns(PRIOR))]
    stated = pl.concat(both).filter(_HAS_FIGURES)
    figures = stated.with_columns(
        is_consolidated=pl.lit(value=False),
        accounting_standard=pl.lit(STANDARD),
        derived=pl.lit([], dtype=pl.List(pl.String)),
    )
    return cast_to_table(figures, FINANCIALS_REPORTED)
