"""Maps staged filings to the shared `filings`: annual and interim reports of the company itself.

See docs/formats/us.md 12.6.

Every other filing stays in `us_filed`: it holds no accounts and makes no event. A 6-K counts if it holds XBRL,
since most hold no statements. A report with XBRL waits some days for its figures, which usually follow within
the night: an event published before them would never include them. Does not belong here: figures, or news.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

import polars as pl

from connectors.kit.staging import ORIGIN, complete_columns
from connectors.us import form_types
from connectors.us.register import ARCHIVES_URL, filing_id, filing_urls
from connectors.us.submissions import schema as f
from warehouse.schema.tables import FILINGS

ANNUAL_REPORT: Final = "annual_report"
INTERIM_REPORT: Final = "interim_report"
WAIT: Final = timedelta(days=3)  # of our own choosing: one night, and another in case it fails
_SAME_PERIOD: Final = ["company_id", "filing_type", "period_end"]


def filing_type(form: pl.Expr, is_xbrl: pl.Expr) -> pl.Expr:
    """The type of a company's own periodic report; null for every other form."""
    interim = form_types.is_in_family(form, form_types.INTERIM) | (
        (form_types.base_form(form) == form_types.FOREIGN_INTERIM) & is_xbrl
    )
    return (
        pl.when(form_types.is_in_family(form, form_types.ANNUAL))
        .then(pl.lit(ANNUAL_REPORT))
        .when(interim)
        .then(pl.lit(INTERIM_REPORT))
    )


def map_filings(filed: pl.LazyFrame, facts: pl.LazyFrame, today: date) -> pl.DataFrame:
    """FILINGS rows of the reports in filers' lists.

    facts: cik and accession of the filings that already have facts; recent reports wait for theirs.
    """
    new = pl.col(f.FILED) > today - WAIT
    awaited = filed.filter(new, pl.col(f.IS_XBRL)).join(facts, on=[f.CIK, f.ACCESSION], how="anti")
    present = filed.filter(pl.col("_retired_at").is_null())
    kinds = present.join(awaited, on=[f.CIK, f.ACCESSION], how="anti").with_columns(
        filing_type(pl.col(f.FORM), pl.col(f.IS_XBRL).fill_null(value=False)).alias("filing_type")
    )
    found = kinds.filter(pl.col("filing_type").is_not_null()).collect()
    ids = [filing_id(cik, number) for cik, number in found.select(f.CIK, f.ACCESSION).iter_rows()]
    rows = found.select(
        pl.Series("filing_id", ids, pl.String),
        *ORIGIN,
        "filing_type",
        pl.col(f.ACCESSION).alias("native_id"),
        _last_day().alias("period_end"),
        pl.col(f.FILED).alias("filed_at"),
        pl.col(f.FORM).str.ends_with(form_types.AMENDED).alias("is_amendment"),
        _document_url().alias("document_url"),
        pl.lit(f.KEY).alias("register"),
    )
    return complete_columns(rows, FILINGS)


def _last_day() -> pl.Expr:
    """The last day that a report is on; unknown of a 6-K, of which the list names the month or day of filing."""
    is_foreign = form_types.base_form(pl.col(f.FORM)) == form_types.FOREIGN_INTERIM
    return pl.when(~is_foreign).then(pl.col(f.PERIOD))


def _document_url() -> pl.Expr:
    """URL of the primary document; where none is named, the index page."""
    number = pl.col(f.ACCESSION)
    document = pl.concat_str(
        pl.lit(f"{ARCHIVES_URL}/data/"),
        pl.col(f.CIK).str.strip_chars_start("0"),
        pl.lit("/"),
        number.str.replace_all("-", "", literal=True),
        pl.lit("/"),
        pl.col(f.DOCUMENT),
    )
    return pl.coalesce(document, filing_urls(pl.col(f.CIK), number))


def with_known_starts(rows: pl.DataFrame) -> pl.DataFrame:
    """Fills missing first days from another report of the same type and last day.

    Facts have the first day and lists do not: an amendment without facts (docs/formats/us.md 13, pitfall 19)
    would otherwise look like the report of another period.
    """
    known = pl.col("period_start").min().over(_SAME_PERIOD)
    stated = pl.col("period_end").is_not_null()
    return rows.with_columns(period_start=pl.when(stated).then(pl.coalesce("period_start", known)))
