"""status.changed: a register gives a company another status than a register gave it before.

Does not belong here: the meaning of a registry's status (`connectors`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import polars as pl

from pipelines.transforms.differences import Differences, Row
from pipelines.transforms.events.emission_rules import EmissionContext, emittable_transitions, without_first_load
from pipelines.transforms.events.payload import EventRow, EventSource, build_event, midnight_utc
from warehouse.schema import ids

_BEFORE = ("status", "status_source")


def status_events(differences: Differences, context: EmissionContext) -> Iterator[EventRow]:
    """Events of companies with a changed status, if a register decided both."""
    companies = differences["companies"]
    if companies.changed_after.is_empty():
        return
    before = companies.changed_before.select("company_id", *(pl.col(name).alias(f"_{name}") for name in _BEFORE))
    rows = companies.changed_after.join(before, on="company_id")
    # a status derived from filings alone is our interpretation, not a register's statement
    moved = rows.filter(pl.col("status") != pl.col("_status"), pl.col("_status_source").is_not_null())
    told = emittable_transitions(moved, "status_source", companies.known, context)
    for row in without_first_load(told, pl.col("status_date"), context).iter_rows(named=True):
        yield _build_event(row, context)


def _build_event(row: Row, context: EmissionContext) -> EventRow:
    effective = row["status_date"] or context.instant.date()
    change = {
        "previous_status": row["_status"],
        "current_status": row["status"],
        "effective_date": effective.isoformat(),
        "registry_status": row["registry_status"],
        "reason": row["status_detail"],
    }
    event_id = ids.status_changed_id(row["company_id"], row["_status"], row["status"], effective, context.known_at)
    source = _deciding_source(row)
    return build_event(event_id, "status.changed", row, midnight_utc(effective), source, change)


def _deciding_source(row: Row) -> EventSource:
    """The record that decided the status, from the profile's sources."""
    listed: list[dict[str, Any]] = json.loads(row["sources"] or "[]")
    register = row["status_source"]
    entry = next((entry for entry in listed if entry["register"] == register), {})
    retrieved = entry.get("retrieved_at")
    retrieved_at = datetime.fromisoformat(retrieved) if retrieved else row["observed_at"]
    return EventSource(register, entry.get("native_id", row["org_number"]), entry.get("url"), retrieved_at)
