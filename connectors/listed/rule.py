"""The uniform rule of `is_listed` (docs/formats/news.md 3.7): evidence in, the two columns of a profile out.

Evidence is rows of `listings` and the market's own word about its companies. A company is listed where any evidence
lives; it is not where evidence has ended and none lives; otherwise nobody knows, which a profile shows as false
without a source (docs/contract/contract.md 4.0). Of a company that its register has removed nothing is listed. Does
not belong here: where evidence comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from connectors.listed.venues import MICS

_DISSOLVED = "dissolved"


def is_live(today: date) -> pl.Expr:
    """Whether a row of `listings` is evidence on a day: begun, not ended, on a venue that counts or none."""
    begun = (pl.col("valid_from") <= today).fill_null(value=True)
    lasts = (pl.col("ended_on") > today).fill_null(value=True)
    counts = pl.col("exchange_mic").is_in(MICS).fill_null(value=True)
    return begun & lasts & counts


def decided(
    companies: pl.DataFrame, listings: pl.DataFrame, order: Sequence[str], today: date
) -> pl.DataFrame:
    """Companies with `is_listed` and `is_listed_source` decided.

    Args:
        companies: COMPANIES rows; what they say already is the market's own word, where it names a source.
        listings: LISTINGS rows of these companies.
        order: registers by the weight of their word; others come after them, by name.
        today: the day it is decided for.
    """
    if listings.is_empty() and companies["is_listed_source"].null_count() == companies.height:
        return companies.with_columns(is_listed=pl.lit(value=False))  # nobody knows of any
    place = pl.col("register").replace_strict(
        {register: number for number, register in enumerate(order)},
        default=len(order),
        return_dtype=pl.Int32,
    )
    told = listings.select("company_id", "register", _live=is_live(today), _place=place)
    own = companies.select(
        "company_id",
        register=pl.col("is_listed_source"),
        _live=pl.col("is_listed"),
    ).filter(pl.col("register").is_not_null())
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
        is_listed=found["_live"].fill_null(value=False) & exists,
        is_listed_source=found["_source"],
    )
