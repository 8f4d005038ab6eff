"""company.changed: a register states another name, industry, place, legal form or address of a company than before.

See docs/contract/contract.md 4.6. A change of which register states a field is none: the same register has to state it
before and after, by whichever of its channels is newest. Nor is a value that was or becomes unknown. Does not belong
here: when two values are the same (`profile_values`), or who is listed (`profile_listing`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Differences, Frames, Row
from pipelines.transforms.events import profile_values
from pipelines.transforms.events.emission_rules import (
    EmissionContext,
    ProfileSources,
    emittable_transitions,
    without_first_load,
)
from pipelines.transforms.events.payload import EventRow, EventSource, build_event, day_text, midnight_utc
from pipelines.transforms.events.profile_listing import ListingEvidence
from warehouse.schema import ids
from warehouse.schema.codes import PROFILE_FIELDS

_ADDRESS: Final = ("address_lines", "postal_code", "post_town", "address_country")
# Prefilter of rows; a recoded industry is passed over here, as a whole market may be recoded in one snapshot
_COMPARED: Final = ("name", "municipality", "county", "is_listed", "legal_form_code", *_ADDRESS)
_COLUMNS: Final = {"sni_code": "industry_code"}
_PLACES: Final = {"municipality": profile_values.has_other_municipality, "county": profile_values.has_other_county}
_TEXTS: Final[Mapping[str, Callable[[Row, Row], bool]]] = {
    "name": profile_values.has_other_name,
    "sni_code": profile_values.has_other_industry,
    "legal_form_code": profile_values.has_other_legal_form,
}


@dataclass(frozen=True, slots=True)
class FieldSource:
    """Who states a field: the dataset, the register that it is a channel of, and the day it gives of the value."""

    dataset: str
    register: str
    day: date | None


@dataclass(frozen=True, slots=True)
class ChangedField:
    """One field with another value, by the word of one dataset. day: the register's own, if it gives one."""

    field: str
    previous: Any
    current: Any
    dataset: str
    day: date | None
    observed_at: datetime
    source: EventSource


def profile_events(differences: Differences, snapshot: Frames, context: EmissionContext) -> Iterator[EventRow]:
    """Events of companies with changed fields, one for each day that registers give; the first field's source."""
    pairs = list(_changed_pairs(differences))
    if not pairs:
        return
    evidence = ListingEvidence.of(pairs, differences, snapshot, context)
    found = [
        (after, changed)
        for before, after in pairs
        for changed in _changed_fields(before, after, evidence, context.profile_sources)
    ]
    announced = _announced_places(found, differences["companies"].known, context)
    for _, fields in groupby((found[place] for place in announced), key=lambda pair: pair[0]["company_id"]):
        yield from _events_of_company(list(fields), context)


def _changed_pairs(differences: Differences) -> Iterator[tuple[Row, Row]]:
    """Companies with another value in a compared column, before and after."""
    before, after = differences["companies"].changed_before, differences["companies"].changed_after
    if after.is_empty():
        return
    former = before.select(pl.all().name.prefix("_"))
    differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"_{name}")) for name in _COMPARED)
    recoded = pl.col("industry_scheme").ne_missing(pl.col("_industry_scheme"))
    differs |= ~recoded & pl.col("industry_code").ne_missing(pl.col("_industry_code"))
    mask = pl.concat([after, former], how="horizontal").select(differs.alias("differs"))["differs"]
    yield from zip(before.filter(mask).iter_rows(named=True), after.filter(mask).iter_rows(named=True), strict=True)


def _changed_fields(
    before: Row, after: Row, evidence: ListingEvidence, market: ProfileSources
) -> Iterator[ChangedField]:
    """The changed fields of one company, in the order of the contract."""
    stated = _StatedFields(before, after, market)
    address = stated.changed_source("address") if profile_values.has_other_address(before, after) else None
    for field in PROFILE_FIELDS:
        if field in _TEXTS:
            source = stated.changed_source(field) if _TEXTS[field](before, after) else None
        elif field in _PLACES:
            source = stated.place_source(field, address) if _PLACES[field](before, after) else None
        elif field == "address":
            source = address
        else:
            yield from _changed_listing(before, after, evidence)
            continue
        if source is not None:
            previous, current = (_field_value(row, field) for row in (before, after))
            told = _event_source(after, source.dataset)
            yield ChangedField(field, previous, current, source.dataset, source.day, after["observed_at"], told)


def _changed_listing(before: Row, after: Row, evidence: ListingEvidence) -> Iterator[ChangedField]:
    found = evidence.of_change(before, after)
    if found is not None:
        source = _event_source(after, found.dataset) if found.source is None else found.source
        values = before["is_listed"], after["is_listed"]
        yield ChangedField("is_listed", *values, found.dataset, found.day, source.retrieved_at, source)


def _field_value(row: Row, field: str) -> Any:
    return profile_values.address_of(row) if field == "address" else row[_COLUMNS.get(field, field)]


@dataclass(frozen=True, slots=True)
class _StatedFields:
    """Who states the fields of one company, before and after."""

    before: Row
    after: Row
    market: ProfileSources

    def changed_source(self, field: str) -> FieldSource | None:
        """Who states the new value; None if another register did before, or nothing tells.

        A day is of this value if the former value had another, and not a day still to come.
        """
        before, after = (_field_source(row, field, self.market) for row in (self.before, self.after))
        if before is None or after is None or before.register != after.register:
            return None
        is_of_change = after.day is not None and after.day != before.day and after.day <= self._seen_on
        return after if is_of_change else FieldSource(after.dataset, after.register, None)

    def place_source(self, field: str, address: FieldSource | None) -> FieldSource | None:
        """Who states a new municipality or county: who states it by itself, else who states the changed address."""
        source = self.changed_source(field)
        is_seat = source is not None and source.dataset in self.market.seats
        return source if source is None or is_seat else address

    @property
    def _seen_on(self) -> date:
        seen: datetime = self.after["observed_at"]
        return seen.date()


def _field_source(row: Row, field: str, market: ProfileSources) -> FieldSource | None:
    """Who states a field: its own origin, else the last entry of `sources` with it; None if nothing tells.

    Of several channels of that entry's register it is the newest. `sources` names no fields of the parts `detail` and
    `address`: without an origin of their own they are of whoever states the name.
    """
    origin: dict[str, str] = json.loads(row["field_origins"] or "{}").get(field, {})
    day = date.fromisoformat(origin["date"]) if "date" in origin else None
    if "register" in origin:
        return FieldSource(origin["register"], origin["register"], day)
    listed = "name" if field in ("legal_form_code", "address") else field
    entries = [entry for entry in _source_entries(row) if listed in entry["fields"]]
    if not entries:
        return None
    registers = [market.registers.get(entry["register"], entry["register"]) for entry in entries]
    channels = [entry for entry, register in zip(entries, registers, strict=True) if register == registers[-1]]
    newest = max(reversed(channels), key=lambda entry: entry["retrieved_at"] or "")
    return FieldSource(newest["register"], registers[-1], day)


def _source_entries(row: Row) -> list[dict[str, Any]]:
    return json.loads(row["sources"] or "[]")


def _event_source(row: Row, dataset: str) -> EventSource:
    entry = next((entry for entry in _source_entries(row) if entry["register"] == dataset), {})
    retrieved = entry.get("retrieved_at")
    retrieved_at = datetime.fromisoformat(retrieved) if retrieved else row["observed_at"]
    return EventSource(dataset, entry.get("native_id", row["org_number"]), entry.get("url"), retrieved_at)


def _announced_places(
    found: list[tuple[Row, ChangedField]], known: pl.Series, context: EmissionContext
) -> Iterator[int]:
    """Positions of the changes that may be announced, by company and in their order."""
    rows = [
        (place, after["company_id"], changed.dataset, changed.day, changed.observed_at)
        for place, (after, changed) in enumerate(found)
    ]
    schema = {
        "_place": pl.Int64(),
        "company_id": pl.String(),
        "register": pl.String(),
        "day": pl.Date(),
        "observed_at": pl.Datetime("us", "UTC"),
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    told = without_first_load(emittable_transitions(frame, "register", known, context), pl.col("day"), context)
    yield from told["_place"].sort()


def _events_of_company(found: list[tuple[Row, ChangedField]], context: EmissionContext) -> Iterator[EventRow]:
    by_day: dict[date | None, list[ChangedField]] = {}
    for _, changed in found:
        by_day.setdefault(changed.day, []).append(changed)
    for day, changes in by_day.items():
        yield _build_event(found[0][0], day, changes, context)


def _build_event(row: Row, day: date | None, changes: list[ChangedField], context: EmissionContext) -> EventRow:
    fields = tuple(one.field for one in changes)
    change = {
        "changes": [{"field": one.field, "previous": one.previous, "current": one.current} for one in changes],
        "effective_date": day_text(day),
    }
    event_id = ids.company_changed_id(row["company_id"], fields, day, context.known_at)
    happened = midnight_utc(day or context.instant.date())
    return build_event(event_id, "company.changed", row, happened, changes[0].source, change)
