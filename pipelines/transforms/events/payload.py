"""The `data` object of an event as JSON text: keys in the contract's order, compact, unescaped.

See docs/contract/contract.md 4.6.
Belongs here: the parts shared by all kinds. Does not belong here: the object of one kind (`status`, `ownership`,
`filing`, `news`), or `sequence`, which the ledger assigns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Frames, Row
from warehouse.schema.tables import EVENTS

_COMPANY: Final = ("company_id", "org_number", "name", "country")
# Key of the one object of each kind of event.
_OBJECT_KEYS: Final = {
    "filing.added": "filing",
    "filing.updated": "filing",
    "ownership.changed": "change",
    "status.changed": "change",
    "news.published": "news",
    "event.regulatory": "notice",
    "company.changed": "change",
}


@dataclass(frozen=True, slots=True)
class EventSource:
    """The source of an event: `sources` of the contract."""

    register: str
    native_id: str | None
    url: str | None
    retrieved_at: datetime


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row of the events table, without the instant at which it became known."""

    event_id: str
    event_type: str
    company_id: str
    occurred_at: datetime
    data: str


def midnight_utc(day: date) -> datetime:
    """Midnight UTC of a day."""
    return datetime.combine(day, time(), UTC)


def instant_text(instant: datetime) -> str:
    """RFC 3339 in UTC with seconds."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_text(day: date | None) -> str | None:
    """ISO date; null stays null."""
    return None if day is None else day.isoformat()


def rows_with_company(rows: pl.DataFrame, snapshot: Frames) -> Iterator[dict[str, Any]]:
    """Rows of some companies, with the columns that every event states of its company."""
    companies = snapshot["companies"].select(_COMPANY)
    return rows.join(companies, on="company_id", maintain_order="left").iter_rows(named=True)


def build_event(
    event_id: str, event_type: str, row: Row, occurred_at: datetime, source: EventSource, value: Mapping[str, Any]
) -> EventRow:
    """The event of a row: the common keys, then the one object of its kind."""
    document = {
        "company_id": row["company_id"],
        "org_nr": row["org_number"],
        "name": row["name"],
        "country": row["country"],
        "occurred_at": instant_text(occurred_at),
        "source": {
            "register": source.register,
            "native_id": source.native_id,
            "url": source.url,
            "retrieved_at": instant_text(source.retrieved_at),
        },
        _OBJECT_KEYS[event_type]: value,
    }
    data = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return EventRow(event_id, event_type, row["company_id"], occurred_at, data)


def event_frame(rows: Iterable[EventRow], known_at: datetime) -> pl.DataFrame:
    """Rows of one instant at which they became known as a table, one per id (the first), sorted."""
    schema = {
        "event_id": pl.String,
        "event_type": pl.String,
        "company_id": pl.String,
        "occurred_at": pl.Datetime("us", "UTC"),
        "data": pl.String,
    }
    values = [(row.event_id, row.event_type, row.company_id, row.occurred_at, row.data) for row in rows]
    if not values:
        return pl.DataFrame(schema={**schema, "known_at": schema["occurred_at"]}).select(EVENTS.names)
    known = pl.lit(known_at).cast(schema["occurred_at"]).alias("known_at")
    frame = pl.DataFrame(values, schema=schema, orient="row").with_columns(known).select(EVENTS.names)
    return frame.unique(subset="event_id", keep="first", maintain_order=True).sort(EVENTS.sort)
