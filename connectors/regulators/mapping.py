"""Present acts of found companies to shared notices.

Belongs here: columns to columns. Text of an authority is not passed on: the title, the fine and the address are.
Does not belong here: which company an act is about (`market`).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from connectors.kit import staged
from connectors.regulators import acts
from connectors.regulators.kinds import ACTION_TYPES
from warehouse.schema.ids import natural_id
from warehouse.schema.tables import NOTICES


def notices(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """`notices`: one per act and company, whatever the number of names by which it is meant."""
    table = acts.table(market).name
    if table not in present:
        return staged.empty(NOTICES)
    rows = (
        present[table]
        .filter(pl.col("_company_id").is_not_null())
        .sort("_company_id", "authority_code", "native_id", "place")
        .unique(["_company_id", "authority_code", "native_id"], keep="first", maintain_order=True)
        .collect()
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
