"""Ids that transitions had before the instant known joined their natural keys (CHANGELOG.md 1.4.0).

The ledger of an upgraded installation has such ids and a rebuild derives the present ones: without this every
transition of the past would count as never published. Several transitions share one former id; the first of them is
the one that was published. Does not belong here: the present keys (`warehouse.schema.ids`).
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import polars as pl

from warehouse.ledger.ledger import Ledger
from warehouse.schema import ids
from warehouse.schema.tables import EVENTS


def with_published_ids(derived: pl.DataFrame, ledger: Ledger) -> pl.DataFrame:
    """Events with `published_id`, the id by which the ledger has each: null if it was never published."""
    ordered = derived.sort(EVENTS.sort)
    former_ids = pl.Series("former_id", [_former_id(row) for row in ordered.iter_rows(named=True)], pl.String)
    rows = ordered.select("event_id").with_columns(former_ids)
    known = ledger.known(pl.concat([rows["event_id"], rows["former_id"].drop_nulls()])).implode()
    own = rows.filter(pl.col("event_id").is_in(known)).select("event_id", published_id="event_id")
    former = (
        rows.join(own, on="event_id", how="anti")
        .filter(pl.col("former_id").is_in(known))
        .unique("former_id", keep="first", maintain_order=True)
        .select("event_id", published_id="former_id")
    )
    return derived.join(pl.concat([own, former]), on="event_id", how="left")


def _former_id(event: dict[str, Any]) -> str | None:
    """The id of a transition by its former key; null for other events, whose keys are unchanged."""
    kind, company_id = event["event_type"], event["company_id"]
    if kind not in ("status.changed", "ownership.changed"):
        return None
    change = json.loads(event["data"])["change"]
    if kind == "status.changed":
        parts = (change["previous_status"], change["current_status"], change["effective_date"])
        return ids.natural_id("evt", kind, company_id, *parts)
    shares = (Decimal(str(change[name])) for name in ("previous_pct", "current_pct"))
    return ids.natural_id("evt", kind, company_id, change["holder_id"], change["as_of"], *shares)
