"""Addresses and telephone numbers of individuals leave submissions before they are archived (DESIGN 14).

Who may be one is known as the reader knows it (`submissions_rows.may_be_individual`). Of the archive of all filers
every member is looked at; what cannot be read as a filer stays as it is, for the reader to tell of. Does not belong
here: what a profile says.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from collections.abc import Generator
from typing import Any, BinaryIO, Final

import msgspec

from connectors.declare import Unreadable
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.guarded import BROKEN
from connectors.kit.staged import Tally
from connectors.kit.streams import stream
from connectors.us.submissions_fields import KEY
from connectors.us.submissions_model import Filer, decoded
from connectors.us.submissions_rows import may_be_individual

_LARGEST: Final = 64 << 20  # of one filer
_BLOCK: Final = 4 << 20
_PRIVATE: Final = ("addresses", "phone", "ein")
_OF_COMPANIES: Final = re.compile(rb'"entityType"\s*:\s*"(?:operating|investment)"')  # spares reading them


def redact(body: BinaryIO) -> BinaryIO:
    """The body without private facts of individuals, as a stream."""
    return stream(_parts(body))


def _parts(body: BinaryIO) -> Generator[bytes, None, None]:
    with tempfile.TemporaryFile() as spool, tempfile.TemporaryFile() as anew:
        shutil.copyfileobj(body, spool, _BLOCK)
        spool.seek(0)
        kind = sniff(spool.read(HEAD))
        spool.seek(0)
        source: Any = spool
        if kind is Format.ZIP and (written := _zip(source, anew)) is not None:
            source = written
        elif kind is Format.JSON:
            yield _clean(spool.read(_LARGEST))
        source.seek(0 if kind is not Format.JSON else source.tell())
        while block := source.read(_BLOCK):
            yield block


def _zip(source: Any, anew: Any) -> Any | None:
    """The archive written again; None where it cannot be listed, which the reader tells of."""
    try:
        with (
            zipfile.ZipFile(source) as archive,
            zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
        ):
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as member:
                        # the day of the source, or the same archive would be another one at every fetch
                        dated = zipfile.ZipInfo(info.filename, info.date_time)
                        new.writestr(dated, _clean(member.read(_LARGEST)), zipfile.ZIP_DEFLATED, 1)
    except BROKEN:
        return None
    return anew


def _clean(body: bytes) -> bytes:
    """One member: of an individual without what is private."""
    if _OF_COMPANIES.search(body[:_BLOCK]):
        return body
    try:
        value = msgspec.json.decode(body)
    except MALFORMED:
        return body
    wrapped = value.get("data") if isinstance(value, dict) and "cik" not in value else None
    filer = wrapped if isinstance(wrapped, dict) else value  # a copy that somebody's cache wrapped
    if not isinstance(filer, dict) or filer.keys().isdisjoint(_PRIVATE) or not _is_individual(filer):
        return body
    for key in _PRIVATE:
        filer.pop(key, None)
    return msgspec.json.encode(value)


def _is_individual(value: dict[str, Any]) -> bool:
    """As the reader decides; of a shape that it does not read whoever shows no industry and no symbol."""
    try:
        found = decoded(msgspec.json.encode(value), KEY, "", Tally(KEY))
    except Unreadable:
        return not value.get("sic") and not value.get("tickers")
    return isinstance(found, Filer) and may_be_individual(found)
