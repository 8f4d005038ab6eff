"""Reads the insider register's export as text columns: encoding, three header versions, removal of persons.

Columns are found by name in any header version, never by position. Columns that name a person, and unknown
columns, are removed before archiving. Does not belong here: what a row means for an issuer (`insider_register`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO, Final

PUBLISHED: Final = "Publiceringsdatum"
ISSUER: Final = "Emittent"
LEI: Final = "LEI-kod"
ISIN: Final = "ISIN"
VENUE: Final = "Handelsplats"
STATUS: Final = "Status"
KEPT: Final = (PUBLISHED, ISSUER, LEI, ISIN, VENUE, STATUS)
UNREADABLE: Final = "#unreadable;"

_SPELLINGS: Final = {
    "publicerings datum": PUBLISHED,
    "publiceringsdatum": PUBLISHED,
    "publication date": PUBLISHED,
    "utgivare": ISSUER,
    "emittent": ISSUER,
    "issuer": ISSUER,
    "lei-kod": LEI,
    "lei-code": LEI,
    "isin": ISIN,
    "handelsplats": VENUE,
    "trading venue": VENUE,
    "status": STATUS,
}
# Known and dropped: persons, and details of the trade.
_LEFT_OUT: Final = frozenset(
    (
        "",  # after the separator that ends each line
        "anmälningsskyldig",
        "person i ledande ställning",
        "befattning",
        "närstående",
        "korrigering",
        "beskrivning av korrigering",
        "är förstagångsrapportering",
        "är kopplad till aktieprogram",
        "karaktär",
        "instrument",
        "instrumenttyp",
        "instrumentnamn",
        "transaktions datum",
        "transaktionsdatum",
        "volym",
        "volymsenhet",
        "pris",
        "valuta",
        "notifier",
        "person discharging managerial responsibilities",
        "position",
        "closely associated",
        "amendment",
        "details of amendment",
        "initial notification",
        "linked to share option programme",
        "nature of transaction",
        "intrument type",
        "instrument type",
        "instrument name",
        "transaction date",
        "volume",
        "unit",
        "price",
        "currency",
    )
)
_MOST: Final = 256 << 20


class NotInsiderExportError(Exception):
    """The bytes are no export of the register; the message states what was found."""


def decode_export(body: bytes) -> str:
    """Decodes an export: UTF-16LE without a byte order mark, or UTF-8 after redaction."""
    if body[1:2] == b"\0":
        return body.decode("utf-16-le", "replace")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def parse_export(text: str) -> tuple[dict[str, int], list[str], Iterator[list[str]]]:
    """Positions of known columns, unknown column names, and the rows. Raises NotInsiderExportError."""
    rows = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=";")
    try:
        header = next(rows, [])
    except csv.Error as error:
        raise NotInsiderExportError(f"no table: {error}") from None
    names = [name.strip() for name in header]
    places = {_SPELLINGS[name.casefold()]: at for at, name in enumerate(names) if name.casefold() in _SPELLINGS}
    missing = [name for name in KEPT if name not in places]
    if missing:
        raise NotInsiderExportError(f"column {', '.join(missing)} is missing; the text begins {text[:60]!r}")
    unknown = [name for name in names if name.casefold() not in _LEFT_OUT and name.casefold() not in _SPELLINGS]
    return places, unknown, rows


def drop_persons(body: BinaryIO) -> BinaryIO:
    """Redacts an export to the kept columns, as UTF-8; one line with the reason if the body is no export."""
    kept = io.StringIO(newline="")
    writer = csv.writer(kept, delimiter=";", lineterminator="\r\n")
    try:
        raw = _read_whole(body)
        places, unknown, rows = parse_export(decode_export(raw))
        writer.writerow((*KEPT, *unknown))
        for row in rows:
            if row:
                writer.writerow(row[places[name]] if places[name] < len(row) else "" for name in KEPT)
    except (NotInsiderExportError, csv.Error) as error:
        return io.BytesIO(f"{UNREADABLE}{_public_reason(error)}\r\n".encode())
    return io.BytesIO(kept.getvalue().encode())


def _read_whole(body: BinaryIO) -> bytes:
    raw = body.read(_MOST + 1)
    if len(raw) > _MOST:
        raise NotInsiderExportError(f"more than {_MOST} bytes")
    return raw


def _public_reason(error: Exception) -> str:
    """Reason without the excerpt of the body, which may name a person."""
    return str(error).partition("; the text begins")[0]
