"""Maps present acts of linked companies to shared notices.

Belongs here: columns to columns, and dropping acts from before a company was registered. An authority's text is
not passed on: the title, the fine and the URL are. Does not belong here: finding the company of an act
(`market`).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from connectors.kit import staging
from connectors.regulators import schema
from connectors.regulators.act_types import ACTION_TYPES
from warehouse.schema.ids import natural_id
from warehouse.schema.tables import NOTICES


def map_notices(market: str, present: Mapping[str, pl.LazyFrame], companies: pl.DataFrame) -> pl.DataFrame:
    """`map_notices`: one per act and company, however many of its names the act uses.

    companies: COMPANIES rows; acts of others are left out. So is an act linked by name alone that is older than
    the company: another company had the name.
    """
    table = schema.acts_table(market).name
    if table not in present:
        return staging.empty_staged_frame(NOTICES)
    rows = (
        present[table]
        .filter(pl.col("_company_id").is_not_null())
        .sort("_company_id", "authority_code", "native_id", "place")
        .unique(["_company_id", "authority_code", "native_id"], keep="first", maintain_order=True)
        .collect()
    )
    known = companies.select(pl.col("company_id").alias("_company_id"), "registered_date")
    was_there = pl.col("published_at").dt.date() >= pl.col("registered_date")
    rows = rows.join(known, on="_company_id", maintain_order="left").filter(
        pl.col("lei").is_not_null() | was_there.fill_null(value=True)
    )
    parts = rows.select("authority_code", "native_id", "_company_id").iter_rows()
    ids = pl.Series("notice_id", [natural_id("ntc", *part) for part in parts], dtype=pl.String)
    kinds = pl.col("kind").replace_strict(ACTION_TYPES, default="other", return_dtype=pl.String)
    return rows.with_columns(
        ids,
        pl.col("_company_id").alias("company_id"),
        kinds.alias("action_type"),
        pl.lit(None, pl.String).alias("summary"),
        pl.col("_raw").alias("raw"),
        pl.col("_observed_at").alias("observed_at"),
    ).select(NOTICES.names)
