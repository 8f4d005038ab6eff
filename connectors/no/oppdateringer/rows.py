"""Converts pages of the change feeds to rows: HAL pages of entities and sub-units, CloudEvents of roles.

See docs/formats/no.md 3.

Belongs here: parsing entries, and which are rejected. Does not belong here: recognising a file (`dataset`),
or which entries require a look-up (`pending`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from connectors.contract.pieces import NOT_A_COMPANY, Batch
from connectors.kit import staging
from connectors.kit.staging import SignalCounter
from connectors.no.oppdateringer import schema as f
from warehouse.schema.types import LARGEST_INTEGER

_NUMBER: Final = re.compile(r"[0-9]{9}")
_YEAR: Final = re.compile(r"[0-9]{4}")
_ENTRY_KEYS: Final = frozenset({f.ID, f.TIME, f.NUMBER, f.KIND, "endringer", "_links", "links"})
_EVENT_KEYS: Final = frozenset(
    {"specversion", "id", "source", "type", "time", "data", "subject", "datacontenttype", "dataschema"}
)
_EVENT_TYPE: Final = "no.brreg.enhetsregisteret.rolle.oppdatert"
Row = Mapping[str, Any]


@dataclass(slots=True)
class PageRows:
    """Collects the rows of one page."""

    tally: SignalCounter
    named_rows: list[Row] = field(default_factory=list)
    accounts: list[Row] = field(default_factory=list)
    rejected: list[tuple[object, str, object]] = field(default_factory=list)

    def batches(self) -> Iterator[Batch]:
        """Batches of both staged tables, in feed order: the newest entry of an entity is the last."""
        named = sorted(self.named_rows, key=_id_order)
        yield staging.make_batch(f.NAMED, named, staging.reject_rows(self.rejected), self.tally.drain())
        if self.accounts:
            yield staging.make_batch(f.ACCOUNTS_TOLD, self.accounts)

    def entries(self, stream: str, entries: Iterable[object]) -> None:
        """Adds entries of the feeds of entities and sub-units."""
        for entry in entries:
            if not isinstance(entry, dict):
                self.rejected.append((None, "an entry that is not an object", entry))
                continue
            self._count_unknown(entry, _ENTRY_KEYS)
            patches = self._valid_patches(entry.get("endringer"), entry)
            row = self._common_columns(stream, entry.get(f.NUMBER), entry.get(f.ID), entry.get(f.TIME))
            if row is None:
                continue
            self.named_rows.append({**row, f.KIND: self._checked_kind(entry), f.FIELDS: _touched_members(patches)})
            if stream == f.ENTITIES:
                self._add_accounts(row, patches)

    def events(self, events: Iterable[object]) -> None:
        """Adds CloudEvents of the role feed, which only say that roles changed."""
        for event in events:
            if not isinstance(event, dict):
                self.rejected.append((None, "an event that is not an object", event))
                continue
            self._count_unknown(event, _EVENT_KEYS)
            if event.get("type") != _EVENT_TYPE:
                self.tally.add("unknown_code", f"type {event.get('type')}", event.get("id"))
            data = event.get("data")
            number = data.get(f.NUMBER) if isinstance(data, dict) else None
            row = self._common_columns(f.ROLES, number, event.get("id"), event.get("time"))
            if row is not None:
                self.named_rows.append({**row, f.KIND: None, f.FIELDS: []})

    def _common_columns(self, stream: str, number: object, entry_id: object, told: object) -> dict[str, Any] | None:
        """The members common to all feeds; None if there is no number to look up."""
        if not isinstance(entry_id, int | str) or isinstance(entry_id, bool) or not str(entry_id).strip():
            self.rejected.append((number, "no id: the entry cannot be distinguished from others", told))
            return None
        if not isinstance(number, str) or not _NUMBER.fullmatch(number):
            self.tally.add("wrong_number", f.NUMBER, number)
            reason = f"{NOT_A_COMPANY}: the organisation number is not nine digits"
            self.rejected.append((entry_id, reason, number))
            return None
        instant = _parse_instant(told)
        if instant is None:
            self.tally.add("unreadable_value", f.TIME, number)
        return {f.STREAM: stream, f.NUMBER: number, f.ID: str(entry_id), f.TIME: instant}

    def _checked_kind(self, entry: Row) -> str | None:
        kind = entry.get(f.KIND)
        if kind not in f.KINDS:
            self.tally.add("unknown_code", f"{f.KIND} {kind}", entry.get(f.NUMBER))
            return None
        return kind

    def _valid_patches(self, patches: object, entry: Row) -> list[Row]:
        """The valid patches; others are signalled, and the entity is looked up anyway."""
        if patches is None:
            return []
        found: list[Any] = patches if isinstance(patches, list) else [patches]
        sound: list[Row] = [patch for patch in found if _is_patch(patch)]
        if len(sound) != len(found):
            self.tally.add("unreadable_value", "endringer", entry.get(f.NUMBER), len(found) - len(sound))
            return [*sound, {"op": "replace", "path": "/"}]
        return sound

    def _add_accounts(self, row: Row, patches: Iterable[Row]) -> None:
        for patch in patches:
            if _patched_member(patch) != f.YEAR or patch["op"] == "remove":
                continue
            year = _year_text(patch.get("value"))
            if year is None or not _YEAR.fullmatch(year):
                self.tally.add("unreadable_value", f.YEAR, row[f.NUMBER])
            else:
                told = {name: row[name] for name in (f.NUMBER, f.ID, f.TIME)}
                self.accounts.append({**told, f.YEAR: year})

    def _count_unknown(self, entry: Row, known: frozenset[str]) -> None:
        for key in entry.keys() - known:
            self.tally.add("unknown_key", key, entry.get(f.NUMBER) or entry.get("id"))


def _is_patch(patch: object) -> bool:
    return (
        isinstance(patch, dict)
        and patch.get("op") in f.OPERATIONS
        and isinstance(patch.get("path"), str)
        and patch["path"].startswith("/")
    )


def _patched_member(patch: Row) -> str:
    """The top-level member that a patch changes; empty for the whole entity."""
    return str(patch["path"]).split("/", 2)[1]


def _touched_members(patches: Iterable[Row]) -> list[str]:
    """Changed members; a `move` changes two."""
    touched = {_patched_member(patch) for patch in patches}
    sources = {str(patch["from"]).strip("/").split("/")[0] for patch in patches if patch.get("from")}
    return sorted(touched | sources)


def _year_text(value: object) -> str | None:
    """A year as text: the source sends text or, as for counts, a float."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else None


def _parse_instant(told: object) -> datetime | None:
    """Parses a timestamp to UTC; None without a time zone."""
    try:
        found = datetime.fromisoformat(told) if isinstance(told, str) else None
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):  # a first or last day of the calendar that overflows when shifted
        return None


def _id_order(row: Row) -> tuple[int, str]:
    """Sort key by id: numeric ids by value, then other ids by text."""
    text = str(row[f.ID])
    return (int(text), "") if f.is_numeric_id(text) else (LARGEST_INTEGER + 1, text)
