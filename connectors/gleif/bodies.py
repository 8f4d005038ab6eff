"""Parses bodies with LEI records as streams: API answers, the golden copy as JSON and CSV, LEI-CDF XML.

Belongs here: detecting the format, yielding records in bounded memory, and rewriting bodies without persons.
Does not belong here: the content of a record (`records`), or the CSV's columns (`table_edition`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Iterator
from enum import StrEnum
from typing import Any, BinaryIO, Final, cast

import msgspec
from lxml import etree

from connectors.gleif import records, table_edition
from connectors.gleif.packed import NotOneFile, unpacked
from connectors.gleif.persons import is_doubtful, is_person
from connectors.gleif.records import Row
from connectors.gleif.table_edition import BrokenTable
from connectors.kit import chunks
from connectors.kit.elements import NotXml, elements
from connectors.kit.formats import Format, sniff
from connectors.kit.guarded import ArchiveError
from connectors.kit.streams import lent, stream
from connectors.kit.twice import says_twice

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


class Edition(StrEnum):
    API = "api"
    GOLDEN_COPY = "golden copy"
    XML = "xml"
    TABLE = "csv"


class NoRecords(Exception):  # noqa: N818 - named for what it says of a body
    """A body without LEI records, or a truncated one; the message names what was found."""


def edition(head: bytes) -> Edition | None:
    """Format of a body, by its first bytes; None if unknown."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _GOLDEN.match(head):
        return Edition.GOLDEN_COPY
    kind = sniff(head)
    if kind is Format.XML and _XML.search(head):
        return Edition.XML
    if kind is Format.TEXT and table_edition.is_header(head):
        return Edition.TABLE
    return Edition.API if kind is Format.JSON and (_API.search(head) or _NO_DATA.search(head)) else None


def rows(body: BinaryIO) -> Iterator[Row]:
    """Every record of a body other than CSV. Raises NoRecords."""
    head = body.read(HEAD)
    kind = edition(head)
    rest = _Rejoined(head, body)
    try:
        if kind is Edition.API:
            yield from map(records.of_api, _answered(rest.read(_ANSWER)))
        elif kind is Edition.GOLDEN_COPY:
            for raw in _raws(rest, head):
                yield records.of_golden_copy(msgspec.json.decode(raw))
        elif kind is Edition.XML:
            yield from map(records.of_xml, elements(cast("BinaryIO", rest), "{*}LEIRecord"))
        else:
            raise NoRecords("expected LEI records (API answer, golden copy or LEI-CDF XML)")
    except (chunks.NotJson, *chunks.MALFORMED, NotXml, ArchiveError) as error:
        raise NoRecords(f"LEI records that do not parse: {error}") from error


def without_persons(body: BinaryIO) -> BinaryIO:
    """The body, unpacked, without records of sole proprietors.

    Where a body cannot be checked for them it ends with an `UNREADABLE` marker.
    """
    return stream(_kept(body))


def _kept(body: BinaryIO) -> Generator[bytes, None, None]:
    try:
        with unpacked(lent(body), "golden copy") as plain:
            yield from _kept_of(plain)
    except (chunks.NotJson, *chunks.MALFORMED, NoRecords, BrokenTable, NotOneFile, ArchiveError) as error:
        yield b"\n" + UNREADABLE + msgspec.json.encode(str(error)) + b"}"


def _kept_of(body: BinaryIO) -> Generator[bytes, None, None]:
    head = body.read(HEAD)
    kind = edition(head)
    rest = _Rejoined(head, body)
    if kind is Edition.API:
        yield _answer_kept(rest.read(_ANSWER))
    elif kind is Edition.GOLDEN_COPY:
        yield from _golden_kept(rest, head)
    elif kind is Edition.XML:
        yield from _xml_kept(cast("BinaryIO", rest))
    elif kind is Edition.TABLE:
        yield from table_edition.without_persons(cast("BinaryIO", rest))
    else:
        raise NoRecords("no LEI records")


def _answered(text: bytes) -> list[Any]:
    answer = msgspec.json.decode(text)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list | dict):
        raise NoRecords("an answer without data")
    return data if isinstance(data, list) else [data]


def _answer_kept(text: bytes) -> bytes:
    """The answer without persons and without other members that may contain a record; unchanged if it has none."""
    found, answer = _answered(text), msgspec.json.decode(text)
    kept = [one for one in found if not is_person(records.of_api(one), msgspec.json.encode(one))]
    beside = {name: value for name, value in answer.items() if name != "data"}
    plain = {
        name: value for name, value in beside.items() if not is_doubtful(msgspec.json.encode([name, value]))
    }
    if len(kept) == len(found) and len(plain) == len(beside) and not says_twice(text):
        return text
    return msgspec.json.encode({**plain, "data": kept})


def _raws(body: _Rejoined, head: bytes) -> Iterator[bytes]:
    start = _GOLDEN.search(head)
    if start is None:
        raise NoRecords("a golden copy begins with its records")
    body.read(start.end())
    for found in chunks.arrays(cast("BinaryIO", _Array(body)), chunks.records, BLOCK_BYTES):
        yield from map(bytes, found)


def _golden_kept(body: _Rejoined, head: bytes) -> Iterator[bytes]:
    between = b'{"records":[\n'
    for raw in _raws(body, head):
        if not is_person(records.of_golden_copy(msgspec.json.decode(raw)), raw):
            yield between + raw
            between = b",\n"
    yield b"]}" if between == b",\n" else between + b"]}"


def _xml_kept(body: BinaryIO) -> Iterator[bytes]:
    """Yields the bytes record by record, without persons; text between records is kept."""
    text = b""
    while True:
        more = body.read(BLOCK_BYTES)
        text += more
        place = 0
        for end in _RECORD_END.finditer(text):
            yield _record_kept(text[place : end.end()])
            place = end.end()
        text = text[place:]
        if not more:
            break
        if len(text) > _LONGEST:
            raise NoRecords(f"a record of more than {_LONGEST} bytes")
    if _RECORD_START.search(text):
        raise NoRecords("cut off within a record")
    yield _outside(text)


def _record_kept(text: bytes) -> bytes:
    """The text before a record, and the record itself unless it is a person's."""
    start = _RECORD_START.search(text)
    if start is None:
        raise NoRecords("the end of a record without its beginning")
    before, record = _outside(text[: start.start()]), text[start.start() :]
    closed = b'<r xmlns:xsi="x" ' + _PREFIXES + b">" + record + b"</r>"
    try:
        found = etree.fromstring(closed, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise NoRecords(f"a record that does not parse: {error}") from error
    return before if is_person(records.of_xml(found[0]), record) else text


def _outside(text: bytes) -> bytes:
    """The text between records; raises NoRecords if it may contain one."""
    if is_doubtful(text):
        raise NoRecords("text outside of records that may be a record")
    return text


# Records take their prefixes from the file's first element unless their operator repeats them.
_PREFIXES: Final = b'xmlns:lei="lei" xmlns:gleif="gleif"'


class _Rejoined(io.RawIOBase):
    """A body with its already read head put back."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head, self._rest = head.removeprefix(b"\xef\xbb\xbf"), rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            found, self._head = self._head + self._rest.read(), b""
            return found
        found, self._head = self._head[:size], self._head[size:]
        return found + self._rest.read(size - len(found)) if len(found) < size else found


class _Array(io.RawIOBase):
    """The array of a golden copy without the closing brace of the surrounding object."""

    def __init__(self, body: _Rejoined) -> None:
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
                self._held = _without_brace(self._held)
        last = len(self._held) if self._ended else len(self._held) - _TAIL
        found, self._held = self._held[: min(size, last)], self._held[min(size, last) :]
        return found


def _without_brace(text: bytes) -> bytes:
    kept = text.rstrip()
    if not kept.endswith(b"}"):
        raise NoRecords("the golden copy is cut off")
    return kept[:-1]
