"""Dataset `uk.psc`: persons with significant control, from snapshot, REST and streams.

See docs/formats/uk.md 4, 5.3, 7.

Belongs here: the declaration, and recognising files of PSC records. Does not belong here: reading the records
(`parse_bodies`), redacting private facts (`redact`), or their meaning (`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, NotApplicable, RecognisedFile, Scope
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.body import member_at
from connectors.uk.bulk_download import basename, recognise_by_name, snapshot_date, split_required_members
from connectors.uk.psc import parse_bodies, redact
from connectors.uk.psc.fetch import fetch_psc
from connectors.uk.psc.schema import KEY, TABLES
from connectors.uk.register import DOWNLOADS, LICENCE
from connectors.uk.stream_events import NOT_READ, first_record, newest_published

_OURS: Final = re.compile(r"/?company/\w+/(?:persons-with-significant-control|exemptions)")
_SELF: Final = re.compile(rb'"self"\s*:\s*"(/?company/\w+/[^"]*)"')
_BULK: Final = re.compile(r"^(?:psc|persons-with-significant-control)[-_]snapshot", re.IGNORECASE)
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises bulk files by name, other files by their first record."""
    file, head = basename(name), decompressed_head(head)
    if _BULK.match(file):
        return recognise_by_name(name) if _DATED.search(file) else RecognisedFile(None, Scope.PART)
    if detect_body_format(head) is not BodyFormat.JSON:
        return NotApplicable(f"expected a PSC record in JSON, found {detect_body_format(head).value}")
    first = first_record(head) or {}
    if not _is_psc_record(first, head):
        return NotApplicable(NOT_READ.get(str(first.get("resource_kind")), "JSON of another kind than PSC records"))
    if "event" in first:
        return RecognisedFile(newest_published(head), Scope.FEED)
    return RecognisedFile(snapshot_date(name) if _DATED.search(file) else None, Scope.PART)


def _is_psc_record(first: dict[str, Any], head: bytes) -> bool:
    """True if the record's `self` link is a PSC address; a profile links its PSC list too, but not as `self`."""
    if not first:
        found = _SELF.search(head)
        return found is not None and _OURS.match(found.group(1).decode("utf-8", "replace")) is not None
    record = first.get("data", first)
    items = first.get("items")
    if isinstance(items, list) and items and "links" not in first:
        record = items[0]
    if not isinstance(record, dict):
        return False
    if str(record.get("kind", "")).startswith("totals#persons-of-significant-control"):
        return True
    address = first.get("resource_uri") or member_at(record, "links", "self")
    return isinstance(address, str) and _OURS.match(address) is not None


def split_members(member: ArchiveMember) -> Iterator[ArchiveMember]:
    """Yields the members of a zip (already unpacked if `redact` ran), or a plain file as one piece."""
    return split_required_members(member, (".txt", ".json", ".jsonl", ".ndjson"), "JSON lines")


DATASET: Final = Dataset(
    key=KEY,
    title="Companies House: persons with significant control",
    licence=LICENCE,
    cadence=Cadence(cron="30 10 * * *", stale_after_hours=72),  # the day's file appears before about 10:00
    guard_limits=GuardLimits(max_rows=25_000_000),  # 15,952,486 lines on 2026-09-18
    host=DOWNLOADS,
    staged_tables={table.name: table for table in TABLES},
    file_patterns=(
        "psc_snapshot/**/*",
        "streaming/**/*",
        "rest_api/**/*.json",
        "psc-snapshot-*",
        "persons-with-significant-control-snapshot-*",
    ),
    recognise_file=recognise_file,
    split_members=split_members,
    read_batches=parse_bodies.read_batches,
    fetch=fetch_psc,
    redact=redact.redact,
    mark_persons=redact.redact,
    remove_records=redact.remove_psc_records,
)
