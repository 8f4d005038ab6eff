"""Dataset us.symdir: securities traded on US exchanges, by Nasdaq Trader.

See docs/formats/news.md 3.5.

Belongs here: the declaration, the two files, rows without test issues and funds, the shared listings. A file's
last line gives its creation time, and mirrors serve HTML pages under its name. Does not belong here: the
company of a symbol (linked through the SEC's list), or the meaning of a financial status for its issuer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.http.errors import UnexpectedBodyError
from warehouse.schema.tables import LISTINGS
from warehouse.schema.types import Column, ColumnKind, Subject, Table

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient


KEY: Final = "us.symdir"
TICKER: Final = "ticker"
_T: Final = ColumnKind.TEXT
_COLUMNS: Final = (
    Column("symbol", _T, "as the directory writes it: BRK.B", nullable=False),
    Column(TICKER, _T, "as the SEC writes it: BRK-B", nullable=False),
    Column("name", _T, "security, with its class"),
    Column("mic", _T, "venue, ISO 10383; null for a code that is not known"),
    Column("status", _T, "financial status: N normal, D deficient, E delinquent, …"),
)
NASDAQ: Final = Table(
    "us_nasdaq_symbol",
    "Shares on Nasdaq; no test issues, no funds.",
    ("symbol",),
    _COLUMNS,
    subjects=(Subject(names=("name",)),),
)
OTHERS: Final = Table(
    "us_other_symbol",
    "Shares on other exchanges; no test issues, no funds.",
    ("symbol",),
    _COLUMNS,
    subjects=(Subject(names=("name",)),),
)
EXCHANGES: Final = {"A": "XASE", "N": "XNYS", "P": "ARCX", "Z": "BATS", "V": "IEXG"}
MARKETS: Final = ("Q", "G", "S")  # Global Select, Global Market, Capital Market: all of Nasdaq
_SUFFIXES: Final = {"W": "WT", "WS": "WT", "U": "UN", "R": "RI"}  # warrants, units, rights
NASDAQ_MIC: Final = "XNAS"
STATUSES: Final = ("N", "D", "E", "Q", "G", "H", "J", "K")


HOST: Final = "www.nasdaqtrader.com"
FILES: Final = ("nasdaqlisted.txt", "otherlisted.txt")
_TAIL: Final = 200
_LARGEST: Final = 32 << 20
_TRAILER: Final = "File Creation Time:"
_NASDAQ: Final = ("Symbol", "Security Name", "Market Category", "Test Issue", "Financial Status", "ETF")
_OTHERS: Final = ("ACT Symbol", "Security Name", "Exchange", "ETF", "Test Issue")
_LEFT: Final = ("Round Lot Size", "NextShares", "CQS Symbol", "NASDAQ Symbol")

Row = dict[str, str | None]


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the two files by their first line: mirrors serve HTML pages under the same name."""
    found = detect_body_format(head)
    if found is not BodyFormat.TEXT:
        return NotApplicable(f"expected the symbol directory (text, fields between bars), found {found.value}")
    if _required_columns(head.partition(b"\n")[0].decode("ascii", errors="replace")) is None:
        return NotApplicable("a text whose first line does not name the directory's columns")
    return RecognisedFile(None, Scope.FULL)


def _required_columns(line: str) -> tuple[str, ...] | None:
    """The columns of the file that a first line belongs to."""
    cells = set(_split_cells(line))
    return next((due for due in (_NASDAQ, _OTHERS) if cells.issuperset(due)), None)


def _split_cells(line: str) -> list[str]:
    return line.strip().split("|")  # nothing is quoted in it


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """One batch of the table of its file."""
    with staging.open_plain(member) as body:
        text = body.read(_LARGEST + 1)
    if len(text) > _LARGEST or detect_body_format(text[:1024]) is not BodyFormat.TEXT:
        raise member.unreadable_error("not a symbol directory: expected text of at most 32 MiB")
    lines = text.decode("ascii", errors="replace").splitlines()
    due = _required_columns(lines[0]) if lines else None
    if due is None:
        raise member.unreadable_error("the first line does not name the directory's columns")
    work = _DirectoryReader(member, _split_cells(lines[0]), due)
    for number, line in enumerate(lines[1:], 2):
        work.take(number, line)
    if not work.is_whole and member.scope is Scope.FULL:
        due = f"no line «{_TRAILER}» at its end: it may be truncated; missing listings would be ended"
        raise member.unreadable_error(due)
    if not work.is_whole:
        work.tally.add("no_creation_time", "last line", member.name)
    yield work.build(work.table, work.rows.values())


class _DirectoryReader(staging.BatchBuilder):
    """Collects the rows of one of the two files, one per symbol."""

    def __init__(self, piece: ArchiveMember, header: list[str], due: tuple[str, ...]) -> None:
        super().__init__(piece.dataset)
        self.is_whole = False  # whether its last line was seen
        self.table: Table = NASDAQ if due is _NASDAQ else OTHERS
        self.rows: dict[str, Row] = {}
        self._header = header
        for name in set(header) - {*due, *_LEFT}:
            self.tally.add("unknown_column", name or "(no name)", piece.name)

    def take(self, number: int, line: str) -> None:
        if line.startswith(_TRAILER):
            self.is_whole = True
            return
        cells = _split_cells(line)
        if not any(cells):
            return
        if len(cells) != len(self._header):
            self.reject(number, f"expected {len(self._header)} fields, found {len(cells)}", line)
            return
        said = dict(zip(self._header, (cell.strip() for cell in cells), strict=True))
        if "Y" in (said["Test Issue"], said["ETF"]):
            return
        row = self._nasdaq_row(said) if self.table is NASDAQ else self._other_row(said)
        if row["symbol"]:
            self.rows[row["symbol"]] = row
        else:
            self.reject(number, "no symbol", line)

    def _nasdaq_row(self, said: dict[str, str]) -> Row:
        symbol, status = said["Symbol"], said["Financial Status"] or None
        if said["Market Category"] not in MARKETS:
            self.tally.add("unknown_code", f"Market Category {said['Market Category']}", symbol)
        if status not in (None, *STATUSES):
            self.tally.add("unknown_code", f"Financial Status {status}", symbol)
        return _symbol_row(symbol, said["Security Name"], NASDAQ_MIC, status)

    def _other_row(self, said: dict[str, str]) -> Row:
        symbol, mic = said["ACT Symbol"], EXCHANGES.get(said["Exchange"])
        if mic is None:
            self.tally.add("unknown_code", f"Exchange {said['Exchange']}", symbol)
        return _symbol_row(symbol, said["Security Name"], mic, None)


def _symbol_row(symbol: str, name: str, mic: str | None, status: str | None) -> Row:
    return {"symbol": symbol, TICKER: sec_symbol(symbol), "name": name or None, "mic": mic, "status": status}


def sec_symbol(symbol: str) -> str:
    """A symbol in the SEC's spelling: BRK.B is BRK-B there, the preferred ABR$D ABR-PD, the warrant ACHR.W ACHR-WT."""
    root, point, suffix = symbol.partition(".")
    return root.replace("$", "-P") + ("-" if point else "") + _SUFFIXES.get(suffix, suffix).replace(".", "-")


def fetch(http: HttpClient, _cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches both files; one without its last line is truncated and rejected."""
    for name in FILES:
        answer = http.get(f"https://{HOST}/dynamic/SymDir/{name}", expect={BodyFormat.TEXT})
        if _TRAILER.encode() not in answer.read()[-_TAIL:]:
            raise UnexpectedBodyError(answer.url, answer.status, f"no line «{_TRAILER}» at its end: it is cut off")
        yield answer.to_fetched_file(name, Scope.FULL)


def map_listings(nasdaq: pl.LazyFrame, others: pl.LazyFrame) -> pl.DataFrame:
    """Symbols on exchanges; one that left its file ended on that day."""
    rows = pl.concat([nasdaq, others]).filter(pl.col("_company_id").is_not_null(), pl.col("mic").is_not_null())
    found = rows.select(
        *staging.ORIGIN,
        pl.lit(KEY).alias("register"),
        pl.concat_str("mic", "symbol", separator=":").alias("native_id"),
        pl.col("mic").alias("exchange_mic"),
        pl.col(TICKER).alias("ticker"),
        pl.lit("regulated").alias("level"),
        pl.col("_retired_at").dt.date().alias("ended_on"),
    )
    return staging.complete_columns(found, LISTINGS).sort(LISTINGS.key).collect()


DATASET: Final = Dataset(
    key=KEY,
    title="Nasdaq Trader: symbol directory",
    licence=Licence(
        name="market data: the listed flag only",
        url="https://www.nasdaqtrader.com",
        attribution="Source: Nasdaq Trader",
    ),
    cadence=Cadence(cron="30 11 * * 1-5", stale_after_hours=24 * 6),
    guard_limits=GuardLimits(max_shrink=0.1, max_rejected=0.01),
    host=HOST,
    staged_tables={NASDAQ.name: NASDAQ, OTHERS.name: OTHERS},
    file_patterns=("nasdaq_symdir/**", "symdir/**", "nasdaqlisted*", "otherlisted*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch,
)
