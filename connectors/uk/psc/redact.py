"""Redacts persons' private facts from PSC bodies before archiving (docs/architecture.md 14).

Removed: date of birth, every address, and identity verification details. Kept byte for byte: name, country,
nationality, dates and natures of control. The record's stable id identifies a person's record over time. That two
records of one name are of two persons is told by month and year of birth alone: with a marker, a keyed mark
(`person_mark`) takes the place of these (`connectors.kit.redact.person_marks`).

A zip is returned as its plain lines (the archive compresses them again). A body that cannot be parsed (no zip, no
JSON, truncated) is not kept: one line `{"unreadable": reason}` replaces or ends it, and reading rejects the file
with that reason.

An erasure leaves a stub in place of each record of the data subject: a snapshot states its number of records at the
end, and one with fewer counts as truncated. `{"withheld": table}` counts as the record it replaces. Does not belong
here: erasure in bodies that are one JSON text (`connectors.kit.redact.remove_records`).
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.archive.bounded_stream import DECODER_ERRORS
from connectors.kit.formats import BodyFormat
from connectors.kit.json.chunks import MALFORMED, decode_object, is_json
from connectors.kit.redact import remove_records
from connectors.kit.redact.person_marks import PersonMarker
from connectors.kit.redact.remove_records import SubjectPatterns
from connectors.kit.redact.streams import UnscannableBodyError, from_blocks, plain_bodies
from connectors.uk.psc.rows import table_of
from connectors.uk.register import canonical_number

PRIVATE: Final = (
    "date_of_birth",
    "address",
    "service_address",
    "usual_residential_address",
    "principal_office_address",
    "identity_verification_details",
)
_BLOCK: Final = 4 << 20
_LONGEST: Final = 64 << 20  # bytes of a line, or of one response printed over several lines
_plain_bodies: Final = partial(
    plain_bodies,
    accepted={BodyFormat.ZIP, BodyFormat.GZIP, BodyFormat.JSON, BodyFormat.EMPTY},
    expected="JSON lines or a zip of them",
    most_bytes=64 << 30,  # uncompressed; the snapshot has about 10 GB
    too_large="the zip unpacks to more than 64 GiB",
)

_STRING: Final = rb'"(?:[^"\\]|\\.)*+"'
_FLAT: Final = rb'\{(?:[^"{}\[\]]++|' + _STRING + rb"|\[(?:[^\"\[\]{}]++|" + _STRING + rb")*+\])*+\}"
_VALUE: Final = rb"(?:" + _FLAT + rb"|" + _STRING + rb"|null|true|false|[-+0-9.eE]++)"
_ANY: Final = re.compile(rb'"(?:' + b"|".join(key.encode() for key in PRIVATE) + rb')"\s*+:')
# Undocumented keys count too; a flag such as «service address is same as …» contains no address.
_LIKE: Final = re.compile(r"address|birth", re.IGNORECASE)
_UNANNOUNCED: Final = tuple(  # a literal prefix makes the search ten times as fast
    # only the last such stem in a name: searching from each of them to the name's end would be quadratic
    (stem, re.compile(stem + rb"(?:(?!" + stem + rb')\w)*+"\s*+:\s*+[^tfn\s]'))
    for stem in (b"ddress", b"irth")
)

_HIDDEN: Final = re.compile(rb"\\u00[4-7]")  # a needlessly escaped letter: may hide a key
_VERIFICATION: Final = b"identity_verification_details"

# As the registry writes them: no object, list or escape inside, a text or digits at the end. A brace in a text ends
# the match early; it is then not preceded by the end of a member, and the general form decides.
_TEXTS: Final = rb'\{[^{}\[\]\\]*+(?<=[^:,{\s]")\},'
_NUMBERS: Final = rb'\{(?:"[a-z_]++":[0-9]++,?+)++\},'


def _member_pattern(key: str) -> re.Pattern[bytes]:
    """Pattern of a member with its trailing comma. The last member of an object is left to the slow path."""
    general = rb"\s*+" + _VALUE + rb"\s*+,\s*+"
    return re.compile(b'"' + key.encode() + rb'"\s*+:(?:' + _TEXTS + b"|" + _NUMBERS + b"|" + general + b")")


_MEMBERS: Final = tuple((b'"' + key.encode() + b'"', _member_pattern(key)) for key in PRIVATE)

_BIRTH: Final = "date_of_birth"
_BIRTH_KEY: Final = b'"date_of_birth"'
_MARK: Final = "person_mark"
_NUMBERED: Final = re.compile(rb'\{"company_number":"([A-Z0-9]{8})",')
# as the registry writes it in a snapshot's line; any other form is decoded
_BORN: Final = re.compile(rb'"date_of_birth":\{"month":([0-9]{1,2}),"year":([0-9]{4})\},')
_COMPANY: Final = re.compile(r"company/([A-Za-z0-9]+)")


def redact(body: BinaryIO, marker: PersonMarker | None = None) -> BinaryIO:
    """Returns the body without private facts, as a stream; with a mark for each date of birth if there is a marker."""
    return from_blocks(_redacted_blocks(body, marker))


def _redacted_blocks(body: BinaryIO, marker: PersonMarker | None) -> Generator[bytes, None, None]:
    redactor = _Redactor(marker)
    try:
        for plain in _plain_bodies(body):
            yield from redactor.redact_body(plain)
    except (UnscannableBodyError, *DECODER_ERRORS) as error:
        yield b"\n" + msgspec.json.encode({"unreadable": str(error) or type(error).__name__}) + b"\n"


@dataclass(frozen=True, slots=True)
class _Redactor:
    """Redacts one body. marker: makes the marks; without one, there are none."""

    marker: PersonMarker | None

    def redact_body(self, plain: BinaryIO) -> Iterator[bytes]:
        """Yields blocks of whole lines without private facts; a response over several lines is one block."""
        first = plain.readline(_LONGEST).removeprefix(codecs.BOM_UTF8)
        while first and not first.strip():
            first = plain.readline(_LONGEST)
        if not first:
            return
        if not is_json(first):
            yield self._redact_document(first + plain.read(_LONGEST))
            return
        rest = first
        while block := plain.read(_BLOCK):
            whole, newline, tail = (rest + block).rpartition(b"\n")
            yield self._redact_lines(whole + newline)
            rest = tail
            if len(rest) > _LONGEST:
                raise UnscannableBodyError("a line of more than 64 MiB")
        yield self._redact_lines(rest)

    def _redact_document(self, text: bytes) -> bytes:
        if len(text) >= _LONGEST:
            raise UnscannableBodyError("one JSON document of more than 64 MiB")
        if is_json(text):
            return self._redact_lines(text, is_document=True)
        lines = text.splitlines(keepends=True)
        if not any(is_json(line) for line in lines):
            raise UnscannableBodyError("not JSON: cut off or damaged")
        return b"".join(map(self._redact_decoded, lines))  # separate lines, the first of them broken

    def _redact_lines(self, block: bytes, *, is_document: bool = False) -> bytes:
        if self.marker is not None:
            block = self._with_marks(block, self.marker)
        for key, member in _MEMBERS:
            # a birth that could not be marked here is left to the slow path, which marks it
            if key in block and (self.marker is None or key != _BIRTH_KEY):
                block = member.sub(b"", block)
        if not _has_private(block):
            return block
        if is_document:
            return self._redact_decoded(block)
        lines = block.splitlines(keepends=True)
        return b"".join(self._redact_decoded(line) if _has_private(line) else line for line in lines)

    @staticmethod
    def _with_marks(block: bytes, marker: PersonMarker) -> bytes:
        """The block with a mark in place of each date of birth that is written as usual in a line of a snapshot."""

        def replace(match: re.Match[bytes]) -> bytes:
            numbered = _NUMBERED.match(block, block.rfind(b"\n", 0, match.start()) + 1)
            if numbered is None:
                return match[0]
            mark = marker.mark(numbered[1].decode(), int(match[2]), int(match[1]))
            return b"" if mark is None else b'"person_mark":"%b",' % mark.encode()

        return _BORN.sub(replace, block)

    def _redact_decoded(self, text: bytes) -> bytes:
        """Slow path: decodes, redacts and re-encodes one JSON text; invalid JSON is withheld completely."""
        if not text.strip():
            return text
        try:
            decoded = msgspec.json.decode(text)
        except MALFORMED:
            return b'{"kind":"withheld: not JSON"}\n'
        return msgspec.json.encode(self._without_private(decoded, None)) + b"\n"

    def _without_private(self, value: Any, company: str | None) -> Any:
        """A decoded value without private facts. company: the one that the record around it is about."""
        if isinstance(value, dict):
            about = _company_of(value) or company
            mark = self._mark_of(value, about)
            kept = {
                key: self._without_private(item, about) for key, item in value.items() if not _is_private(key, item)
            }
            return kept if mark is None else {**kept, _MARK: mark}
        if isinstance(value, list):
            return [self._without_private(item, company) for item in value]
        return value

    def _mark_of(self, record: dict[str, Any], company: str | None) -> str | None:
        born = record.get(_BIRTH)
        if self.marker is None or company is None or not isinstance(born, dict):
            return None
        return self.marker.mark(company, born.get("year"), born.get("month"))


def _company_of(record: dict[str, Any]) -> str | None:
    """The company that a record, or the event around it, names: by number, else by its address."""
    links = record.get("links")
    address = (links.get("self") if isinstance(links, dict) else None) or record.get("resource_uri")
    found = _COMPANY.search(address) if isinstance(address, str) else None
    number = record.get("company_number") or (found[1] if found else None)
    return canonical_number(number) if isinstance(number, str) else None


def _has_private(text: bytes) -> bool:
    """True if a private member may remain; the decoded text decides."""
    if b"\\u00" in text and _HIDDEN.search(text) is not None:
        return True
    stems = [stem for stem, _ in _UNANNOUNCED if stem in text]
    if (stems or _VERIFICATION in text) and _ANY.search(text) is not None:
        return True  # every documented private key contains one of these
    return any(pattern.search(text) is not None for stem, pattern in _UNANNOUNCED if stem in stems)


def _is_private(key: str, value: Any) -> bool:
    return key in PRIVATE or (not isinstance(value, bool) and _LIKE.search(key) is not None)


def remove_psc_records(
    body: BinaryIO, patterns: SubjectPatterns, into: BinaryIO, *, quoted: bool = False, name: str = ""
) -> bool:
    """Writes a body without the subject's records; False if nothing is left."""
    first = body.readline()
    while first and not first.strip():
        first = body.readline()
    body.seek(0)
    if decode_object(first) is None:
        return remove_records.remove_records(body, patterns, into, quoted=quoted, name=name)
    left = False
    for line in body:
        kept = _withheld_line(line, patterns) if patterns.matches_record(line) else line
        into.write(kept)
        left = left or bool(kept.strip())
    return left


def _withheld_line(line: bytes, told: SubjectPatterns) -> bytes:
    record = decode_object(line)
    if record is not None and "items" not in record:
        data = record.get("data") or record
        address = (data.get("links") or {}).get("self") or record.get("resource_uri") or ""
        return msgspec.json.encode({"withheld": table_of(data.get("kind") or "", address).name}) + b"\n"
    kept = io.BytesIO()
    return kept.getvalue() if remove_records.remove_records(io.BytesIO(line), told, kept) else b""
