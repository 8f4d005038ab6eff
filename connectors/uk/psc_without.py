"""Rewrites PSC bodies without one data subject's records (erasure), with a stub in place of each.

A snapshot states its number of records at the end, and one with fewer counts as truncated. `{"withheld": table}`
counts as the record it replaces. Does not belong here: bodies that are one JSON text, which
`connectors.kit.without` handles.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

import msgspec

from connectors.kit import without
from connectors.kit.chunks import MALFORMED
from connectors.kit.without import Told
from connectors.uk.psc_rows import table_of


def rewrite(body: BinaryIO, told: Told, into: BinaryIO, *, quoted: bool = False, name: str = "") -> bool:
    """Writes a body without the subject's records; False if nothing is left."""
    first = body.readline()
    while first and not first.strip():
        first = body.readline()
    body.seek(0)
    if _record(first) is None:
        return without.rewrite(body, told, into, quoted=quoted, name=name)
    left = False
    for line in body:
        kept = _kept(line, told) if told.of(line) else line
        into.write(kept)
        left = left or bool(kept.strip())
    return left


def _kept(line: bytes, told: Told) -> bytes:
    record = _record(line)
    if record is not None and "items" not in record:
        data = record.get("data") or record
        address = (data.get("links") or {}).get("self") or record.get("resource_uri") or ""
        return msgspec.json.encode({"withheld": table_of(data.get("kind") or "", address).name}) + b"\n"
    kept = io.BytesIO()
    return kept.getvalue() if without.rewrite(io.BytesIO(line), told, kept) else b""


def _record(line: bytes) -> dict[str, Any] | None:
    """The line as one JSON object, or None."""
    try:
        found = msgspec.json.decode(line)
    except MALFORMED:
        return None
    return found if isinstance(found, dict) else None
