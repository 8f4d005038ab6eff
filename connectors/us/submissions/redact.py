"""Strips addresses and telephone numbers of individuals from submissions before they are archived.

See docs/architecture.md 14.

Individuals are recognised as in reading (`rows.may_be_individual`). Every member of the archive of all filers is
checked, a compressed response is decompressed. A body that is not a filer is kept unchanged for the reader to
report; if it cannot be scanned and may contain addresses, only the reason is kept (`withheld_reason`). Does not
belong here: the meaning of a profile.
"""

from __future__ import annotations

import gzip
import re
import shutil
import tempfile
import zipfile
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, Final

import msgspec

from connectors.contract.pieces import UnreadableFileError
from connectors.kit.archive.bounded_stream import DECODER_ERRORS
from connectors.kit.archive.zip import ZipArchive
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.redact import text
from connectors.kit.redact.streams import from_blocks
from connectors.kit.staging import SignalCounter
from connectors.us.submissions.rows import may_be_individual
from connectors.us.submissions.schema import KEY
from connectors.us.submissions.structs import FilerProfile, decode_submission

_LARGEST: Final = 64 << 20  # bytes of one filer
_BLOCK: Final = 4 << 20
_PRIVATE: Final = ("addresses", "phone", "ein")
# At the very beginning, as EDGAR writes it: there it is the filer's own. Saves parsing the body.
_OF_COMPANIES: Final = re.compile(
    rb'\s*\{\s*"cik"\s*:\s*"?\d{1,10}"?\s*,\s*"entityType"\s*:\s*"(?:operating|investment)"'
)
_MAY_TELL: Final = re.compile(rb'"(?:addresses|street1|street2|city|zipCode|phone|ein)"')
_MARK: Final = b"\xef\xbb\xbf"
_WITHHELD: Final = b'{"unreadable":'


def redact(body: BinaryIO) -> BinaryIO:
    """The body without personal data of individuals, as a stream."""
    return from_blocks(_redacted_blocks(body))


def withheld_reason(body: bytes) -> str | None:
    """Why nothing of a body was kept; None for a body that was kept."""
    if not body.startswith(_WITHHELD):
        return None
    try:
        return msgspec.json.decode(body, type=dict[str, str])["unreadable"]
    except MALFORMED:
        return None  # not a reason written by this module


def _withheld_body(reason: str) -> bytes:
    return _WITHHELD + msgspec.json.encode(reason) + b"}"


def _redacted_blocks(body: BinaryIO) -> Generator[bytes, None, None]:
    with tempfile.TemporaryFile() as spool, tempfile.TemporaryFile() as anew:
        shutil.copyfileobj(body, spool, _BLOCK)
        spool.seek(0)
        kind = detect_body_format(spool.read(HEAD))
        spool.seek(0)
        if kind is BodyFormat.ZIP:
            yield from _redact_zip(spool, anew)
        elif kind is BodyFormat.GZIP:
            yield _redact_gzip(spool)
        else:
            yield _redact_filer(spool.read(_LARGEST))


def _redact_zip(source: Any, anew: Any) -> Iterator[bytes]:
    """The archive, rewritten."""
    try:
        with ZipArchive(source) as archive, zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as member:
                        # keeps the source's date; otherwise the archive would differ at every fetch
                        dated = zipfile.ZipInfo(info.filename, info.date_time)
                        new.writestr(dated, _redact_filer(member.read(_LARGEST)), zipfile.ZIP_DEFLATED, 1)
    except DECODER_ERRORS as error:
        yield _withheld_body(f"an archive that does not open: {error}")
        return
    anew.seek(0)
    while block := anew.read(_BLOCK):
        yield block


def _redact_gzip(source: Any) -> bytes:
    try:
        with gzip.open(source) as unpacked:
            return _redact_filer(unpacked.read(_LARGEST))
    except DECODER_ERRORS as error:
        return _withheld_body(f"gzip that does not unpack: {error}")


def _redact_filer(body: bytes) -> bytes:
    """One member; personal data removed if it is an individual."""
    if _OF_COMPANIES.match(body):
        return body
    try:
        value = msgspec.json.decode(body.removeprefix(_MARK))
    except MALFORMED as error:
        return _redact_unparsed(body, error)
    wrapped = value.get("data") if isinstance(value, dict) and "cik" not in value else None
    filer = wrapped if isinstance(wrapped, dict) else value  # a copy wrapped by a cache
    if not isinstance(filer, dict) or filer.keys().isdisjoint(_PRIVATE) or not _is_individual(filer):
        return body
    for key in _PRIVATE:
        filer.pop(key, None)
    return msgspec.json.encode(value)


def _redact_unparsed(body: bytes, error: Exception) -> bytes:
    """A body that is not JSON: unchanged if it can be scanned and has no address in it, else only the reason."""
    hidden = text.non_text_reason(body)  # a zip inside gzip, gzip inside a zip
    if hidden is not None:
        return _withheld_body(hidden)
    letters = body.replace(b"\x00", b"")  # UTF-16 would hide text from the search
    return _withheld_body(f"JSON that does not parse: {error}") if _MAY_TELL.search(letters) else body


def _is_individual(value: dict[str, Any]) -> bool:
    """As the reader decides; for unreadable shapes, any filer without an industry and a symbol."""
    try:
        found = decode_submission(msgspec.json.encode(value), KEY, "", SignalCounter(KEY))
    except UnreadableFileError:
        found = None
    if not isinstance(found, FilerProfile):
        return not value.get("sic") and not value.get("tickers")
    return may_be_individual(found)
