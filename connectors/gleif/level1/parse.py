"""Parses bodies with LEI records as streams: API answers, the golden copy as JSON and CSV, LEI-CDF XML.

Belongs here: detecting the format, yielding records in bounded memory, and rewriting bodies without persons.
Does not belong here: the content of a record (`schema`), or the CSV's columns (`parse_csv`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Iterator
from enum import StrEnum
from typing import Any, BinaryIO, Final, cast

import msgspec
from lxml import etree

from connectors.gleif.level1 import parse_csv, schema
from connectors.gleif.level1.parse_csv import MalformedCsvError
from connectors.gleif.level1.redact import is_person_record, is_possibly_personal
from connectors.gleif.level1.schema import Row
from connectors.gleif.single_file_zip import NotSingleFileError, rejoined_body, unpack_single_file
from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.json import chunks
from connectors.kit.json.duplicate_keys import has_duplicate_keys
from connectors.kit.redact.streams import from_blocks, non_closing
from connectors.kit.xml.iterparse import NotXmlError, iter_elements

HEAD: Final = 64 * 1024
# marker appended to a body when the rest of it could not be checked for persons
UNREADABLE: Final = b'{"unreadable": '
_ANSWER: Final = 64 << 20  # an API answer has at most 200 records
BLOCK_BYTES: Final = 4 << 20
_LONGEST: Final = 16 << 20  # of one record
_TAIL: Final = 1024  # bytes held back; they contain the closing brace
_GOLDEN: Final = re.compile(rb'\s*\{\s*"records"\s*:\s*')
_API: Final = re.compile(rb'"type"\s*:\s*"lei-records"')
_NO_DATA: Final = re.compile(rb'"data"\s*:\s*\[\s*\]')
_XML: Final = re.compile(rb"<(?:\w+:)?LEIData[\s>]")
_RECORD_END: Final = re.compile(rb"</(?:[\w.-]+:)?LEIRecord\s*>")
_RECORD_START: Final = re.compile(rb"<(?:[\w.-]+:)?LEIRecord[\s>]")


class LeiFormat(StrEnum):
    API = "api"
    GOLDEN_COPY = "golden copy"
    XML = "xml"
    TABLE = "csv"


class NotLeiRecordsError(Exception):
    """A body without LEI records, or a truncated one; the message names what was found."""


def detect_format(head: bytes) -> LeiFormat | None:
    """Format of a body, by its first bytes; None if unknown."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _GOLDEN.match(head):
        return LeiFormat.GOLDEN_COPY
    kind = detect_body_format(head)
    if kind is BodyFormat.XML and _XML.search(head):
        return LeiFormat.XML
    if kind is BodyFormat.TEXT and parse_csv.is_golden_copy_header(head):
        return LeiFormat.TABLE
    return LeiFormat.API if kind is BodyFormat.JSON and (_API.search(head) or _NO_DATA.search(head)) else None


def parse_records(body: BinaryIO) -> Iterator[Row]:
    """Every record of a body other than CSV. Raises NotLeiRecordsError."""
    head = body.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    kind = detect_format(head)
    rest = rejoined_body(head, body, 1)  # no reading ahead: what precedes damage is kept
    try:
        if kind is LeiFormat.API:
            yield from map(schema.row_from_api, _response_records(rest.read(_ANSWER)))
        elif kind is LeiFormat.GOLDEN_COPY:
            for raw in _golden_copy_records(rest, head):
                yield schema.row_from_golden_copy(msgspec.json.decode(raw))
        elif kind is LeiFormat.XML:
            yield from map(schema.row_from_xml, iter_elements(rest, "{*}LEIRecord"))
        else:
            raise NotLeiRecordsError("expected LEI records (API answer, golden copy or LEI-CDF XML)")
    except (chunks.NotJsonError, *chunks.MALFORMED, NotXmlError, ArchiveError) as error:
        raise NotLeiRecordsError(f"LEI records that do not parse: {error}") from error


def redact_persons(body: BinaryIO) -> BinaryIO:
    """The body, unpacked, without records of sole proprietors.

    Where a body cannot be checked for them it ends with an `UNREADABLE` marker.
    """
    return from_blocks(_redacted_blocks(body))


def _redacted_blocks(body: BinaryIO) -> Generator[bytes, None, None]:
    try:
        with unpack_single_file(non_closing(body), "golden copy") as plain:
            yield from _redact_by_format(plain)
    except (
        chunks.NotJsonError,
        *chunks.MALFORMED,
        NotLeiRecordsError,
        MalformedCsvError,
        NotSingleFileError,
        ArchiveError,
    ) as error:
        yield b"\n" + UNREADABLE + msgspec.json.encode(str(error)) + b"}"


def _redact_by_format(body: BinaryIO) -> Generator[bytes, None, None]:
    head = body.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    kind = detect_format(head)
    rest = rejoined_body(head, body, 1)  # no reading ahead: what precedes damage is kept
    if kind is LeiFormat.API:
        yield _redact_response(rest.read(_ANSWER))
    elif kind is LeiFormat.GOLDEN_COPY:
        yield from _redact_golden_copy(rest, head)
    elif kind is LeiFormat.XML:
        yield from _redact_xml(rest)
    elif kind is LeiFormat.TABLE:
        yield from parse_csv.redact_csv_persons(rest)
    else:
        raise NotLeiRecordsError("no LEI records")


def _response_records(text: bytes) -> list[Any]:
    answer = msgspec.json.decode(text)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list | dict):
        raise NotLeiRecordsError("an answer without data")
    return data if isinstance(data, list) else [data]


def _redact_response(text: bytes) -> bytes:
    """The answer without persons and without other members that may contain a record; unchanged if it has none."""
    found, answer = _response_records(text), msgspec.json.decode(text)
    kept = [one for one in found if not is_person_record(schema.row_from_api(one), msgspec.json.encode(one))]
    beside = {name: value for name, value in answer.items() if name != "data"}
    plain = {
        name: value for name, value in beside.items() if not is_possibly_personal(msgspec.json.encode([name, value]))
    }
    if len(kept) == len(found) and len(plain) == len(beside) and not has_duplicate_keys(text):
        return text
    return msgspec.json.encode({**plain, "data": kept})


def _golden_copy_records(body: BinaryIO, head: bytes) -> Iterator[bytes]:
    start = _GOLDEN.search(head)
    if start is None:
        raise NotLeiRecordsError("a golden copy begins with its records")
    body.read(start.end())
    for found in chunks.read_array(cast("BinaryIO", _ArrayStream(body)), chunks.split_records, BLOCK_BYTES):
        yield from map(bytes, found)


def _redact_golden_copy(body: BinaryIO, head: bytes) -> Iterator[bytes]:
    between = b'{"records":[\n'
    for raw in _golden_copy_records(body, head):
        if not is_person_record(schema.row_from_golden_copy(msgspec.json.decode(raw)), raw):
            yield between + raw
            between = b",\n"
    yield b"]}" if between == b",\n" else between + b"]}"


def _redact_xml(body: BinaryIO) -> Iterator[bytes]:
    """Yields the bytes record by record, without persons; text between records is kept."""
    text = b""
    while True:
        more = body.read(BLOCK_BYTES)
        text += more
        place = 0
        for end in _RECORD_END.finditer(text):
            yield _redact_record(text[place : end.end()])
            place = end.end()
        text = text[place:]
        if not more:
            break
        if len(text) > _LONGEST:
            raise NotLeiRecordsError(f"a record of more than {_LONGEST} bytes")
    if _RECORD_START.search(text):
        raise NotLeiRecordsError("cut off within a record")
    yield _check_outside_records(text)


def _redact_record(text: bytes) -> bytes:
    """The text before a record, and the record itself unless it is a person's."""
    start = _RECORD_START.search(text)
    if start is None:
        raise NotLeiRecordsError("the end of a record without its beginning")
    before, record = _check_outside_records(text[: start.start()]), text[start.start() :]
    closed = b'<r xmlns:xsi="x" ' + _PREFIXES + b">" + record + b"</r>"
    try:
        found = etree.fromstring(closed, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise NotLeiRecordsError(f"a record that does not parse: {error}") from error
    return before if is_person_record(schema.row_from_xml(found[0]), record) else text


def _check_outside_records(text: bytes) -> bytes:
    """The text between records; raises NotLeiRecordsError if it may contain one."""
    if is_possibly_personal(text):
        raise NotLeiRecordsError("text outside of records that may be a record")
    return text


# Records take their prefixes from the file's first element unless their operator repeats them.
_PREFIXES: Final = b'xmlns:lei="lei" xmlns:gleif="gleif"'


class _ArrayStream(io.RawIOBase):
    """The array of a golden copy without the closing brace of the surrounding object."""

    def __init__(self, body: BinaryIO) -> None:
        super().__init__()
        self._body = body
        self._held = b""
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        while not self._ended and len(self._held) < size + _TAIL:
            more = self._body.read(size)
            self._held += more
            if not more:
                self._ended = True
                self._held = _strip_closing_brace(self._held)
        last = len(self._held) if self._ended else len(self._held) - _TAIL
        found, self._held = self._held[: min(size, last)], self._held[min(size, last) :]
        return found


def _strip_closing_brace(text: bytes) -> bytes:
    kept = text.rstrip()
    if not kept.endswith(b"}"):
        raise NotLeiRecordsError("the golden copy is cut off")
    return kept[:-1]
