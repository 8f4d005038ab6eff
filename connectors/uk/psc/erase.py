"""Rewrites PSC bodies without one data subject's records (erasure), with a stub in place of each.

A snapshot states its number of records at the end, and one with fewer counts as truncated. `{"withheld": table}`
counts as the record it replaces. Does not belong here: bodies that are one JSON text, which
`connectors.kit.redact.remove_records` handles.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

import msgspec

from connectors.kit.json.chunks import MALFORMED
from connectors.kit.redact import remove_records
from connectors.kit.redact.remove_records import SubjectPatterns
from connectors.uk.psc.rows import table_of


def remove_psc_records(
    body: BinaryIO, patterns: SubjectPatterns, into: BinaryIO, *, quoted: bool = False, name: str = ""
) -> bool:
    """Writes a body without the subject's records; False if nothing is left."""
    first = body.readline()
    while first and not first.strip():
        first = body.readline()
    body.seek(0)
    if _parse_record(first) is None:
        return remove_records.remove_records(body, patterns, into, quoted=quoted, name=name)
    left = False
    for line in body:
        kept = _withheld_line(line, patterns) if patterns.matches_record(line) else line
        into.write(kept)
        left = left or bool(kept.strip())
    return left


def _withheld_line(line: bytes, told: SubjectPatterns) -> bytes:
    record = _parse_record(line)
    if record is not None and "items" not in record:
        data = record.get("data") or record
        address = (data.get("links") or {}).get("self") or record.get("resource_uri") or ""
        return msgspec.json.encode({"withheld": table_of(data.get("kind") or "", address).name}) + b"\n"
    kept = io.BytesIO()
    return kept.getvalue() if remove_records.remove_records(io.BytesIO(line), told, kept) else b""


def _parse_record(line: bytes) -> dict[str, Any] | None:
    """The line as one JSON object, or None."""
    try:
        found = msgspec.json.decode(line)
    except MALFORMED:
        return None
    return found if isinstance(found, dict) else None
