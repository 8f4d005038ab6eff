"""The insider register's export as text and columns: its encoding, the headers of three editions, persons out.

Columns are found by name in any of the editions, never by place. What names a person, and every column nobody
knows, leaves before the archive. Does not belong here: what a row says of an issuer (`insyn`).
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
# Known and left out: persons, and what a trade was.
_LEFT_OUT: Final = frozenset(
    (
        "",  # behind the separator that ends each line
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


class NotAnExport(Exception):  # noqa: N818 - says what the bytes are
    """Bytes that are no export of the register. The message says what was found."""


def text_of(body: bytes) -> str:
    """The export is UTF-16LE without a mark; what the door kept of it is UTF-8."""
    if body[1:2] == b"\0":
        return body.decode("utf-16-le", "replace")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def table(text: str) -> tuple[dict[str, int], list[str], Iterator[list[str]]]:
    """Places of known columns, names nobody knows, and the rows. Raises NotAnExport."""
    rows = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=";")
    try:
        header = next(rows, [])
    except csv.Error as error:
        raise NotAnExport(f"no table: {error}") from None
    names = [name.strip() for name in header]
    places = {
        _SPELLINGS[name.casefold()]: at for at, name in enumerate(names) if name.casefold() in _SPELLINGS
    }
    missing = [name for name in KEPT if name not in places]
    if missing:
        raise NotAnExport(f"column {', '.join(missing)} is missing; the text begins {text[:60]!r}")
    unknown = [
        name for name in names if name.casefold() not in _LEFT_OUT and name.casefold() not in _SPELLINGS
    ]
    return places, unknown, rows


def without_persons(body: BinaryIO) -> BinaryIO:
    """The kept columns of an export, as UTF-8; one line with the reason where it is none."""
    kept = io.StringIO(newline="")
    writer = csv.writer(kept, delimiter=";", lineterminator="\r\n")
    try:
        raw = _whole(body)
        places, unknown, rows = table(text_of(raw))
        writer.writerow((*KEPT, *unknown))
        for row in rows:
            if row:
                writer.writerow(row[places[name]] if places[name] < len(row) else "" for name in KEPT)
    except (NotAnExport, csv.Error) as error:
        return io.BytesIO(f"{UNREADABLE}{_plain(error)}\r\n".encode())
    return io.BytesIO(kept.getvalue().encode())


def _whole(body: BinaryIO) -> bytes:
    raw = body.read(_MOST + 1)
    if len(raw) > _MOST:
        raise NotAnExport(f"more than {_MOST} bytes")
    return raw


def _plain(error: Exception) -> str:
    """The reason without the beginning of the body, which may name a person."""
    return str(error).partition("; the text begins")[0]
