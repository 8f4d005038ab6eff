"""Dataset se.blankning: net short position files, used for issuer names and ISINs (docs/formats/se.md 8.2).

Belongs here: the declaration, recognising files, streaming the spreadsheet's rows (43 MB of XML), rows to links.
Holders and positions stay in RAW.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import IO, Any, Final

import polars as pl
from lxml import etree

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.archive.bounded_stream import DECODER_ERRORS, make_seekable
from connectors.kit.archive.zip import ZipArchive, ZipInfo
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.xbrl.facts import parse_day
from connectors.se.finansinspektionen import issuers

_URL: Final = f"https://{issuers.SHORTS_HOST}/sv/vara-register/blankningsregistret/GetAktuellFile/"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ROW: Final = f"{_TABLE}table-row"
_CELLS: Final = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_REPEATED: Final = f"{_TABLE}number-columns-repeated"
_COLUMNS: Final = (
    ("namn på emittent", "name of the issuer", "name of issuer"),
    ("isin",),
    ("datum för positionen", "position date"),
)
_WIDTH: Final = 32  # cells read per row; the sheet is declared 16,384 wide
_LARGEST: Final = 1 << 30  # bytes of the sheet; it has 43 MB
_EPOCH: Final = date(1899, 12, 30)
_SERIAL: Final = re.compile(r"\d{5}")
_STAMP: Final = re.compile(r"(\d{4}-\d{2}-\d{2})\.ods$")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a spreadsheet by its bytes; its name may carry the day."""
    found = detect_body_format(head)
    if found is not BodyFormat.ZIP:
        return NotApplicable(f"expected a spreadsheet (ODS), found {found}")
    stamp = _STAMP.search(name)
    made = parse_day(stamp[1], is_end=False) if stamp else None
    return RecognisedFile(None if made is None else datetime.combine(made, time(), UTC), Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `se_blankning_emittent`."""
    batch = staging.BatchBuilder(member.dataset)
    with (
        staging.unreadable_on(member, _UNREADABLE, "no readable spreadsheet"),
        make_seekable(member.open(), 64 << 20) as stream,
        ZipArchive(stream) as archive,
        archive.open(_sheet_member(archive)) as sheet,
    ):
        links = list(_issuer_links(_read_rows(sheet), batch))
    schema: dict[str, Any] = {"emittent": pl.String, "isin": pl.String, "day": pl.Date}
    rows = pl.DataFrame(links, schema=schema, orient="row")
    found = rows.group_by("emittent", "isin", maintain_order=True).agg(
        first_day=pl.col("day").min(), last_day=pl.col("day").max()
    )
    yield batch.build(issuers.SHORTS_ISSUERS, found)


class _NotSpreadsheetError(Exception):
    """The zip does not contain the expected spreadsheet."""


_UNREADABLE: Final = (*DECODER_ERRORS, KeyError, etree.XMLSyntaxError, _NotSpreadsheetError)


def _sheet_member(archive: ZipArchive) -> ZipInfo:
    sheet = archive.getinfo("content.xml")
    if sheet.file_size > _LARGEST:
        raise _NotSpreadsheetError(f"the sheet unpacks to {sheet.file_size} bytes")
    return sheet


def _read_rows(sheet: IO[bytes]) -> Iterator[list[str]]:
    """Yields the cell texts of every row and frees parsed elements."""
    events = etree.iterparse(sheet, tag=_ROW, resolve_entities=False, no_network=True, huge_tree=True)
    for _, row in events:
        yield _row_cells(row)
        row.clear()
        parent = row.getparent()
        while parent is not None and row.getprevious() is not None:
            del parent[0]


def _row_cells(row: etree._Element) -> list[str]:
    cells: list[str] = []
    for cell in row.iterchildren(*_CELLS):
        text = " ".join("".join(part.itertext()) for part in cell.iterchildren(f"{_TEXT}p"))
        repeated = cell.get(_REPEATED, "1")
        cells += [" ".join(text.split())] * min(int(repeated) if repeated.isdecimal() else 1, _WIDTH)
        if len(cells) >= _WIDTH:
            break
    return cells


def _issuer_links(rows: Iterator[list[str]], batch: staging.BatchBuilder) -> Iterator[tuple[str, str, date]]:
    """Yields (issuer, ISIN, day) of every row below the header."""
    places: tuple[int, int, int] | None = None
    for number, cells in enumerate(rows, 1):
        if places is None:
            places = _header_positions(cells)
            continue
        if max(places) >= len(cells) or not any(cells):
            continue
        issuer, isin, when = (cells[place] for place in places)
        made = _parse_day(when)
        if not issuer or not issuers.is_isin(isin.upper()) or made is None:
            batch.reject(f"row {number}", "no issuer, no ISIN or no day", f"{issuer} {isin} {when}")
            continue
        yield issuer, isin.upper(), made
    if places is None:
        raise _NotSpreadsheetError("no line names the columns (Namn på emittent, ISIN, Datum för positionen)")


def _header_positions(cells: list[str]) -> tuple[int, int, int] | None:
    """Column positions of issuer, ISIN and day in a header row; the English name may follow the Swedish one."""
    names = [cell.casefold() for cell in cells]
    found = [next((at for at, name in enumerate(names) if name.startswith(due)), None) for due in _COLUMNS]
    issuer, isin, when = found
    return None if issuer is None or isin is None or when is None else (issuer, isin, when)


def _parse_day(text: str) -> date | None:
    """Date of a cell: 2025-12-20, or a spreadsheet day number in older files."""
    if _SERIAL.fullmatch(text):
        return _EPOCH + timedelta(days=int(text))
    return parse_day(text, is_end=False)


DATASET: Final = Dataset(
    key=issuers.SHORTS_KEY,
    title="Finansinspektionen: net short positions, issuers",
    licence=issuers.LICENCE,
    cadence=Cadence(cron="30 15 * * 1-5", stale_after_hours=24 * 6),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=issuers.SHORTS_HOST,
    staged_tables={issuers.SHORTS_ISSUERS.name: issuers.SHORTS_ISSUERS},
    file_patterns=("fi_blankningsregistret/**", "blankning/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=ConditionalFile(_URL, "AktuellaPositioner.ods", {BodyFormat.ZIP}, Scope.PART).fetch,
)
