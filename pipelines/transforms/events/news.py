"""news.published and event.regulatory: an item or a notice of a known company.

See docs/contract/contract.md 4.6.
A first load emits no events, nor does anything published before it, even if another channel delivers it
later. A correction keeps its id and emits no second event. Does not belong here: what counts as news of a
registry (`connectors`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Differences, Frames, Row
from pipelines.transforms.events.emission_rules import EmissionContext, emittable_rows
from pipelines.transforms.events.payload import EventRow, EventSource, build_event, instant_text, rows_with_company
from warehouse.schema import ids

TITLE: Final = 300  # characters, docs/contract/contract.md 4.6
SUMMARY: Final = 1_000


def news_events(differences: Differences, snapshot: Frames, context: EmissionContext) -> Iterator[EventRow]:
    """Events of news and notices that arrived with this difference."""
    for table, event in (("news", _news_event), ("notices", _regulatory_event)):
        if table in differences and not differences[table].added.is_empty():
            added, known = differences[table].added, differences["companies"].known
            rows = emittable_rows(added, "register", known, context)
            fresh = rows.filter(pl.col("published_at").dt.date() >= pl.col("_baseline").dt.date())
            yield from map(event, rows_with_company(fresh, snapshot))


def _news_event(row: Row) -> EventRow:
    """The contract's `news` object."""
    value = {
        "news_id": row["news_id"],
        "title": row["title"][:TITLE],
        "summary": _cut_summary(row["summary"]),
        "url": row["url"],
        "publisher": row["publisher"],
        "language": row["language"],
        "published_at": instant_text(row["published_at"]),
        "categories": row["categories"],
    }
    event_id = ids.news_published_id(row["company_id"], row["native_id"])
    return _build_event(event_id, "news.published", row, value)


def _regulatory_event(row: Row) -> EventRow:
    """The contract's `notice` object."""
    value = {
        "notice_id": row["notice_id"],
        "authority": row["authority"],
        "authority_country": row["authority_country"],
        "action_type": row["action_type"],
        "title": row["title"][:TITLE],
        "summary": _cut_summary(row["summary"]),
        "url": row["url"],
        "published_at": instant_text(row["published_at"]),
        "amount": row["amount"],
        "currency": row["currency"],
    }
    event_id = ids.regulatory_event_id(row["authority"], row["native_id"], row["company_id"])
    return _build_event(event_id, "event.regulatory", row, value)


def _build_event(event_id: str, event_type: str, row: Row, value: dict[str, Any]) -> EventRow:
    source = EventSource(row["register"], row["native_id"], row["url"], row["observed_at"])
    return build_event(event_id, event_type, row, row["published_at"], source, value)


def _cut_summary(text: str | None) -> str | None:
    return None if text is None else text[:SUMMARY]
