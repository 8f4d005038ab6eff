"""The uniform rule of `is_listed` (docs/formats/news.md 3.7): evidence in, the two columns of a profile out.

Venues that count are declared by the markets, by MIC: not platforms, which trade any share without the issuer's
request, and not over-the-counter quotes, which have no level.

Evidence is rows of `listings` and the market's own statement about its companies. A company is listed if any
evidence is live; it is not if evidence has ended and none is live; otherwise it is unknown, which a profile
shows as false without a source (docs/contract/contract.md 4.0). A company that its register has removed is
never listed. Does not belong here: where evidence comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

import polars as pl

from warehouse.schema.markets import MARKETS

LEVELS: Final = {
    mic: exchange.level
    for market in MARKETS.values()
    for mic, exchange in market.exchanges.items()
    if exchange.level is not None
}
MICS: Final = sorted(LEVELS)
_DISSOLVED = "dissolved"


def is_live_listing(today: date) -> pl.Expr:
    """True if a row of `listings` is evidence on a day: begun, not ended, on a venue that counts or none."""
    begun = (pl.col("valid_from") <= today).fill_null(value=True)
    lasts = (pl.col("ended_on") > today).fill_null(value=True)
    counts = pl.col("exchange_mic").is_in(MICS).fill_null(value=True)
    return begun & lasts & counts


def derive_is_listed(
    companies: pl.DataFrame, listings: pl.DataFrame, order: Sequence[str], today: date
) -> pl.DataFrame:
    """Companies with `is_listed` and `is_listed_source` computed.

    Args:
        companies: COMPANIES rows; existing values with a source are the market's own statement.
        listings: LISTINGS rows of these companies.
        order: registers by precedence; others follow them, by name.
        today: the reference day.
    """
    if listings.is_empty() and companies["is_listed_source"].null_count() == companies.height:
        return companies.with_columns(is_listed=pl.lit(value=False))  # no evidence for any company
    place = pl.col("register").replace_strict(
        {register: number for number, register in enumerate(order)}, default=len(order), return_dtype=pl.Int32
    )
    told = listings.select("company_id", "register", _live=is_live_listing(today), _place=place)
    own = companies.select("company_id", register=pl.col("is_listed_source"), _live=pl.col("is_listed")).filter(
        pl.col("register").is_not_null()
    )
    evidence = pl.concat([told, own.with_columns(_place=place)], how="diagonal")
    best = (
        evidence.sort(~pl.col("_live"), "_place", "register")
        .unique("company_id", keep="first", maintain_order=True)
        .select("company_id", "_live", _source="register")
    )
    # by the ids alone: a join copies every column
    found = companies.select("company_id").join(best, on="company_id", how="left", maintain_order="left")
    exists = pl.col("status") != _DISSOLVED
    return companies.with_columns(
        is_listed=found["_live"].fill_null(value=False) & exists, is_listed_source=found["_source"]
    )
