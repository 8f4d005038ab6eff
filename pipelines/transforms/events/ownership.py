"""ownership.changed: a holder's share crosses 5, 10, 20 or 50 percent (docs/contract/contract.md 4.6).

Belongs here: which difference between two states of the owners is a crossing, and of which day. Exact decimals
only: 5.0 reached is 5 reached. Does not belong here: the states compared (`ownership.line_lineage`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Differences, Frames, Row
from pipelines.transforms.events.emission_rules import (
    EmissionContext,
    emittable_transitions,
    unlinked_companies,
    without_first_answers,
)
from pipelines.transforms.events.payload import EventRow, EventSource, build_event, midnight_utc, rows_with_company
from pipelines.transforms.ownership.line_lineage import EXACT, STATE, IntermediateStates, OwnerLineage
from pipelines.transforms.ownership.owners import percent_number
from pipelines.transforms.ownership.survivorship import CAPITAL, VOTES, Measure
from warehouse.schema import ids
from warehouse.schema.codes import THRESHOLDS
from warehouse.schema.tables import HOLDINGS

NOTHING: Final = Decimal(0)
ALL: Final = Decimal(100)
_DERIVED: Final = "derived"
_BAND: Final = "band"


@dataclass(frozen=True, slots=True)
class ShareRange:
    """A share as far as it is known: more than `low`, at most `high`; an exact one has both equal."""

    low: Decimal
    high: Decimal

    def overlaps(self, other: ShareRange) -> bool:
        """True if both may be the same share. Bands are half-open: touching is not overlapping."""
        if other.low == other.high:
            return self.contains(other.low)
        if self.low == self.high:
            return other.contains(self.low)
        return max(self.low, other.low) < min(self.high, other.high)

    def contains(self, share: Decimal) -> bool:
        """True if an exact share is possible for this level."""
        return share == self.low == self.high or self.low < share <= self.high


ABSENT: Final = ShareRange(NOTHING, NOTHING)


def crossed_thresholds(previous: Decimal, current: Decimal) -> tuple[int, ...]:
    """Thresholds between two shares, ascending; reaching one from below counts, staying on it does not."""
    if previous < current:
        return tuple(limit for limit in THRESHOLDS if previous < limit <= current)
    return tuple(limit for limit in THRESHOLDS if previous >= limit > current)


def ownership_events(differences: Differences, snapshot: Frames, context: EmissionContext) -> Iterator[EventRow]:
    """Events of holders with a share on another side of a threshold than before."""
    owners = differences["owners"]
    if owners.added.is_empty() and owners.removed.is_empty() and owners.changed_after.is_empty():
        return
    moved = emittable_transitions(_moved_holders(differences), "register", differences["companies"].known, context)
    # holders of files older than the first load belong to it; a holder known before has changed
    moved = moved.filter(pl.col("as_of_before").is_not_null() | (pl.col("_baseline") < context.instant))
    if moved.is_empty():
        return
    lineage = OwnerLineage(owners, differences.get("holdings"))
    moved = _with_stated_day(moved, snapshot["holdings"])
    rows = without_first_answers(moved, _known_records(differences, snapshot), pl.col("_stated"), context)
    unlinked = unlinked_companies(context)
    passages = IntermediateStates(snapshot)
    for row in rows_with_company(rows, snapshot):
        if row["_gone"] and lineage.has_successor(row):
            continue
        # a record moved away by a link has not ended, whichever register covers the holder now
        if any((row["company_id"], register) in unlinked for register in lineage.missing(row)):
            continue
        former = {} if row["_gone"] else lineage.before(row) or {}
        compared = row | {f"{name}_before": former[name] for name in STATE if former}
        events = (_build_event(step, context) for step in passages.of(compared))
        yield from (event for event in events if event is not None)


def _with_stated_day(moved: pl.DataFrame, holdings: pl.DataFrame) -> pl.DataFrame:
    """Adds the day that the deciding record states of a share; null where `as_of` is only the day it was seen."""
    record = ["company_id", "register", "native_id"]
    named = moved.with_columns(native_id=pl.col("sources").str.json_path_match("$[0].native_id"))
    dated = holdings.filter(pl.col("valid_from").is_not_null()).select(record).unique()
    found = named.join(dated.with_columns(_dated=True), on=record, how="left", maintain_order="left")
    return found.with_columns(_stated=pl.coalesce("ended_on", pl.when("_dated").then("as_of"))).drop("_dated")


def _known_records(differences: Differences, snapshot: Frames) -> pl.DataFrame:
    """Companies and registers of the records of holders known before; none without a difference of records."""
    names = ["company_id", "register"]
    records = differences.get("holdings")
    if records is None:
        return pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    before = snapshot["holdings"].join(records.added, on=HOLDINGS.key, how="anti")
    return pl.concat([before.select(names), records.removed.select(names)])


def _moved_holders(differences: Differences) -> pl.DataFrame:
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


def _share_range(row: Row, measure: Measure, suffix: str) -> ShareRange | None:
    """The share held by one measure, before or after; None if unknown.

    Holdings that are gone, ended, or control only, count as zero by every measure.
    """
    if row["_gone"] and not suffix:
        return ABSENT
    if row[f"basis{suffix}"] is None or row[f"ended_on{suffix}"] is not None:
        return ABSENT
    exact, low, high = (row[f"{name}{suffix}"] for name in measure)
    if exact is not None:
        return ShareRange(exact, exact)
    if low is None:
        return None
    return ShareRange(low, ALL if high is None else high)


def _comparable_ranges(row: Row) -> tuple[ShareRange, ShareRange] | None:
    """The shares to compare, like with like: capital, else votes.

    A notice that states only votes is compared with the known capital if votes were unknown: for most
    companies both are equal, and a notice reports a crossing. A list of capital after votes alone is not
    compared.
    """
    pairs = [(_share_range(row, measure, "_before"), _share_range(row, measure, "")) for measure in (CAPITAL, VOTES)]
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


def _build_event(row: Row, context: EmissionContext) -> EventRow | None:
    levels = None if _is_unknown(row) else _comparable_ranges(row)
    if levels is None:
        return None
    before, after = levels
    previous, current = before.low, after.low
    limits = crossed_thresholds(previous, current)
    if not limits or before.overlaps(after):
        return None
    as_of = _crossing_day(row, context.instant.date())
    shares = (previous, current)
    change = _change_object(row, previous, current) | {"thresholds_crossed": list(limits)}
    # of a band the lower bound is told, before or now
    basis = _BAND if any(one.low != one.high for one in levels) else row["basis"] or row["basis_before"]
    change |= {"basis": basis, "as_of": as_of.isoformat()}
    event_id = ids.ownership_changed_id(row["company_id"], row["holder_id"], as_of, shares, context.known_at)
    source = _event_source(row, context.instant)
    return build_event(event_id, "ownership.changed", row, midnight_utc(as_of), source, change)


def _change_object(row: Row, previous: Decimal, current: Decimal) -> dict[str, Any]:
    return {
        "holder_name": row["holder_name"],
        "previous_pct": percent_number(previous),
        "current_pct": percent_number(current),
        "holder_id": row["holder_id"],
        "holder_type": row["holder_type"],
        "holder_company_id": row["holder_company_id"],
        "direction": "up" if previous < current else "down",
    }


def _crossing_day(row: Row, today: date) -> date:
    """Day of a crossing: the end of an ended holding, else the source's date, else the day we noticed."""
    if row["_gone"]:
        return today
    if row["ended_on"] is not None:
        return row["ended_on"]
    # an unchanged day is not the day of this change: the record was altered in place
    return row["as_of"] if row["as_of"] != row["as_of_before"] else today


def _event_source(row: Row, instant: datetime) -> EventSource:
    entry = json.loads(row["sources"])[0]
    retrieved_at = instant if row["_gone"] else row["observed_at"]
    return EventSource(entry["register"], entry["native_id"], entry["url"], retrieved_at)
