"""Registration dates of accounts from the change feed, which the accounts API lacks.

See docs/formats/no.md 3.1 and 13.4.

The feed reports that a newer year was registered, not which document: the date applies to the first document of the
year, and only if its number has the same year of registration. Times are UTC, days are in Norwegian time. Does not
belong here: reading the feed (`rows`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.no.oppdateringer.schema import NUMBER, TIME, YEAR
from connectors.no.register import company_ids
from warehouse.schema.tables import FILINGS

_ZONE: Final = "Europe/Oslo"
_SAME: Final = ("company_id", "_year")
_REGISTERED: Final = pl.col("native_id").str.slice(0, 4)  # a journalnr begins with the year


def fill_filing_dates(filings: pl.DataFrame, change_feed: pl.LazyFrame) -> pl.DataFrame:
    """Fills `filed_at` of filings from the feed if no other source has it."""
    days = (
        change_feed.select(
            company_ids(pl.col(NUMBER)).alias("company_id"),
            pl.col(YEAR).alias("_year"),
            pl.col(TIME).dt.convert_time_zone(_ZONE).dt.date().alias("_day"),
        )
        .group_by(_SAME)
        .agg(pl.col("_day").min())
        .collect()
    )
    if days.is_empty() or filings.is_empty():
        return filings
    document = pl.col("native_id").str.split(":").list.first()
    rows = filings.with_columns(
        pl.col("period_end").dt.year().cast(pl.String).alias("_year"), document.alias("_document")
    ).join(days, on=_SAME, how="left", maintain_order="left")
    first = pl.col("_document") == pl.col("_document").min().over(_SAME)
    same_year = pl.col("_day").dt.year().cast(pl.String) == _REGISTERED
    known = pl.when(first & same_year).then(pl.col("_day"))
    return rows.with_columns(pl.coalesce("filed_at", known).alias("filed_at")).select(FILINGS.names)
