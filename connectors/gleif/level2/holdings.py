"""Maps consolidating parents to shared holdings: control, never a share (docs/formats/news.md 3.2).

A parent is known by its LEI only, so a line has neither name nor kind; `pipelines` adds both if another
register has the holder. A record with a lapsed registration is stale and stays, as does one that moves to another
operator; one that was retired, became inactive, was deleted, or is missing from the full file has ended, as has one
whose place another parent took. Does not belong here: reading (`dataset`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.gleif.level2 import schema as f
from connectors.gleif.sound_rows import changed_at
from connectors.kit import staging
from connectors.kit.columns import text
from warehouse.schema.codes import CONSOLIDATED_PARENT
from warehouse.schema.tables import HOLDINGS

RECORD_URL: Final = "https://search.gleif.org/#/record/"
_RETIRED: Final = "RETIRED"
_EARLIEST: Final = date(1600, 1, 1)  # a start before is a filler, as 0001-01-01
# a status that is neither says nothing of whether a relationship goes on
_TOLD: Final = (f.ACTIVE, f.INACTIVE)


def map_holdings(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """One line per company and parent: direct if the parent's accounts consolidate the company's directly."""
    table = f.relations_table(market)
    if table.name not in present:
        return staging.empty_staged_frame(HOLDINGS)
    rows = present[table.name].filter(
        pl.col("_company_id").is_not_null(),
        pl.col("registration_status").is_in(f.VALID_STATUSES),
        pl.col("status").is_in(_TOLD).fill_null(value=True),
    )
    begun = text.iso_date(pl.col("started"))
    is_possible = (begun >= _EARLIEST) & ~text.is_too_far_in_future(begun)
    told = rows.with_columns(_ended=_end_day(), _begun=pl.when(is_possible).then(begun), _changed=changed_at())
    told = told.with_columns(pl.coalesce("_ended", _replacement_day()).alias("_ended"))
    is_live = pl.col("_ended").is_null()
    # while a kind of relationship goes on, one that has ended says nothing of the line
    counts = is_live | ~is_live.any()
    grouped = (
        told.sort("relation")
        .group_by("_company_id", "parent", maintain_order=True)
        .agg(
            controls=pl.col("relation").filter(is_live).unique(maintain_order=True),
            ceased=pl.col("relation").unique(maintain_order=True),
            is_direct=(pl.col("relation").filter(counts) == f.DIRECT).any(),
            valid_from=pl.col("_begun").filter(counts).min(),
            ended_on=pl.when(is_live.any()).then(None).otherwise(pl.col("_ended").max()),
            raw=pl.col("_raw").last(),
            observed_at=pl.col("_observed_at").max(),
        )
    )
    words = pl.when(pl.col("controls").list.len() > 0).then(pl.col("controls")).otherwise(pl.col("ceased"))
    lines = grouped.with_columns(
        company_id=pl.col("_company_id"),
        register=pl.lit(f"{market.lower()}.lei_parents"),
        native_id=pl.col("parent"),
        holder_type=pl.lit("unknown"),
        controls=pl.concat_list(pl.lit([CONSOLIDATED_PARENT]), words),
        url=pl.lit(RECORD_URL) + pl.col("parent"),
    )
    return staging.cast_to_table(lines, HOLDINGS).collect()


def _end_day() -> pl.Expr:
    """The day a relationship ended; if not stated, the day its record last changed or was observed."""
    said = text.iso_date(pl.col("ended"))
    changed = pl.coalesce(
        text.iso_date(pl.col("deleted")), text.iso_date(pl.col("last_update")), pl.col("_observed_at").dt.date()
    )
    over = (
        (pl.col("status") == f.INACTIVE).fill_null(value=False)
        | (pl.col("registration_status") == _RETIRED)
        | pl.col("deleted").is_not_null()
    )
    left = pl.col("_retired_at").dt.date()
    return pl.when(over).then(pl.coalesce(said, changed)).otherwise(left)


def _replacement_day() -> pl.Expr:
    """The day on which another parent took the place of one in force; null for the one that was stated last.

    GLEIF has one record of an entity and kind: where a file states a new parent, nothing states the end of the former.
    """
    is_live = pl.col("_ended").is_null()
    newest = pl.col("_changed").filter(is_live).max().over("child", "relation")
    return pl.when(is_live & (pl.col("_changed") < newest)).then(newest.dt.date())
