"""Dataset no.euronext: which shares trade in Oslo, from Euronext's list of equities (docs/formats/no.md 9).

Belongs here: the declaration, reading, fetching, and the shared listings and ISINs. Only the listing of an equity
is taken; prices are licensed and left out. Names are short and upper case; `Jurisdiction.links` finds the company.
Does not belong here: other exchanges.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import polars as pl
from stdnum import isin as isin_number

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import (
    NOT_A_COMPANY,
    ArchiveMember,
    Batch,
    Cursor,
    FetchedFile,
    NotApplicable,
    RecognisedFile,
    Scope,
)
from connectors.kit import staging
from connectors.kit.csv.encoding import repair_to_utf8
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from warehouse.schema.tables import IDENTIFIERS, LISTINGS
from warehouse.schema.types import Column, ColumnKind, Table

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

KEY: Final = "no.euronext"
HOST: Final = "live.euronext.com"
URL: Final = f"https://{HOST}/pd_es/data/stocks/download?mics=XOSL%2CMERK%2CXOAS"
_T: Final = ColumnKind.TEXT

SHARES: Final = Table(
    "no_euronext",
    "Equities on the markets of Oslo.",
    ("ISIN",),
    (
        Column("ISIN", _T, "of the share", nullable=False),
        Column("Name", _T, "short name, upper case"),
        Column("Symbol", _T, "ticker"),
        Column("Market", _T, "markets, as the list spells them", nullable=False),
        Column("mic", _T, "ISO 10383 of the market; of several the main one", nullable=False),
        Column("Currency", _T, "of trading"),
    ),
)
# In order of importance; NewsWeb writes XOAX for Expand.
MARKETS: Final = {"oslo børs": "XOSL", "euronext expand oslo": "XOAS", "euronext growth oslo": "MERK"}
LEVELS: Final = {"XOSL": "regulated", "XOAS": "regulated", "MERK": "growth"}
_IGNORED: Final = frozenset(
    {
        "open price",
        "high price",
        "low price",
        "last price",
        "last trade mic time",
        "time zone",
        "volume",
        "turnover",
        "closing price",
        "closing price datetime",
    }
)
_ISIN: Final = re.compile(r"[A-Z]{2}[A-Z0-9]{9}[0-9]")
_LIMIT: Final = 16 << 20


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the list; only a fetch knows which markets were requested, so it is a part."""
    del name
    found = detect_body_format(plain_head(head))
    if found is BodyFormat.ZIP:
        return NotApplicable("workbook: the same list as the CSV, which is read instead")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `no_euronext`."""
    with staging.open_plain(member) as body:
        text, repaired = repair_to_utf8(body.read(_LIMIT).removeprefix(codecs.BOM_UTF8))
    # three preamble lines follow the header; every row contains a separator
    lines = [line for line in text.decode().splitlines() if ";" in line]
    header, *rows = map(_split_cells, lines) if lines else [[]]
    places = {name.strip().casefold(): place for place, name in enumerate(header)}
    missing = [name for name in ("Name", "ISIN", "Symbol", "Market") if name.casefold() not in places]
    if missing:
        raise member.unreadable_error(f"no list of equities: column {', '.join(missing)} is missing")
    work = _ShareRows(member.dataset, places, len(header))
    for number, row in enumerate(rows, start=2):
        work.take(number, row)
    for line in repaired:
        work.batch.tally.add("encoding_fallback", "line", f"line {line}")
    for name in places.keys() - _IGNORED - {column.casefold() for column in SHARES.names}:
        work.batch.tally.add("unknown_column", name or "(no name)", count=max(len(rows), 1))
    yield work.batch.build(SHARES, work.rows.values())


def _split_cells(line: str) -> list[str]:
    """Splits one line on its own: a misplaced quote spoils only its line, which then has too few cells."""
    try:
        return next(csv.reader([line], delimiter=";", strict=True), [])
    except csv.Error:
        return [line]


class _ShareRows:
    """Rows of the list, one per ISIN."""

    def __init__(self, dataset: str, places: dict[str, int], width: int) -> None:
        self.batch = staging.BatchBuilder(dataset)
        self.rows: dict[str, dict[str, str | None]] = {}
        self._places = places
        self._width = width  # larger than the number of names if a column occurs twice

    def take(self, number: int, cells: list[str]) -> None:
        if len(cells) != self._width:
            self.batch.reject(number, f"expected {self._width} fields, found {len(cells)}", cells)
            return
        row = {name: self._cell_text(cells, name) for name in ("ISIN", "Name", "Symbol", "Market", "Currency")}
        isin, market = row["ISIN"] or "", row["Market"] or ""
        mic = next((mic for word, mic in MARKETS.items() if word in market.casefold()), None)
        if not _ISIN.fullmatch(isin):
            self.batch.reject(number, f"ISIN {isin!r} is none", cells)
        elif mic is None:
            self.batch.tally.add("unknown_code", f"Market {market}", isin)
            self.batch.reject(isin, f"{NOT_A_COMPANY}: not on a market of Oslo", cells)
        elif self.rows.setdefault(isin, {**row, "mic": mic}) != {**row, "mic": mic}:
            self.batch.reject(isin, "repeated with other values", cells)
        elif not isin_number.is_valid(isin):
            self.batch.tally.add("wrong_check_digit", "ISIN", isin)

    def _cell_text(self, cells: list[str], name: str) -> str | None:
        place = self._places.get(name.casefold())
        return None if place is None else cells[place].strip() or None


def fetch_equities(http: HttpClient, _cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Downloads the whole list, once a day."""
    answer = http.get(URL, expect={BodyFormat.TEXT})
    yield answer.to_fetched_file("euronext_equities.csv", Scope.FULL)


def map_listings(shares: pl.LazyFrame) -> pl.DataFrame:
    """Shared listings; the listing of a share that left the complete list ends on that day."""
    rows = shares.select(
        *staging.ORIGIN,
        pl.lit(KEY).alias("register"),
        pl.col("ISIN").alias("native_id"),
        pl.col("mic").alias("exchange_mic"),
        pl.col("Symbol").alias("ticker"),
        pl.col("ISIN").alias("isin"),
        pl.col("mic").replace_strict(LEVELS, return_dtype=pl.String).alias("level"),
        pl.col("_retired_at").dt.date().alias("ended_on"),
    )
    return staging.complete_columns(rows, LISTINGS).collect()


def map_identifiers(shares: pl.LazyFrame) -> pl.DataFrame:
    """The ISINs of listed shares."""
    rows = shares.filter(pl.col("_retired_at").is_null()).select(
        *staging.ORIGIN, scheme=pl.lit("isin"), value="ISIN", register=pl.lit(KEY)
    )
    return staging.complete_columns(rows, IDENTIFIERS).collect()


DATASET: Final = Dataset(
    key=KEY,
    title="Euronext: equities on the markets of Oslo",
    licence=Licence(
        name="market data: the listed flag only", url="https://live.euronext.com", attribution="Source: Euronext"
    ),
    cadence=Cadence(cron="0 19 * * 1-5", stale_after_hours=24 * 6),
    guard_limits=GuardLimits(max_shrink=0.10, max_rejected=0.05),
    host=HOST,
    staged_tables={SHARES.name: SHARES},
    file_patterns=("euronext/**", "**/Euronext_Equities*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch_equities,
)
