"""Parses index pages of filings.xbrl.org: JSON:API answers to entries (docs/formats/fi.md 5.1).

Does not belong here: requesting pages (`fetch`), reports (`report`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final, TypeVar, cast

import polars as pl

from connectors.contract.pieces import Batch
from connectors.esef import schema
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter
from warehouse.schema.identifiers import iso_country

_Time = TypeVar("_Time", date, datetime)
_ENTITIES: Final = "/api/entities/"
_PATHS: Final = ("package_url", "report_url", "json_url", "viewer_url")
_COUNTS: Final = ("error_count", "warning_count", "inconsistency_count")
_ENVELOPE: Final = ("type", "id", "links")


class NotFilingIndexError(Exception):
    """A body that is not a page of filings."""


def parse_index_batch(market: str, response: object, tally: SignalCounter) -> Batch:
    """One batch of a market's index, with entries of every country: the country is where a report was filed.

    Entries whose LEI is no company of the market link to none.
    """
    data = cast("dict[str, Any]", response).get("data") if isinstance(response, dict) else None
    if not isinstance(data, list | dict):
        raise NotFilingIndexError("expected a page of filings: an object with `data`")
    names = _issuer_names(cast("dict[str, Any]", response).get("included"))
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[object, str, object]] = []
    for entry in data if isinstance(data, list) else [data]:
        try:
            row = _index_row(entry, names, tally)
        except RecordError as error:
            rejects.append((_entry_id(entry), str(error), entry))
            continue
        rows.append(row)
        if row["country"] == iso_country(market):
            _signal_implausible(row, tally)
    table = schema.index_table(market)
    frame = pl.DataFrame(rows, schema=staging.staged_schema(table), orient="row")
    return staging.make_batch(table, frame, staging.reject_rows(rejects), tally.drain())


def _index_row(entry: object, names: Mapping[str, str], tally: SignalCounter) -> dict[str, Any]:
    given = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    record = JsonRecord(given.get("attributes"), tally, str(_entry_id(entry)))
    fxo_id = record.need("fxo_id")
    lei = _entity_id(given) or fxo_id.split("-")[0]
    row: dict[str, Any] = {
        "fxo_id": fxo_id,
        "lei": lei if is_lei(lei) else None,
        "entity_name": names.get(lei),
        "country": record.need("country"),
        "period_end": _parse_time(record, "period_end", date.fromisoformat, tally, fxo_id),
        "date_added": _parse_time(record, "date_added", _parse_instant, tally, fxo_id),
        "processed": _parse_time(record, "processed", _parse_instant, tally, fxo_id),
        "sha256": record.text("sha256"),
        **{name: record.integer(name) for name in _COUNTS},
        **{name: record.text(name) for name in _PATHS},
    }
    record.close()
    return row


def _signal_implausible(row: Mapping[str, Any], tally: SignalCounter) -> None:
    """Reports suspect entries: an issuer without an LEI, a year that ends after it was listed."""
    if row["lei"] is None:
        tally.add("unknown_entity", "entity", row["fxo_id"])
    end, added = row["period_end"], row["date_added"]
    if end is not None and added is not None and end > added.date():
        tally.add("implausible_period_end", "period_end", row["fxo_id"])


def _entity_id(entry: Mapping[str, Any]) -> str | None:
    """The linked issuer: its LEI, or the site's own id if it has none."""
    related = entry
    for step in ("relationships", "entity", "links"):
        related = related.get(step) or {}
        if not isinstance(related, dict):
            return None
    path = related.get("related")
    return path.removeprefix(_ENTITIES) if isinstance(path, str) and path.startswith(_ENTITIES) else None


def _issuer_names(included: object) -> dict[str, str]:
    """Names of issuers by LEI."""
    found: dict[str, str] = {}
    for item in included if isinstance(included, list) else []:
        given: Any = item.get("attributes") if isinstance(item, dict) else None
        if isinstance(given, dict) and item.get("type") == "entity":
            identifier, name = given.get("identifier"), given.get("name")
            if isinstance(identifier, str) and isinstance(name, str):
                found[identifier] = name
    return found


def _parse_time(
    record: JsonRecord, name: str, parse: Callable[[str], _Time], tally: SignalCounter, example: str
) -> _Time | None:
    text = record.text(name)
    try:
        return None if text is None else parse(text)
    except ValueError:
        tally.add("unreadable_value", name, example)
        return None


def _parse_instant(text: str) -> datetime:
    """UTC without an offset: `2023-01-18 11:02:06.724768`; one that is written counts."""
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _entry_id(entry: object) -> object:
    given = entry.get("attributes") if isinstance(entry, dict) else None
    return (given.get("fxo_id") if isinstance(given, dict) else None) or "entry without fxo_id"
