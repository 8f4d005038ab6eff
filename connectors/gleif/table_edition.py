"""The golden copy as CSV: 338 columns known by their names, records without persons (docs/formats/news.md 3.1).

Belongs here: which column is which, telling such a file by its header, and lines of persons out of it. A record may
hold line ends within its quotes, so that records are cut where quotes are even. Does not belong here: the other
editions (`bodies`), or what a record says.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from typing import BinaryIO, Final

from connectors.gleif import records
from connectors.gleif.persons import is_doubtful, is_person
from connectors.kit.tabular import Layout
from warehouse.schema.types import Table

LONGEST: Final = 4 << 20  # bytes of one record
_BLOCK: Final = 4 << 20
_QUOTE: Final = b'"'
_NEEDED: Final = ("LEI", f"{records.AUTHORITY}ID", "Registration.RegistrationStatus")
_TOLD_BY: Final = ("category", "registered_at", "registered_as", "jurisdiction")  # columns
_TABLE: Final = Table("gleif_csv", "Columns of the golden copy that are read.", ("lei",), records.COLUMNS)
LAYOUT: Final = Layout(
    table=_TABLE,
    mandatory=("lei", "legal_name", "registered_at", "registered_as", "jurisdiction", "registration_status"),
    key="lei",
    aliases={name: column for column, name in records.CDF.items()},
    ignored_beginnings=("Entity.", "Registration.", "Extension", "ConformityFlag"),
)


class BrokenTable(Exception):  # noqa: N818 - named for what it says of a body
    """A table without end of a record, or the columns that tell persons; the message says what was found."""


def is_header(head: bytes) -> bool:
    """Whether a body begins with the names of the golden copy's columns."""
    return set(_NEEDED) <= set(_cells(head.partition(b"\n")[0]))


def without_persons(body: BinaryIO) -> Generator[bytes, None, None]:
    """The lines of a table, those of persons left out. Raises BrokenTable."""
    found = _records(body)
    header = next(found, b"")
    names = _cells(header)
    if missing := [records.CDF[name] for name in _TOLD_BY if records.CDF[name] not in names]:
        raise BrokenTable(f"column {', '.join(missing)} is missing: nobody can tell who is a person")
    if is_doubtful(header):
        raise BrokenTable("what may be a record stands among the names of columns")
    yield header
    for record in found:
        if not (is_doubtful(record) and _is_person(names, record)):
            yield record


def _is_person(names: list[str], record: bytes) -> bool:
    """A record that has not one cell for every column stays out as well: nobody can tell."""
    cells = _cells(record)
    if len(cells) != len(names):
        return True
    told = dict(zip(names, cells, strict=True))
    return is_person({name: told[records.CDF[name]].strip() or None for name in _TOLD_BY}, record)


def _cells(record: bytes) -> list[str]:
    text = record.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").rstrip("\r\n")
    try:
        return next(csv.reader([text]), [])
    except csv.Error:  # a cell past csv's limit: too short to tell
        return []


def _records(body: BinaryIO) -> Iterator[bytes]:
    """Whole records, their line ends with them."""
    open_record, quotes = b"", 0
    for line in _lines(body):
        open_record += line
        quotes += line.count(_QUOTE)
        if quotes % 2 == 0:
            yield open_record
            open_record, quotes = b"", 0
        elif len(open_record) > LONGEST:
            raise BrokenTable(f"a record of more than {LONGEST} bytes: a quote is not closed")
    if open_record:
        raise BrokenTable("cut off within a record")


def _lines(body: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while more := body.read(_BLOCK):
        *lines, rest = (rest + more).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if len(rest) > LONGEST:
            raise BrokenTable(f"a line of more than {LONGEST} bytes")
    if rest:
        yield rest
