"""Maps FIRDS lines and live listings to shared rows: `listings` and `identifiers`.

Belongs here: ISIN, symbol and venue of traded instruments. Does not belong here: the rule (`rule`), records
of FIRDS (`connectors.firds.lines`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.firds import fields
from connectors.firds.lines import lines
from connectors.kit import staged, text
from connectors.listed.rule import is_live
from connectors.listed.venues import MICS, VENUES
from warehouse.schema.tables import IDENTIFIERS, LISTINGS

_NAMED: Final = {"isin": "isin", "ticker": "ticker"}


def of_firds(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Listings of equities admitted at the issuer's request to venues that count.

    A line without a first trading day and without the issuer's approval is only a request, not a listing; so
    is one that begins too far ahead. An end too far ahead counts as none.
    """
    if not staged.have_rows(present, (*fields.full_tables(market), fields.changes_table(market))):
        return staged.empty(LISTINGS)
    is_told = pl.col("begins_on").is_not_null() | pl.col("ended_on").is_not_null()
    found = lines(market, present).filter(
        pl.col("mic").is_in(MICS),
        pl.col("is_requested").is_not_null(),
        is_told,
        ~text.is_far(pl.col("begins_on")),
    )
    rows = found.select(
        pl.col("_company_id").alias("company_id"),
        pl.lit(f"{market.lower()}.firds").alias("register"),
        pl.concat_str("isin", "mic", separator="/").alias("native_id"),
        pl.col("mic").alias("exchange_mic"),
        pl.lit(None, pl.String).alias("ticker"),
        pl.col("isin"),
        VENUES.expr("mic", "level").alias("level"),
        pl.col("begins_on").alias("valid_from"),
        pl.when(~text.is_far(pl.col("ended_on"))).then("ended_on").alias("ended_on"),
        pl.col("_raw").alias("raw"),
        pl.col("_observed_at").alias("observed_at"),
    )
    return rows.select(LISTINGS.names).cast(staged.schema(LISTINGS)).collect()  # pyright: ignore[reportArgumentType]


def identifiers(listings: pl.DataFrame, today: date) -> pl.DataFrame:
    """ISINs and symbols of live listings, and the venue of the first symbol, else of the first line."""
    if listings.is_empty():
        return staged.empty(IDENTIFIERS)
    live = listings.filter(is_live(today)).sort("ticker", "native_id", nulls_last=True)
    named = [_scheme(live, scheme, column) for scheme, column in _NAMED.items()]
    venue = live.filter(pl.col("exchange_mic").is_not_null())
    first = venue.unique("company_id", keep="first", maintain_order=True)
    return pl.concat([*named, _scheme(first, "exchange_mic", "exchange_mic")])


def _scheme(rows: pl.DataFrame, scheme: str, column: str) -> pl.DataFrame:
    return (
        rows.filter(pl.col(column).is_not_null())
        .unique(["company_id", column], keep="first", maintain_order=True)
        .select(
            "company_id",
            pl.lit(scheme).alias("scheme"),
            pl.col(column).alias("value"),
            "register",
            "raw",
            "observed_at",
        )
        .select(IDENTIFIERS.names)
    )
