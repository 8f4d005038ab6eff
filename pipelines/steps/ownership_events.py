"""ownership.changed: a holder's share crosses 5, 10, 20 or 50 percent.

Belongs here: which difference between two states of the owners is a crossing, and of which day. Does not
belong
here: the arithmetic of thresholds (`thresholds`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import polars as pl

from pipelines.steps.changes import Differences, Image, Occasion, audible
from pipelines.steps.documents import EventRow, Row, Source, data, midnight
from pipelines.steps.ownership import number
from pipelines.steps.thresholds import ABSENT, ALL, Level, crossed
from warehouse.schema import ids

_STATE: Final = ("basis", "pct", "pct_min", "pct_max", "ended_on", "as_of")


def ownership_events(differences: Differences, image: Image, occasion: Occasion) -> Iterator[EventRow]:
    """Events of holders whose share lies on another side of a threshold than before."""
    rows = audible(_moved(differences), "register", differences["companies"].known, occasion)
    companies = image["companies"].select("company_id", "org_number", "name", "country")
    for row in rows.join(companies, on="company_id").iter_rows(named=True):
        event = _event(row, occasion.instant)
        if event is not None:
            yield event


def _moved(differences: Differences) -> pl.DataFrame:
    """Holders whose share may differ: the row that tells of them, the state before and after beside it."""
    owners = differences["owners"]
    key = ["company_id", "holder_id"]
    before = owners.changed_before.select(*key, *(pl.col(name).alias(f"{name}_before") for name in _STATE))
    changed = owners.changed_after.join(before, on=key)
    gone = owners.removed.with_columns(pl.col(name).alias(f"{name}_before") for name in _STATE)
    gone = gone.with_columns(_gone=pl.lit(value=True))
    rows = pl.concat([owners.added, changed, gone], how="diagonal")
    register = pl.col("sources").str.json_path_match("$[0].register")
    return rows.with_columns(register=register)


def _level(row: Row, suffix: str = "") -> Level:
    """The share of capital; an ended holding and one of control only are none."""
    if row[f"basis{suffix}"] is None or row[f"ended_on{suffix}"] is not None:
        return ABSENT
    exact, low = row[f"pct{suffix}"], row[f"pct_min{suffix}"]
    if exact is not None:
        return Level(exact, exact)
    if low is None:
        return ABSENT
    high = row[f"pct_max{suffix}"]
    return Level(low, ALL if high is None else high)


def _event(row: Row, instant: datetime) -> EventRow | None:
    before = _level(row, "_before")
    after = ABSENT if row["_gone"] else _level(row)
    previous, current = before.low, after.low
    limits = crossed(previous, current)
    if not limits or before.overlaps(after):
        return None
    as_of = _day(row, after, instant.date())
    occurred_at = midnight(as_of)
    change = _change(row, previous, current) | {"thresholds_crossed": list(limits)}
    change |= {"basis": row["basis"] or row["basis_before"], "as_of": as_of.isoformat()}
    event_id = ids.ownership_changed_id(row["company_id"], row["holder_id"], as_of, previous, current)
    document = data(row, occurred_at, _source(row, instant), "change", change)
    return EventRow(event_id, "ownership.changed", row["company_id"], occurred_at, document)


def _change(row: Row, previous: Decimal, current: Decimal) -> dict[str, Any]:
    return {
        "holder_name": row["holder_name"],
        "previous_pct": number(previous),
        "current_pct": number(current),
        "holder_id": row["holder_id"],
        "holder_type": row["holder_type"],
        "holder_company_id": row["holder_company_id"],
        "direction": "up" if previous < current else "down",
    }


def _day(row: Row, after: Level, today: date) -> date:
    """Day of a crossing: a new holding's, an ended one's, else the day the source or we noticed."""
    if after == ABSENT:
        return today if row["_gone"] else row["ended_on"] or today
    # the same day as before is no day of this change: the record was altered in place
    return row["as_of"] if row["as_of"] != row["as_of_before"] else today


def _source(row: Row, instant: datetime) -> Source:
    entry = json.loads(row["sources"])[0]
    retrieved_at = instant if row["_gone"] else row["observed_at"]
    return Source(entry["register"], entry["native_id"], entry["url"], retrieved_at)
