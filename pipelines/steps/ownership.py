"""Holdings, as each source records them, to one line per holder of a company.

Belongs here: one line per holder, and since when its percentage holds. Does not belong here: who a holder is
(`holders`), whose word counts of several sources (`reconciled`), or which changes are events
(`ownership_events`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import polars as pl

from pipelines.steps.holders import SINGLE, with_holder_id
from pipelines.steps.reconciled import dated, reconciled
from warehouse.schema.tables import OWNERS

SHARE: Final = ("pct", "pct_min", "pct_max", "votes_pct", "votes_min", "votes_max", "basis")
_KEY: Final = ("company_id", "holder_id")


def owners(
    holdings: pl.DataFrame, former: pl.DataFrame, instant: datetime, precedence: Sequence[str] = ()
) -> pl.DataFrame:
    """One row per holder per company.

    Args:
        holdings: HOLDINGS rows, all of these companies.
        former: OWNERS rows known before, of the same companies: a share that a record changes in place has no
            date of its own, so it is of the day it was seen, and of the earlier day as long as it stays.
        instant: when this state was observed.
        precedence: registers in the order of their word where several tell of one holder.
    """
    rows = _one_per_holder(with_holder_id(holdings, former), precedence)
    rows = _dated(rows, former, instant.date())
    sources = [_sources(row) for row in rows.iter_rows(named=True)]
    rows = rows.with_columns(pl.Series("sources", sources, dtype=pl.String))
    return rows.select(OWNERS.names).sort(OWNERS.key)


def _one_per_holder(holdings: pl.DataFrame, precedence: Sequence[str]) -> pl.DataFrame:
    """One row per holder, with the first day any record speaks of and what the other records say."""
    marked = holdings.with_columns(
        reconciliation=pl.lit(SINGLE),
        _since=pl.col("valid_from"),
        _others=pl.lit("[]"),
    )
    registers = pl.col("register").n_unique().over(_KEY)
    single = marked.filter(registers == 1).unique(subset=_KEY, keep="last", maintain_order=True)
    several = marked.filter(registers > 1)
    if several.is_empty():
        return single
    rows: list[dict[str, Any]] = []
    ordered_rows = several.sort(_KEY, maintain_order=True).iter_rows(named=True)
    for _, records in groupby(ordered_rows, key=itemgetter(*_KEY)):
        row, ordered = reconciled(list(records), precedence)
        others = [_source(record, dated(record)) for record in ordered[1:]]
        rows.append(row | {"_since": min(map(dated, ordered)), "_others": json.dumps(others)})
    return pl.concat([single, pl.DataFrame(rows, schema=marked.schema, orient="row")])


def _dated(rows: pl.DataFrame, former: pl.DataFrame, today: date) -> pl.DataFrame:
    """Adds as_of and first_seen."""
    before = former.select(
        *_KEY, "as_of", "first_seen", "ended_on", *SHARE, pl.lit(value=True).alias("known")
    )
    rows = rows.join(before, on=_KEY, how="left", suffix="_before")
    since = pl.coalesce("valid_from", "first_seen", pl.col("observed_at").dt.date())
    earliest = pl.coalesce(pl.min_horizontal("_since", "first_seen"), since)
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
    return rows.with_columns(as_of=as_of, first_seen=pl.min_horizontal(earliest, since))


def _sources(row: dict[str, Any]) -> str:
    told = [_source(row, row["as_of"]), *json.loads(row["_others"])]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _source(record: Mapping[str, Any], as_of: date) -> dict[str, Any]:
    return {
        "register": record["register"],
        "native_id": record["native_id"],
        "url": record["url"],
        "as_of": as_of.isoformat(),
        "pct": number(record["pct"]),
    }


def number(percent: Decimal | None) -> int | float | None:
    """A percentage as the JSON number that spells it shortest; null stays null."""
    if percent is None:
        return None
    return int(percent) if percent == percent.to_integral_value() else float(percent)
