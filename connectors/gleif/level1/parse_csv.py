"""The golden copy as CSV: 338 columns identified by name, records without persons (docs/formats/news.md 3.1).

Belongs here: the columns, recognising such a file by its header, and removing lines of persons. A record may
contain line ends inside quotes, so records are cut where the quotes are balanced. Does not belong here: the
other formats (`parse`), or the content of a record.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from typing import BinaryIO, Final

from connectors.gleif.level1 import schema
from connectors.gleif.level1.redact import is_person_record, is_possibly_personal
from connectors.kit.csv.reader import CsvFormat
from warehouse.schema.types import Table

LONGEST: Final = 4 << 20  # bytes of one record
_BLOCK: Final = 4 << 20
_QUOTE: Final = b'"'
_NEEDED: Final = ("LEI", f"{schema.AUTHORITY}ID", "Registration.RegistrationStatus")
_TOLD_BY: Final = ("category", "registered_at", "registered_as", "jurisdiction")  # columns read
_TABLE: Final = Table("gleif_csv", "Columns of the golden copy that are read.", ("lei",), schema.COLUMNS)
LAYOUT: Final = CsvFormat(
    table=_TABLE,
    mandatory=("lei", "legal_name", "registered_at", "registered_as", "jurisdiction", "registration_status"),
    key="lei",
    aliases={name: column for column, name in schema.CDF.items()},
    ignored_prefixes=("Entity.", "Registration.", "Extension", "ConformityFlag"),
)


class MalformedCsvError(Exception):
    """A table with an unfinished record, or without the columns that identify persons; the message says which."""


def is_golden_copy_header(head: bytes) -> bool:
    """True if a body begins with the column names of the golden copy."""
    return set(_NEEDED) <= set(_parse_cells(head.partition(b"\n")[0]))


def redact_csv_persons(body: BinaryIO) -> Generator[bytes, None, None]:
    """The lines of a table without those of persons. Raises BrokenTableError."""
    found = _split_records(body)
    header = next(found, b"")
    names = _parse_cells(header)
    if missing := [schema.CDF[name] for name in _TOLD_BY if schema.CDF[name] not in names]:
        raise MalformedCsvError(f"column {', '.join(missing)} is missing: persons cannot be recognised")
    if is_possibly_personal(header):
        raise MalformedCsvError("text among the column names that may be a record")
    yield header
    for record in found:
        if not (is_possibly_personal(record) and _is_person_line(names, record)):
            yield record


def _is_person_line(names: list[str], record: bytes) -> bool:
    """True if the record is a person's; also if it has not one cell per column, as it cannot be checked."""
    cells = _parse_cells(record)
    if len(cells) != len(names):
        return True
    told = dict(zip(names, cells, strict=True))
    return is_person_record({name: told[schema.CDF[name]].strip() or None for name in _TOLD_BY}, record)


def _parse_cells(record: bytes) -> list[str]:
    text = record.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").rstrip("\r\n")
    try:
        return next(csv.reader([text]), [])
    except csv.Error:  # a cell above csv's limit; the empty list makes the record be dropped
        return []


def _split_records(body: BinaryIO) -> Iterator[bytes]:
    """Whole records, including their line ends."""
    open_record, quotes = b"", 0
    for line in _split_lines(body):
        open_record += line
        quotes += line.count(_QUOTE)
        if quotes % 2 == 0:
            yield open_record
            open_record, quotes = b"", 0
        elif len(open_record) > LONGEST:
            raise MalformedCsvError(f"a record of more than {LONGEST} bytes: a quote is not closed")
    if open_record:
        raise MalformedCsvError("cut off within a record")


def _split_lines(body: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while more := body.read(_BLOCK):
        *lines, rest = (rest + more).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if len(rest) > LONGEST:
            raise MalformedCsvError(f"a line of more than {LONGEST} bytes")
    if rest:
        yield rest
