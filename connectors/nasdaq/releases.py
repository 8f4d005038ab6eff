"""Recognises and reads lists of the exchange's news service (CNS), for the markets of one country.

Belongs here: JSON and JSONP, items to rows, the declaration of a dataset. Does not belong here: fetching
(`fetch`), filings (`mapping`), the texts of notifications (`major_holdings.dataset`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.body import decode_body, read_body
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter
from connectors.nasdaq import categories, fetch
from connectors.nasdaq.names import issuer_key
from connectors.nasdaq.schema import HOST, ISSUER, LICENCE, MESSAGE, RELEASE, VIEW_HOST
from connectors.news.items import impossible_time
from warehouse.schema.types import Table

_LARGEST: Final = 64 << 20
_CALLBACK: Final = re.compile(rb"\s*(?:/\*.{0,99}?\*/\s*)?[\w.$]+\s*\(\s*(?=[{\[])", re.DOTALL)
_ITEMS: Final = re.compile(rb'"results"\s*:\s*\{\s*"item"')
_DOCUMENTS: Final = ("application/pdf", "text/html", "application/zip", "application/xhtml+xml")
_NUMBER: Final = re.compile("[0-9]{1,18}")
_MARKET: Final = re.compile(r"(?:Main Market|First North|Nasdaq|Baltic|GXG)\b", re.IGNORECASE)


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises lists of releases. Pages of the Finnish archive repeat them without categories and links."""
    del name
    head = plain_head(head)
    if _ITEMS.search(head):
        return RecognisedFile(None, Scope.PART)
    if detect_body_format(head) is BodyFormat.HTML:
        return NotApplicable("page of an archive of releases: the exchange's list carries the same with its categories")
    if _CALLBACK.match(head) or detect_body_format(head) is BodyFormat.JSON:
        return NotApplicable("JSON that is no list of releases (a list of categories, an error)")
    return NotApplicable(f"{detect_body_format(head)} that is no list of releases")


def _without_callback(text: bytes) -> bytes:
    found = _CALLBACK.match(text)
    return text if found is None else text[found.end() :].rstrip(b" \t\r\n;)")


def _response_items(body: Any) -> list[Any] | None:
    """The items of a response; None if it is not a list of releases."""
    results = body.get("results") if isinstance(body, dict) else None
    items = results.get("item") if isinstance(results, dict) else None
    if items is None and isinstance(results, dict):
        return []
    if isinstance(items, dict) and items:  # a single hit is returned without a list
        return [items]
    return items if isinstance(items, list) else None


def read_batches(table: Table, markets: tuple[str, ...], member: ArchiveMember) -> Iterator[Batch]:
    """One batch: the items of these markets; others are counted."""
    text = _without_callback(read_body(member, _LARGEST))
    items = _response_items(decode_body(member, text, "expected a list of releases"))
    if items is None:
        raise member.unreadable_error("no list of releases in it")
    batch = staging.BatchBuilder(member.dataset)
    rows: list[dict[str, Any]] = []
    for place, item in enumerate(items, start=1):
        try:
            row = _release_row(item, markets, batch.tally)
        except RecordError as error:
            batch.reject(place, error, item)
            continue
        if row is not None and (wrong := impossible_time(row["releaseTime"], member)) is not None:
            batch.reject(place, wrong, item)
            continue
        rows += [] if row is None else [row]
    yield batch.build(table, rows)


def _release_row(item: Any, markets: tuple[str, ...], tally: SignalCounter) -> dict[str, Any] | None:
    record = JsonRecord(item, tally, str(item.get(RELEASE)) if isinstance(item, dict) else "")
    number, category = str(record.take(RELEASE)), record.integer("categoryId")
    market, company = record.text("market") or "", record.text("company") or ""
    if not _NUMBER.fullmatch(number):
        raise RecordError(RELEASE, f"is no number: {number}")
    record.ignore("published", "cnsTypeId")
    row = {
        RELEASE: number,
        "categoryId": category,
        "cnsCategory": record.text("cnsCategory"),
        "headline": " ".join(record.need("headline").split()),
        "language": record.text("language"),
        "languages": record.texts("languages"),
        **_page_columns(record.text("messageUrl"), tally, number),
        "releaseTime": _parse_instant(record.need("releaseTime")),
        "market": market,
        "company": company.strip() or None,  # notices of the exchange itself may have none
        ISSUER: issuer_key(company),
        "documentUrl": _first_document_url(record),
    }
    record.close()
    if not any(place in market for place in markets):
        tally.add("other_market" if _MARKET.match(market) else "unknown_code", market or "no market", number)
        return None
    if category not in categories.KNOWN:
        tally.add("unknown_code", f"categoryId {category} {row['cnsCategory']}", number)
    return row


def _parse_instant(text: str) -> datetime:
    """Instant of a time, UTC as requested unless it states another offset."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # conversion left the calendar's range
        raise RecordError("releaseTime", f"is no time: {text}") from None


def _page_columns(url: str | None, tally: SignalCounter, example: str) -> dict[str, str | None]:
    """The page of the release and its id; URLs of other hosts are rejected."""
    if not url:
        return {}
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = None
    if parts is None or parts.hostname != VIEW_HOST:
        tally.add("unreadable_value", "messageUrl", example)
        return {}
    found = parse_qs(parts.query).get("id")
    return {"messageUrl": url, MESSAGE: found[0] if found else None}


def _first_document_url(record: JsonRecord) -> str | None:
    documents: list[str] = []
    for attachment in record.children("attachment"):
        kind, url = attachment.text("mimetype"), attachment.text("attachmentUrl")
        attachment.ignore("fileName")
        if url and kind in _DOCUMENTS:
            documents.append(url)
    return documents[0] if documents else None


def releases_dataset(key: str, title: str, table: Table, markets: tuple[str, ...], files: tuple[str, ...]) -> Dataset:
    """The dataset of the markets of one country, selected by parts of their names."""
    return Dataset(
        key=key,
        title=title,
        licence=LICENCE,
        cadence=Cadence(cron="*/20 5-18 * * *", stale_after_hours=96),  # nothing at weekends
        guard_limits=GuardLimits(max_rejected=0.05),
        host=HOST,
        staged_tables={table.name: table},
        file_patterns=files,
        recognise_file=recognise_file,
        read_batches=partial(read_batches, table, markets),
        fetch=fetch.fetch_releases,
    )
