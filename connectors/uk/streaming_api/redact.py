"""Redacts persons from events and REST responses about companies before archiving (docs/architecture.md 14).

Removed: insolvency practitioners, officers in deleted data, dates of birth, service addresses, and every object
containing a person's address. Lines without any of these stay byte for byte. A company's address is not personal.
Data that cannot be parsed is replaced by a note. Does not belong here: PSC records (`psc.redact`).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.json.chunks import MALFORMED, is_json
from connectors.kit.redact import text as redact_text
from connectors.kit.redact.streams import from_blocks

_PRIVATE: Final = frozenset({
    "practitioners", "officer_summary", "date_of_birth", "address", "service_address",
    "usual_residential_address", "residential_address", "identity_verification_details",
})  # fmt: skip
_SUSPECT: Final = re.compile(rb'\x00|\\u00|"(?:' + "|".join(sorted(_PRIVATE)).encode() + rb')"\s*:')
_LONGEST: Final = 64 << 20


def redact(body: BinaryIO) -> BinaryIO:
    """Returns the body without persons, as a stream."""
    return from_blocks(_redacted_blocks(body))


def _redacted_blocks(body: BinaryIO) -> Generator[bytes, None, None]:
    try:
        with redact_text.open_text(body) as text:
            for line in _split_records(text):
                yield _redact_record(line) if _SUSPECT.search(line) else line
    except ArchiveError as error:
        yield b"\n" + _unreadable_line(error.reason)


def _split_records(body: BinaryIO) -> Iterator[bytes]:
    """Yields lines, or one record printed over several lines as a whole."""
    first = body.readline(_LONGEST)
    if not first.strip() or is_json(first):
        yield first
        while line := body.readline(_LONGEST):
            yield line
    else:
        yield first + body.read(_LONGEST - len(first))
        if body.read(1):
            yield b"\n" + _unreadable_line(f"one record of more than {_LONGEST} bytes")


def _redact_record(record: bytes) -> bytes:
    """Record without its private members."""
    try:
        found = msgspec.json.decode(record)
    except MALFORMED as error:
        kept = b"".join(_redact_line(line) for line in record.splitlines(keepends=True))
        return kept if b"\n" in record.strip() else _unreadable_line(str(error))
    return msgspec.json.encode(_without_private(found)) + b"\n"


def _redact_line(line: bytes) -> bytes:
    """Redacts one line after a first line that was not valid JSON."""
    if not _SUSPECT.search(line):
        return line
    return _redact_record(line) if is_json(line) else _unreadable_line("a line that is no JSON")


def _unreadable_line(reason: str) -> bytes:
    return msgspec.json.encode({"unreadable": reason}) + b"\n"


def _without_private(value: Any) -> Any:
    if isinstance(value, dict):
        members: dict[Any, Any] = value
        return {name: _without_private(member) for name, member in members.items() if name not in _PRIVATE}
    if isinstance(value, list):
        items: list[Any] = value
        return [_without_private(item) for item in items]
    return value
