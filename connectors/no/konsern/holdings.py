"""Maps edges of the group structure to shared holdings (docs/formats/no.md 5 and 13.5).

One holding per company and parent, however many groups contain it. Does not belong here: precedence of sources of
one holder (pipelines), or reading a tree (`dataset`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.columns import text
from connectors.no import code_lists
from connectors.no.enheter.schema import NUMBER
from connectors.no.konsern.fetch import URL
from connectors.no.konsern.schema import EDGE, EDGES, KEY, NUMBERS, PARENT, ROOT
from connectors.no.register import MARKET, company_ids
from warehouse.schema.tables import HOLDINGS

_PERCENT: Final = pl.Decimal(9, 4)


def map_holdings(
    members: pl.LazyFrame, responses: pl.LazyFrame, groups: pl.LazyFrame, entities: pl.LazyFrame
) -> pl.DataFrame:
    """Shared holdings of staged members, ended if a later response or the entity record says so."""
    edges = (
        _with_end_days(members, responses, groups, entities)
        .with_columns(pl.col(EDGES).str.json_decode(pl.List(EDGE)).alias("_edge"))
        .explode("_edge")
        .filter(pl.col("_edge").is_not_null())
        .with_columns(pl.col("_edge").struct.field(*EDGE.to_schema()).name.prefix("_edge_"))
        .filter(pl.col(f"_edge_{PARENT}") != pl.col(NUMBER))
    )
    rows = edges.select(*staging.ORIGIN, **_holding_columns()).collect()
    # of the groups that contain one pair: still current, then with a percentage, then observed last
    order = [pl.col("ended_on").is_null(), pl.col("pct").is_not_null(), pl.col("observed_at")]
    best = rows.sort(*order, descending=True, maintain_order=True).unique(
        ["company_id", "native_id"], keep="first", maintain_order=True
    )
    return staging.complete_columns(best, HOLDINGS)


def _with_end_days(
    members: pl.LazyFrame, answers: pl.LazyFrame, groups: pl.LazyFrame, entities: pl.LazyFrame
) -> pl.LazyFrame:
    """Adds `_ended`: a later response has the company in another group or none, or its record denies a group.

    A later response about the group itself, which lacks the company, is one whichever member was requested.
    """
    seen = pl.col("_observed_at")
    asked = answers.select(NUMBER, pl.col(ROOT).alias("_asked_root"), pl.col("_observed_at").alias("_asked_at"))
    said = entities.select(NUMBER, pl.col("erIKonsern").alias("_in_group"), seen.alias("_said_at"))
    read = groups.select(ROOT, NUMBERS, pl.col("_observed_at").alias("_read_at")).unique(ROOT)
    lacks = ~pl.col(NUMBERS).list.contains(pl.col(NUMBER))
    gone = pl.when(lacks & (pl.col("_read_at") > seen)).then(pl.col("_read_at").dt.date())
    left = pl.when(pl.col("_asked_root").ne_missing(pl.col(ROOT)) & (pl.col("_asked_at") > seen)).then(
        pl.col("_asked_at").dt.date()
    )
    alone = pl.when(~pl.col("_in_group") & (pl.col("_said_at") > seen)).then(pl.col("_said_at").dt.date())
    joined = members.join(asked, on=NUMBER, how="left").join(said, on=NUMBER, how="left").join(read, ROOT, how="left")
    return joined.with_columns(pl.min_horizontal(left, alone, gone).alias("_ended"))


def _holding_columns() -> dict[str, pl.Expr]:
    parent, form = pl.col(f"_edge_{PARENT}"), pl.col("_edge_form")
    # an entity of form UTLA is registered as a holder only: not one of our companies, and not Norwegian
    foreign = (form == code_lists.FOREIGN_HOLDER).fill_null(value=False)
    begun = pl.col("_edge_dato").str.to_date("%Y-%m-%d", strict=False)
    percent = pl.col("_edge_prosent").cast(_PERCENT)
    indirect = pl.col("_edge_grunnlag").str.to_lowercase().str.contains("indirekte", literal=True)
    # only an edge from the node above states that node's form: another parent may be further up
    immediate = form.is_not_null()
    return {
        "register": pl.lit(KEY),
        "native_id": parent,
        "holder_name": pl.col("_edge_navn"),
        "holder_type": pl.when(form.is_in(code_lists.STATE_FORMS)).then(pl.lit("state")).otherwise(pl.lit("company")),
        "holder_company_id": pl.when(~foreign).then(company_ids(parent)),
        "holder_country": pl.when(~foreign).then(pl.lit(MARKET)),
        **dict.fromkeys(("pct", "pct_min", "pct_max"), percent),
        "basis": pl.when(percent.is_not_null()).then(pl.lit("exact")),
        "is_direct": pl.when(indirect).then(pl.lit(value=False)).when(immediate).then(pl.lit(value=True)),
        "controls": pl.concat_list("_edge_knytningsform").list.drop_nulls(),
        "valid_from": pl.when(~text.is_too_far_in_future(begun)).then(begun),
        "ended_on": pl.col("_ended"),
        "url": pl.lit(URL) + pl.col(NUMBER),
    }
