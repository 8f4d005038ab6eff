"""Holdings, as each source records them, to one line per holder of a company.

Belongs here: since when a percentage holds, and how sources agree. Does not belong here: who a holder is
(`holders`) or which changes are events (`ownership_events`).

There is one source per holder so far, so every line is `single`; a second source joins where
`_one_per_holder` takes the only row of a holder.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import polars as pl

from pipelines.steps.holders import with_holder_id
from warehouse.schema.tables import OWNERS

SHARE: Final = ("pct", "pct_min", "pct_max", "votes_pct", "votes_min", "votes_max", "basis")
_KEY: Final = ("company_id", "holder_id")


def owners(holdings: pl.DataFrame, former: pl.DataFrame, instant: datetime) -> pl.DataFrame:
    """One row per holder per company.

    Args:
        holdings: HOLDINGS rows, all of these companies.
        former: OWNERS rows known before, of the same companies: a share that a record changes in place has no
            date of its own, so it is of the day it was seen, and of the earlier day as long as it stays.
        instant: when this state was observed.
    """
    rows = _one_per_holder(with_holder_id(holdings))
    rows = _dated(rows, former, instant.date())
    rows = rows.with_columns(
        pl.lit("single").alias("reconciliation"),
        pl.Series("sources", [_sources(row) for row in rows.iter_rows(named=True)], dtype=pl.String),
    )
    return rows.select(OWNERS.names).sort(OWNERS.key)


def _one_per_holder(holdings: pl.DataFrame) -> pl.DataFrame:
    return holdings.unique(subset=_KEY, keep="last", maintain_order=True)


def _dated(rows: pl.DataFrame, former: pl.DataFrame, today: date) -> pl.DataFrame:
    """Adds as_of and first_seen."""
    before = former.select(
        *_KEY, "as_of", "first_seen", "ended_on", *SHARE, pl.lit(value=True).alias("known")
    )
    rows = rows.join(before, on=_KEY, how="left", suffix="_before")
    since = pl.coalesce("valid_from", "first_seen", pl.col("observed_at").dt.date())
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_before")) for name in SHARE)
    resumed = pl.col("ended_on_before").is_not_null() & pl.col("ended_on").is_null()
    moved = pl.col("valid_from") > pl.col("as_of")
    as_of = (
        pl.when(pl.col("known").is_null())
        .then(since)
        .when(moved)
        .then(pl.col("valid_from"))
        .when(same & ~resumed)
        .then(pl.col("as_of"))
        .otherwise(pl.lit(today))
    )
    return rows.with_columns(as_of=as_of, first_seen=pl.min_horizontal("first_seen", since))


def _sources(row: dict[str, Any]) -> str:
    source = {
        "register": row["register"],
        "native_id": row["native_id"],
        "url": row["url"],
        "as_of": row["as_of"].isoformat(),
        "pct": number(row["pct"]),
    }
    return json.dumps([source], ensure_ascii=False, separators=(",", ":"))


def number(percent: Decimal | None) -> int | float | None:
    """A percentage as the JSON number that spells it shortest; null stays null."""
    if percent is None:
        return None
    return int(percent) if percent == percent.to_integral_value() else float(percent)
