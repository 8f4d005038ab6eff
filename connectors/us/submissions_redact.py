"""Addresses and telephone numbers of individuals leave submissions before they are archived (DESIGN 14).

An individual is known as the reader knows one (`submissions_rows.is_person`). Of the archive of all filers every
member is looked at; what cannot be read as a filer stays as it is, for the reader to tell of. Does not belong here:
what a profile says.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Generator
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.guarded import BROKEN
from connectors.kit.streams import stream
from connectors.us.submissions_model import Filer
from connectors.us.submissions_rows import is_person

_LARGEST: Final = 64 << 20  # of one filer
_BLOCK: Final = 4 << 20
_PRIVATE: Final = ("addresses", "phone", "ein")
_PLAIN: Final = msgspec.json.Decoder(Filer)


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
    if b'"other"' not in body[:_BLOCK]:
        return body
    try:
        value = msgspec.json.decode(body)
        if not isinstance(value, dict) or not _is_individual(value):
            return body
    except MALFORMED:
        return body
    return msgspec.json.encode({key: part for key, part in value.items() if key not in _PRIVATE})


def _is_individual(value: dict[str, Any]) -> bool:
    """By the fields the reader decides on; of an unknown shape the same fields decide."""
    known = {key: value[key] for key in Filer.__struct_fields__ if key in value}
    try:
        return is_person(msgspec.convert(known, Filer))
    except msgspec.ValidationError:
        return not value.get("sic") and not value.get("ein") and not value.get("tickers")
