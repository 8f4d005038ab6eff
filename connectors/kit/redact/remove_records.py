"""Rewrites a stored file without one data subject's records (GDPR erasure): zip, gzip, JSON or lines.

A body of another format is kept or dropped as a whole.
Records follow from the structure alone: the element of a JSON list, a line, a member of an archive that
contains no records itself. Everything else stays byte for byte. The caller checks the result by reading both
bodies. Does not belong here: which bodies are rewritten, or the handling of one that cannot be (`pipelines`).
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.archive.zip import ZipArchive
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.json.chunks import MALFORMED

_BLOCK: Final = 4 << 20
_MOST: Final = 512  # blocks of a JSON text that is read whole: 2 GiB; a longer one is treated as lines
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TABLES: Final = (BodyFormat.TEXT, BodyFormat.JSON)


@dataclass(frozen=True, slots=True)
class SubjectPatterns:
    """Patterns of a data subject: a record matches if it contains a text of each group."""

    groups: tuple[re.Pattern[bytes], ...]

    def matches_record(self, record: bytes | memoryview) -> bool:
        """True if the record matches the subject."""
        return all(pattern.search(record) for pattern in self.groups)

    def may_match(self, block: bytes) -> bool:
        """True if a block may contain a matching record."""
        return self.matches_record(block)


def number_pattern(text: str) -> str:
    """A pattern for a number in the spellings of sources: padded, with a century, with blanks or hyphens."""
    signs = [sign for sign in text if sign.isalnum()]
    while len(signs) > 1 and signs[0] == "0":
        del signs[0]
    return r"(?<![0-9A-Za-z])(?:16|0+)?" + r"[-\s.]?".join(map(re.escape, signs)) + r"(?![0-9A-Za-z])"


def words_pattern(text: str) -> str:
    """A pattern for a name or id: any case, any whitespace, whole words."""
    return r"(?<!\w)" + r"\s+".join(re.escape(word) for word in text.split()) + r"(?!\w)"


def phrase_pattern(text: str) -> str:
    """A pattern for words that follow each other in any case, whatever signs lie between them, as between columns."""
    return r"(?<!\w)" + r"[\W_]{1,9}".join(map(re.escape, re.findall(r"[^\W_]+", text))) + r"(?!\w)"


def compile_patterns(alternatives: Iterable[str]) -> re.Pattern[bytes]:
    """Compiles patterns as bytes, in every encoding a body may have: UTF-8, Latin-1, escaped JSON."""
    spelled = {
        spelling
        for text in alternatives
        for spelling in (text.encode(), _latin_bytes(text), _json_escaped(text))
        if spelling is not None
    }
    return re.compile(b"|".join(sorted(spelled)), re.IGNORECASE)


def _latin_bytes(text: str) -> bytes | None:
    try:
        return text.encode("cp1252")
    except UnicodeEncodeError:
        return None


def _json_escaped(text: str) -> bytes:
    return "".join(sign if sign.isascii() else rf"\\u{ord(sign):04x}" for sign in text).encode()


def remove_records(
    body: BinaryIO, patterns: SubjectPatterns, into: BinaryIO, *, quoted: bool = False, name: str = ""
) -> bool:
    """Writes a body without the matching records; False if nothing remains.

    quoted: a record of a table may span several lines inside quotes. name: of a member, matched too.
    """
    with _seekable_copy(body) as source:
        found = detect_body_format(source.read(HEAD))
        source.seek(0)
        if found is BodyFormat.ZIP and zipfile.is_zipfile(source):
            source.seek(0)
            return _remove_from_zip(source, patterns, into, quoted=quoted)
        if found is BodyFormat.GZIP:
            return _remove_from_gzip(source, patterns, into, quoted=quoted)
        if found in _TABLES:
            return _remove_from_text(source, found, patterns, into, quoted=quoted)
        whole = b"".join(_read_parts(source))
        if patterns.matches_record(whole) or patterns.matches_record(name.encode()):
            return False
        into.write(whole)
        return True


def _seekable_copy(body: BinaryIO) -> Any:
    if body.seekable():
        return body
    spool = tempfile.SpooledTemporaryFile(_BLOCK)  # noqa: SIM115 - closed by the caller's block
    shutil.copyfileobj(body, spool)
    spool.seek(0)
    return spool


def _remove_from_zip(source: BinaryIO, told: SubjectPatterns, into: BinaryIO, *, quoted: bool) -> bool:
    left = False
    with ZipArchive(source) as archive, zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as anew:
        for info in archive.infolist():
            if told.matches_record(info.filename.encode()):
                continue
            with archive.open(info) as member, tempfile.SpooledTemporaryFile(_BLOCK) as kept:
                target: Any = kept
                if remove_records(member, told, target, quoted=quoted, name=info.filename):  # type: ignore[arg-type]
                    kept.seek(0)
                    with anew.open(info, "w", force_zip64=True) as written:
                        shutil.copyfileobj(kept, written)
                    left = True
    return left


def _remove_from_gzip(source: BinaryIO, told: SubjectPatterns, into: BinaryIO, *, quoted: bool) -> bool:
    with gzip.open(source) as plain, gzip.GzipFile(fileobj=into, mode="wb", mtime=0) as packed:
        stream: Any = plain
        target: Any = packed
        return remove_records(stream, told, target, quoted=quoted)


def _remove_from_text(
    source: BinaryIO, found: BodyFormat, told: SubjectPatterns, into: BinaryIO, *, quoted: bool
) -> bool:
    head = source.read(2)
    source.seek(0)
    if head in _UTF16:
        plain = b"".join(_read_parts(source)).decode("utf-16").encode()
        kept = io.BytesIO()
        left = _remove_from_lines(io.BytesIO(plain), told, kept, quoted=quoted)
        order = "utf-16-le" if head == codecs.BOM_UTF16_LE else "utf-16-be"
        into.write(head + kept.getvalue().decode().encode(order))
        return left
    if found is BodyFormat.JSON:
        whole = b"".join(islice(_read_parts(source), _MOST))
        source.seek(0)
        try:
            kept_json = _prune_value(whole.removeprefix(codecs.BOM_UTF8).strip(), told)
        except MALFORMED:
            return _remove_from_lines(source, told, into, quoted=False)
        into.write(kept_json or b"")
        return kept_json is not None
    return _remove_from_lines(source, told, into, quoted=quoted)


def _read_parts(source: BinaryIO) -> Iterator[bytes]:
    """Reads a body in blocks: a decoder allocates the requested size before it knows the real one.

    Reading a zip member whole would allocate as much as its header claims.
    """
    return iter(partial(source.read, _BLOCK), b"")


def _remove_from_lines(source: BinaryIO, told: SubjectPatterns, into: BinaryIO, *, quoted: bool) -> bool:
    left = False
    for block in _quoted_records(source) if quoted else _line_blocks(source):
        kept = (
            block
            if not told.may_match(block)
            else b"".join(
                _remove_from_record(record, told) for record in ([block] if quoted else block.splitlines(keepends=True))
            )
        )
        into.write(kept)
        left = left or bool(kept.strip())
    return left


def _line_blocks(source: BinaryIO) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block + source.readline()


def _quoted_records(source: BinaryIO) -> Iterator[bytes]:
    record, quotes = list[bytes](), 0
    for line in source:
        record.append(line)
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            yield b"".join(record)
            record.clear()
    if record:
        yield b"".join(record)


def _remove_from_record(record: bytes, told: SubjectPatterns) -> bytes:
    """The rest of a line: of a JSON line, without the matching elements of its lists."""
    if not told.matches_record(record):
        return record
    if not record.lstrip().startswith((b"{", b"[")):
        return b""
    try:
        kept = _prune_value(record.strip(), told)
    except MALFORMED:
        return b""
    return b"" if kept is None else kept + b"\n"


def _prune_value(value: bytes, told: SubjectPatterns) -> bytes | None:
    """A JSON value without matching list elements, otherwise unchanged; None if it matches itself."""
    if value[:1] == b"[":
        return _prune_list(value, told)
    if value[:1] == b"{":
        return _prune_object(value, told)
    msgspec.json.decode(value)
    return None if told.matches_record(value) else value


def _prune_list(value: bytes, told: SubjectPatterns) -> bytes | None:
    elements = msgspec.json.decode(value, type=list[msgspec.Raw])
    kept = [element for element in elements if not told.matches_record(element)]
    if len(kept) == len(elements):
        return value
    return msgspec.json.encode(kept) if kept else None


def _prune_object(value: bytes, told: SubjectPatterns) -> bytes | None:
    members = msgspec.json.decode(value, type=dict[str, msgspec.Raw])
    if not told.matches_record(value):
        return value
    for key, member in members.items():
        plain = bytes(member)
        if plain[:1] in {b"[", b"{"} and told.matches_record(plain):
            kept = _prune_value(plain, told)
            members[key] = msgspec.Raw(b"[]" if kept is None and plain[:1] == b"[" else kept or plain)
    anew = msgspec.json.encode(members)
    return None if told.matches_record(anew) else anew
