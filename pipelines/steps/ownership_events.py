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
from pipelines.steps.ownership_passages import EXACT, Passages
from pipelines.steps.reconciled import CAPITAL, VOTES, Measure
from pipelines.steps.thresholds import ABSENT, ALL, Level, crossed
from warehouse.schema import ids

_DERIVED: Final = "derived"


def ownership_events(differences: Differences, image: Image, occasion: Occasion) -> Iterator[EventRow]:
    """Events of holders with a share on another side of a threshold than before."""
    lineage = Lineage(differences["owners"], differences.get("holdings"))
    rows = audible(_moved(differences), "register", differences["companies"].known, occasion)
    companies = image["companies"].select("company_id", "org_number", "name", "country")
    unlinked = lost(occasion)
    passages = Passages(image)
    for row in rows.join(companies, on="company_id").iter_rows(named=True):
        if row["_gone"] and lineage.goes_on(row):
            continue
        # a record moved away by a link has not ended, whichever register covers the holder now
        if any((row["company_id"], register) in unlinked for register in lineage.missing(row)):
            continue
        former = {} if row["_gone"] else lineage.before(row) or {}
        stated = row | {f"{name}_before": former[name] for name in STATE if former}
        events = (_event(step, occasion.instant) for step in passages.of(stated))
        yield from (event for event in events if event is not None)


def _moved(differences: Differences) -> pl.DataFrame:
    """Holders with a possibly changed share: their row, with the former state in `_before` columns."""
    owners = differences["owners"]
    key = ["company_id", "holder_id"]
    before = owners.changed_before.select(*key, *(pl.col(name).alias(f"{name}_before") for name in STATE))
    changed = owners.changed_after.join(before, on=key)
    gone = owners.removed.with_columns(pl.col(name).alias(f"{name}_before") for name in STATE)
    gone = gone.with_columns(_gone=pl.lit(value=True))
    rows = pl.concat([owners.added, changed, gone], how="diagonal")
    register = pl.col("sources").str.json_path_match("$[0].register")
    return rows.with_columns(register=register)


def _level(row: Row, measure: Measure, suffix: str) -> Level | None:
    """The share held by one measure, before or after; None if unknown.

    Holdings that are gone, ended, or control only, count as zero by every measure.
    """
    if row["_gone"] and not suffix:
        return ABSENT
    if row[f"basis{suffix}"] is None or row[f"ended_on{suffix}"] is not None:
        return ABSENT
    exact, low, high = (row[f"{name}{suffix}"] for name in measure)
    if exact is not None:
        return Level(exact, exact)
    if low is None:
        return None
    return Level(low, ALL if high is None else high)


def _levels(row: Row) -> tuple[Level, Level] | None:
    """The shares to compare, like with like: capital, else votes.

    A notice that states only votes is compared with the known capital if votes were unknown: for most
    companies both are equal, and a notice reports a crossing. A list of capital after votes alone is not
    compared.
    """
    pairs = [(_level(row, measure, "_before"), _level(row, measure, "")) for measure in (CAPITAL, VOTES)]
    (before, _), (_, after) = pairs
    for one, other in (*pairs, (before, after)):
        if one is not None and other is not None:
            return one, other
    return None


def _is_unknown(row: Row) -> bool:
    """True if an exact or computed share was or became unknown, which is not zero.

    With bands, no share means control only, which is zero (`HOLDINGS.basis`).
    """
    if row["_gone"]:
        # a source reports the end of a holding; a share that can no longer be computed is only missing
        return row["basis_before"] == _DERIVED
    if row["as_of_before"] is None:
        return False
    bases = {row["basis"], row["basis_before"]}
    ended = row["ended_on"] is not None or row["ended_on_before"] is not None
    return not ended and None in bases and not bases.isdisjoint(EXACT)


def _event(row: Row, instant: datetime) -> EventRow | None:
    levels = None if _is_unknown(row) else _levels(row)
    if levels is None:
        return None
    before, after = levels
    previous, current = before.low, after.low
    limits = crossed(previous, current)
    if not limits or before.overlaps(after):
        return None
    as_of = _day(row, instant.date())
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


def _day(row: Row, today: date) -> date:
    """Day of a crossing: the end of an ended holding, else the source's date, else the day we noticed."""
    if row["_gone"]:
        return today
    if row["ended_on"] is not None:
        return row["ended_on"]
    # an unchanged day is not the day of this change: the record was altered in place
    return row["as_of"] if row["as_of"] != row["as_of_before"] else today


def _source(row: Row, instant: datetime) -> Source:
    entry = json.loads(row["sources"])[0]
    retrieved_at = instant if row["_gone"] else row["observed_at"]
    return Source(entry["register"], entry["native_id"], entry["url"], retrieved_at)
