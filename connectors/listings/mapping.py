"""Maps FIRDS lines and live listings to shared rows: `listings` and `map_identifiers`.

Belongs here: ISIN, symbol and venue of traded instruments. Does not belong here: the rule (`is_listed`), records
of FIRDS (`connectors.firds.listings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.firds import schema as firds_schema
from connectors.firds.listings import firds_listings
from connectors.kit import staging
from connectors.kit.columns import text
from connectors.listings.is_listed import LEVELS, MICS, is_live_listing
from warehouse.schema.tables import IDENTIFIERS, LISTINGS

_NAMED: Final = {"isin": "isin", "ticker": "ticker"}


def map_firds_listings(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Listings of equities admitted at the issuer's request to venues that count.

    A line without a first trading day and without the issuer's approval is only a request, not a listing; so
    is one that begins too far ahead. An end too far ahead counts as none.
    """
    if not staging.has_rows(present, (*firds_schema.full_tables(market), firds_schema.changes_table(market))):
        return staging.empty_staged_frame(LISTINGS)
    is_told = pl.col("begins_on").is_not_null() | pl.col("ended_on").is_not_null()
    found = firds_listings(market, present).filter(
        pl.col("mic").is_in(MICS),
        pl.col("is_requested").is_not_null(),
        is_told,
        ~text.is_too_far_in_future(pl.col("begins_on")),
    )
    rows = found.select(
        *staging.ORIGIN,
        pl.lit(f"{market.lower()}.firds").alias("register"),
        pl.concat_str("isin", "mic", separator="/").alias("native_id"),
        pl.col("mic").alias("exchange_mic"),
        pl.col("isin"),
        pl.col("mic").replace_strict(LEVELS, default=None, return_dtype=pl.String).alias("level"),
        pl.col("begins_on").alias("valid_from"),
        pl.when(~text.is_too_far_in_future(pl.col("ended_on"))).then("ended_on").alias("ended_on"),
    )
    return staging.complete_columns(rows, LISTINGS).collect()


def map_identifiers(listings: pl.DataFrame, today: date, known: pl.DataFrame | None = None) -> pl.DataFrame:
    """ISINs and symbols of live listings, and the venue of the first symbol, else of the first line.

    known: IDENTIFIERS of other sources. The first symbol may be one of these, traded on no venue that is known.
    """
    if listings.is_empty():
        return staging.empty_staged_frame(IDENTIFIERS)
    live = listings.filter(is_live_listing(today)).sort("ticker", "native_id", nulls_last=True)
    named = [_identifier_rows(live, scheme, column) for scheme, column in _NAMED.items()]
    served = _first_symbols(named if known is None else [*named, known])
    venue = live.filter(pl.col("exchange_mic").is_not_null()).join(served, on="company_id", how="left")
    # a profile shows one symbol and one venue: of two symbols they would not belong together
    own = venue.filter(pl.col("_symbol").is_null() | pl.col("ticker").eq_missing(pl.col("_symbol")))
    first = own.sort("ticker", "native_id", nulls_last=True).unique("company_id", keep="first", maintain_order=True)
    return pl.concat([*named, _identifier_rows(first, "exchange_mic", "exchange_mic")])


def _first_symbols(identifiers: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The symbol that a company's profile shows."""
    symbols = pl.concat(rows.select("company_id", "scheme", "value") for rows in identifiers)
    return symbols.filter(pl.col("scheme") == "ticker").group_by("company_id").agg(_symbol=pl.col("value").min())


def _identifier_rows(rows: pl.DataFrame, scheme: str, column: str) -> pl.DataFrame:
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
