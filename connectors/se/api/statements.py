"""Converts staged API blocks to one statement per company, in the same shape as those of the bulk files.

Belongs here: blocks to groups of a statement, each with its response time. Does not belong here: the choice
between bulk and API (`profile.companies`).
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import polars as pl

from connectors.se import code_lists
from connectors.se.api import schema as f
from connectors.se.bulk.bolagsverket_schema import NAMES as BULK_NAMES
from connectors.se.bulk.statements import ADDRESS, with_address, with_names

_ACTIVITY: Final = {"JA": "1", "NEJ": "9"}

# group of a statement -> API block that supplies it, and its columns
_BLOCKS: Final = {
    "form": (f.FORM, {"form": "kod"}),
    "country": (f.COUNTRY, {"country": "kod"}),
    "deregistration": (f.DEREGISTRATION, {"deregistered": "datum"}),
    "proceedings": (f.PROCEEDINGS, {"proceedings": "forfaranden"}),
    "registration": (f.REGISTRATION, {"registered": "datum"}),
}


def bolagsverket_statements(rows: pl.DataFrame) -> pl.DataFrame:
    """Bolagsverket's groups, one row per company; `<group>_seen` is null where the API never returned the group."""
    if rows.is_empty():  # most companies were never requested
        return rows.select(f.NUMBER)
    first = _first_firm_blocks(rows.lazy())
    parts = [_block_columns(first, block, columns, group) for group, (block, columns) in _BLOCKS.items()]
    parts += [
        _name_columns(first),
        _address_columns(first),
        _block_columns(first, f.REASON, {"reason": "kod"}, "reason"),
    ]
    joined = reduce(_join_groups, parts)
    # a reason dated differently from the deregistration belongs to another deregistration
    same = pl.col("reason_seen") == pl.col("deregistration_seen")
    return joined.with_columns(pl.when(same).then("reason").alias("reason")).drop("reason_seen").collect()


def scb_statements(rows: pl.DataFrame) -> pl.DataFrame:
    """SCB's groups: activity, statistical form, industry."""
    if rows.is_empty():
        return rows.select(f.NUMBER)
    first = _first_firm_blocks(rows.lazy())
    activity = _block_columns(first, f.ACTIVITY, {"activity": "kod"}, "activity").with_columns(
        activity_word="verksamOrganisation " + pl.col("activity"),
        activity=pl.col("activity").replace_strict(_ACTIVITY, default=None, return_dtype=pl.String),
    )
    form = _block_columns(first, f.STATISTICAL_FORM, {"statistical_form": "kod"}, "statistical_form")
    industry = _block_columns(
        first,
        f.INDUSTRY,
        {"industry": "sni", "industry_label": "sni_klartext", "industry_scheme": f.SCHEME},
        "industry",
    ).with_columns(
        pl.coalesce("industry_label", code_lists.industry_labels("industry", "industry_scheme")).alias("industry_label")
    )
    return reduce(_join_groups, [activity, form, industry]).collect()


def _first_firm_blocks(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Blocks of the first firm where several share one number.

    One that is deregistered comes last, of several the one that was last, as in the bulk.
    """
    firm = (f.NUMBER, f.SERIAL)
    end = pl.when(pl.col(f.BLOCK) == f.DEREGISTRATION).then("datum")
    has_reason = (pl.col(f.BLOCK) == f.REASON) & code_lists.names_an_end("kod")
    marked = rows.with_columns(
        _end=end.max().over(firm),
        _ended=(end.is_not_null() | has_reason).any().over(firm),
        _serial=pl.col(f.SERIAL).cast(pl.Int64, strict=False),
    )
    order = [f.NUMBER, "_ended", "_end", "_serial"]
    ordered = marked.sort(order, descending=[False, False, True, False], nulls_last=[False, False, True, False])
    return ordered.unique([f.NUMBER, f.BLOCK], keep="first", maintain_order=True).drop("_ended", "_end", "_serial")


def _join_groups(left: pl.LazyFrame, right: pl.LazyFrame) -> pl.LazyFrame:
    return left.join(right, on=f.NUMBER, how="full", coalesce=True)


def _block_columns(rows: pl.LazyFrame, block: str, columns: dict[str, str], group: str) -> pl.LazyFrame:
    return rows.filter(pl.col(f.BLOCK) == block).select(
        f.NUMBER,
        *(pl.col(source).alias(name) for name, source in columns.items()),
        pl.col("_observed_at").alias(f"{group}_seen"),
    )


def _name_columns(rows: pl.LazyFrame) -> pl.LazyFrame:
    said = rows.filter(pl.col(f.BLOCK) == f.NAMES).with_columns(pl.col("namn").alias(BULK_NAMES))
    return (
        with_names(said.collect())
        .lazy()
        .select(f.NUMBER, name="_name", name_since="_name_date", name_seen="_observed_at")
        .filter(pl.col("name").is_not_null())
    )


def _address_columns(rows: pl.LazyFrame) -> pl.LazyFrame:
    said = rows.filter(pl.col(f.BLOCK) == f.ADDRESS)
    return (
        with_address(said.collect(), "adress")
        .lazy()
        .select(f.NUMBER, *ADDRESS, pl.col("_observed_at").alias("address_seen"))
    )
