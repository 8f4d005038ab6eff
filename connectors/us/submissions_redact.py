"""Strips addresses and telephone numbers of individuals from submissions before they are archived.

See docs/architecture.md 14.

Individuals are recognised as in reading (`submissions_rows.may_be_individual`). Every member of the archive of
all filers is checked, a compressed response is decompressed. A body that is not a filer is kept unchanged for
the reader to report; if it cannot be scanned and may contain addresses, only the reason is kept (`withheld`).
Does not belong here: the meaning of a profile.
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

from connectors.declare import Unreadable
from connectors.kit import readable
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.guarded import BROKEN
from connectors.kit.staged import Tally
from connectors.kit.streams import stream
from connectors.kit.zips import Archive
from connectors.us.submissions_fields import KEY
from connectors.us.submissions_model import Filer, decoded
from connectors.us.submissions_rows import may_be_individual

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
    return stream(_parts(body))


def withheld(body: bytes) -> str | None:
    """Why nothing of a body was kept; None for a body that was kept."""
    if not body.startswith(_WITHHELD):
        return None
    try:
        return msgspec.json.decode(body, type=dict[str, str])["unreadable"]
    except MALFORMED:
        return None  # not a reason written by this module


def _withheld(reason: str) -> bytes:
    return _WITHHELD + msgspec.json.encode(reason) + b"}"


def _parts(body: BinaryIO) -> Generator[bytes, None, None]:
    with tempfile.TemporaryFile() as spool, tempfile.TemporaryFile() as anew:
        shutil.copyfileobj(body, spool, _BLOCK)
        spool.seek(0)
        kind = sniff(spool.read(HEAD))
        spool.seek(0)
        if kind is Format.ZIP:
            yield from _zip(spool, anew)
        elif kind is Format.GZIP:
            yield _unpacked(spool)
        else:
            yield _clean(spool.read(_LARGEST))


def _zip(source: Any, anew: Any) -> Iterator[bytes]:
    """The archive, rewritten."""
    try:
        with (
            Archive(source) as archive,
            zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
        ):
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as member:
                        # keeps the source's date; otherwise the archive would differ at every fetch
                        dated = zipfile.ZipInfo(info.filename, info.date_time)
                        new.writestr(dated, _clean(member.read(_LARGEST)), zipfile.ZIP_DEFLATED, 1)
    except BROKEN as error:
        yield _withheld(f"an archive that does not open: {error}")
        return
    anew.seek(0)
    while block := anew.read(_BLOCK):
        yield block


def _unpacked(source: Any) -> bytes:
    try:
        with gzip.open(source) as unpacked:
            return _clean(unpacked.read(_LARGEST))
    except BROKEN as error:
        return _withheld(f"gzip that does not unpack: {error}")


def _clean(body: bytes) -> bytes:
    """One member; personal data removed if it is an individual."""
    if _OF_COMPANIES.match(body):
        return body
    try:
        value = msgspec.json.decode(body.removeprefix(_MARK))
    except MALFORMED as error:
        return _unread(body, error)
    wrapped = value.get("data") if isinstance(value, dict) and "cik" not in value else None
    filer = wrapped if isinstance(wrapped, dict) else value  # a copy wrapped by a cache
    if not isinstance(filer, dict) or filer.keys().isdisjoint(_PRIVATE) or not _is_individual(filer):
        return body
    for key in _PRIVATE:
        filer.pop(key, None)
    return msgspec.json.encode(value)


def _unread(body: bytes, error: Exception) -> bytes:
    """A body that is not JSON: unchanged if it can be scanned and has no address in it, else only the reason."""
    hidden = readable.trouble(body)  # a zip inside gzip, gzip inside a zip
    if hidden is not None:
        return _withheld(hidden)
    letters = body.replace(b"\x00", b"")  # UTF-16 would hide text from the search
    return _withheld(f"JSON that does not parse: {error}") if _MAY_TELL.search(letters) else body


def _is_individual(value: dict[str, Any]) -> bool:
    """As the reader decides; for unreadable shapes, any filer without an industry and a symbol."""
    try:
        found = decoded(msgspec.json.encode(value), KEY, "", Tally(KEY))
    except Unreadable:
        found = None
    if not isinstance(found, Filer):
        return not value.get("sic") and not value.get("tickers")
    return may_be_individual(found)
