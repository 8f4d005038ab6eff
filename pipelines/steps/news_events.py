"""news.published and event.regulatory: an item or a notice of a known company.

See docs/contract/contract.md 4.6.
A first load emits no events, nor does anything published before it, even if another channel delivers it
later. A correction keeps its id and emits no second event. Does not belong here: what counts as news of a
registry (`connectors`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import polars as pl

from pipelines.steps.changes import Differences, Image, Occasion, audible
from pipelines.steps.documents import EventRow, Row, Source, data, instant_text
from warehouse.schema import ids

TITLE: Final = 300  # characters, docs/contract/contract.md 4.6
SUMMARY: Final = 1_000
_COMPANY: Final = ("company_id", "org_number", "name", "country")


def news_events(differences: Differences, image: Image, occasion: Occasion) -> Iterator[EventRow]:
    """Events of news and notices that arrived with this difference."""
    for table, event in (("news", _published), ("notices", _regulatory)):
        if table in differences:
            yield from _told(table, event, differences, image, occasion)


def _told(
    table: str, event: Callable[[Row], EventRow], differences: Differences, image: Image, occasion: Occasion
) -> Iterator[EventRow]:
    rows = audible(differences[table].added, "register", differences["companies"].known, occasion)
    fresh = rows.filter(pl.col("published_at").dt.date() >= pl.col("_baseline").dt.date())
    companies = image["companies"].select(_COMPANY)
    for row in fresh.join(companies, on="company_id").iter_rows(named=True):
        yield event(row)


def _published(row: Row) -> EventRow:
    """The contract's `news` object."""
    value = {
        "news_id": row["news_id"],
        "title": row["title"][:TITLE],
        "summary": _cut(row["summary"]),
        "url": row["url"],
        "publisher": row["publisher"],
        "language": row["language"],
        "published_at": instant_text(row["published_at"]),
        "categories": row["categories"],
    }
    event_id = ids.news_published_id(row["company_id"], row["native_id"])
    return _event(event_id, "news.published", row, "news", value)


def _regulatory(row: Row) -> EventRow:
    """The contract's `notice` object."""
    value = {
        "notice_id": row["notice_id"],
        "authority": row["authority"],
        "authority_country": row["authority_country"],
        "action_type": row["action_type"],
        "title": row["title"][:TITLE],
        "summary": _cut(row["summary"]),
        "url": row["url"],
        "published_at": instant_text(row["published_at"]),
        "amount": row["amount"],
        "currency": row["currency"],
    }
    event_id = ids.event_regulatory_id(row["authority"], row["native_id"], row["company_id"])
    return _event(event_id, "event.regulatory", row, "notice", value)


def _event(event_id: str, event_type: str, row: Row, key: str, value: dict[str, Any]) -> EventRow:
    occurred_at = row["published_at"]
    source = Source(row["register"], row["native_id"], row["url"], row["observed_at"])
    document = data(row, occurred_at, source, key, value)
    return EventRow(event_id, event_type, row["company_id"], occurred_at, document)


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:SUMMARY]
