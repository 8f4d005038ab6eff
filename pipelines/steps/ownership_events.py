"""ownership.changed: a holder's share crosses 5, 10, 20 or 50 percent.

Belongs here: which difference between two states of the owners is a crossing, and of which day. Does not
belong here: the arithmetic of thresholds (`thresholds`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import polars as pl

from pipelines.steps.changes import Differences, Image, Occasion, audible, lost
from pipelines.steps.documents import EventRow, Row, Source, data, midnight
from pipelines.steps.lineage import STATE, Lineage
from pipelines.steps.ownership import number
from pipelines.steps.ownership_passages import Passages
from pipelines.steps.thresholds import ABSENT, ALL, Level, crossed
from warehouse.schema import ids

_EXACT: Final = ("exact", "derived")


def ownership_events(differences: Differences, image: Image, occasion: Occasion) -> Iterator[EventRow]:
    """Events of holders whose share lies on another side of a threshold than before."""
    lineage = Lineage(differences["owners"], differences.get("holdings"))
    rows = audible(_moved(differences), "register", differences["companies"].known, occasion)
    companies = image["companies"].select("company_id", "org_number", "name", "country")
    unlinked = lost(occasion)
    passages = Passages(image)
    for row in rows.join(companies, on="company_id").iter_rows(named=True):
        if row["_gone"] and lineage.goes_on(row):
            continue
        # a record that a link took from under a line ended nothing, whoever tells of the holder now
        if any((row["company_id"], register) in unlinked for register in lineage.missing(row)):
            continue
        former = {} if row["_gone"] else lineage.before(row) or {}
        stated = row | {f"{name}_before": former[name] for name in STATE if former}
        events = (_event(step, occasion.instant) for step in passages.of(stated))
        yield from (event for event in events if event is not None)


def _moved(differences: Differences) -> pl.DataFrame:
    """Holders whose share may differ: the row that tells of them, the state before and after beside it."""
    owners = differences["owners"]
    key = ["company_id", "holder_id"]
    before = owners.changed_before.select(*key, *(pl.col(name).alias(f"{name}_before") for name in STATE))
    changed = owners.changed_after.join(before, on=key)
    gone = owners.removed.with_columns(pl.col(name).alias(f"{name}_before") for name in STATE)
    gone = gone.with_columns(_gone=pl.lit(value=True))
    rows = pl.concat([owners.added, changed, gone], how="diagonal")
    register = pl.col("sources").str.json_path_match("$[0].register")
    return rows.with_columns(register=register)


def _level(row: Row, suffix: str = "") -> Level:
    """The share of capital; an ended holding and one of control only are none.

    Where a source states votes alone, exactly, as notices of crossings do, the thresholds are those of votes.
    """
    if row[f"basis{suffix}"] is None or row[f"ended_on{suffix}"] is not None:
        return ABSENT
    exact, low = row[f"pct{suffix}"], row[f"pct_min{suffix}"]
    if exact is None and low is None:
        exact = row[f"votes_pct{suffix}"]
    if exact is not None:
        return Level(exact, exact)
    if low is None:
        return ABSENT
    high = row[f"pct_max{suffix}"]
    return Level(low, ALL if high is None else high)


def _is_unknown(row: Row) -> bool:
    """Whether a share that a source states exactly was or became unknown to it: that is no zero.

    Beside bands no share means control only, which is none (`HOLDINGS.basis`).
    """
    if row["_gone"] or row["as_of_before"] is None:
        return False
    bases = {row["basis"], row["basis_before"]}
    ended = row["ended_on"] is not None or row["ended_on_before"] is not None
    return not ended and None in bases and not bases.isdisjoint(_EXACT)


def _event(row: Row, instant: datetime) -> EventRow | None:
    if _is_unknown(row):
        return None
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
