"""Dataset us.tickers: the SEC's list of symbols and exchanges (docs/formats/us.md 3).

Belongs here: the declaration, reading and fetching the list. A symbol that leaves the list is a hint, not the
end of a company. Does not belong here: which companies are listed (`profile.companies`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

import msgspec
import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, PresentRows
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter, present_rows
from connectors.us.register import FILES_HOST, FILES_URL, LICENCE, central_index_key
from connectors.us.sec_http import error_body_reason, fetch_existing_file
from connectors.us.submissions.rows import EXCHANGES
from connectors.us.submissions.structs import scalar_text
from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "us.tickers"
LIST_URL: Final = f"{FILES_URL}/files/company_tickers_exchange.json"
LIST_NAME: Final = "company_tickers_exchange.json"
FIELDS: Final = ("cik", "name", "ticker", "exchange")
_LARGEST: Final = 64 << 20
# company_tickers.json: an object whose keys are row numbers; some copies keep the rows alone
_PLAIN: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:\}|\"\d+\"\s*:)|\[)")
_LEFT: Final = {
    "ticker.txt": "the same symbols without name and exchange: company_tickers_exchange.json is read",
    "company_tickers_mf.json": "share classes of funds: no companies",
    "cik-lookup-data": "every name that any filer ever had, individuals among them: submissions have names by day",
}

TICKERS: Final = Table(
    "us_ticker",
    "Symbols of filers with their exchanges.",
    ("cik", "ticker"),
    (
        Column("cik", ColumnKind.TEXT, "ten digits", nullable=False),
        Column("ticker", ColumnKind.TEXT, "symbol, with - before a class", nullable=False),
        Column("name", ColumnKind.TEXT, "the filer's name"),
        Column("exchange", ColumnKind.TEXT, "Nasdaq, NYSE, CBOE, OTC; null where not stated"),
    ),
)
# A table of its own, so that a list without exchanges never empties those of the other
PLAIN_TICKERS: Final = Table(
    "us_ticker_plain",
    "Symbols of filers from the list without exchanges.",
    ("cik", "ticker"),
    (
        Column("cik", ColumnKind.TEXT, "ten digits", nullable=False),
        Column("ticker", ColumnKind.TEXT, "symbol, with - before a class", nullable=False),
        Column("name", ColumnKind.TEXT, "the filer's name"),
    ),
)


def present_symbols(present: PresentRows) -> pl.LazyFrame:
    """Symbols with their exchanges, and those of filers that only the list without exchanges has.

    Neither list states its day, and copies of the second are old: it renames no filer of the first, adds no symbol to
    one, and gives nobody a symbol that the first gives to another filer.
    """
    listed = present_rows(present, TICKERS)
    taken = listed.filter(pl.col("_retired_at").is_null())
    plain = present_rows(present, PLAIN_TICKERS).join(listed, on="cik", how="anti").join(taken, on="ticker", how="anti")
    return pl.concat(
        [listed, plain.with_columns(exchange=pl.lit(None, pl.String)).select(listed.collect_schema().names())]
    )


class _PlainEntry(msgspec.Struct):
    cik_str: int | str
    ticker: str | None = None
    title: str | None = None


class _TickerList(msgspec.Struct):
    fields: list[str]
    data: list[list[Any]]


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the lists of symbols, with exchanges or without; rejects the other lists with a reason."""
    file = PurePosixPath(name).name
    for beginning, reason in _LEFT.items():
        if file.startswith(beginning):
            return NotApplicable(reason)
    said = error_body_reason(head)
    return RecognisedFile(None, Scope.PART) if said is None else NotApplicable(said)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """One batch of `us_ticker`, or of `us_ticker_plain`."""
    with staging.open_plain(member) as stream:
        body = stream.read(_LARGEST)
    with staging.unreadable_on(member, MALFORMED, 'due is {"fields": […], "data": [[…]]} or {"0": {"cik_str": …}}'):
        listed = _decode_list(body)
    table = PLAIN_TICKERS if _PLAIN.match(body) else TICKERS
    missing = sorted(set(FIELDS) - set(listed.fields))
    if missing:
        raise member.unreadable_error(f"the list has no field {', '.join(missing)}")
    batch = staging.BatchBuilder(member.dataset)
    for field in sorted(set(listed.fields) - set(FIELDS)):
        batch.tally.add("unknown_column", field, member.name)
    places = [listed.fields.index(field) for field in FIELDS]
    rows: dict[tuple[str, str], dict[str, str | None]] = {}
    for number, values in enumerate(listed.data, 1):
        row = _ticker_row([values[place] if place < len(values) else None for place in places], batch.tally)
        if row is None:
            batch.reject(number, "a symbol without CIK or text", values)
        else:
            known = rows.setdefault((str(row["cik"]), str(row["ticker"])), row)
            if known["exchange"] != row["exchange"]:
                batch.tally.add("several_exchanges", str(row["ticker"]), row["cik"])
                known["exchange"] = None  # nothing says which of them it is
    yield batch.build(table, [{name: row[name] for name in table.names} for row in rows.values()])


def _decode_list(body: bytes) -> _TickerList:
    """Either list. The one without exchanges is an object of objects under meaningless numbers, or their list."""
    body = body.removeprefix(codecs.BOM_UTF8)
    if not _PLAIN.match(body):
        return msgspec.json.decode(body, type=_TickerList)
    listed = msgspec.json.decode(body, type=dict[str, _PlainEntry] | list[_PlainEntry])
    entries = listed if isinstance(listed, list) else listed.values()
    return _TickerList(list(FIELDS), [[one.cik_str, one.title, one.ticker, None] for one in entries])


def _ticker_row(values: list[Any], tally: SignalCounter) -> dict[str, str | None] | None:
    cik = central_index_key(values[0]) if isinstance(values[0], int | str) else None
    name, ticker, exchange = (scalar_text(value) if isinstance(value, str) else None for value in values[1:])
    if cik is None or ticker is None:
        return None
    if exchange is not None and exchange not in EXCHANGES:
        tally.add("unknown_code", f"exchange {exchange}", cik)
    return {"cik": cik, "ticker": ticker, "name": name, "exchange": exchange}


DATASET: Final = Dataset(
    key=KEY,
    title="EDGAR: symbols and exchanges",
    licence=LICENCE,
    cadence=Cadence(cron="0 10 * * *", stale_after_hours=96),
    guard_limits=GuardLimits(
        max_shrink=0.2, max_rejected=0.01
    ),  # symbols come and go; a company does not disappear with its symbol
    host=FILES_HOST,
    staged_tables={TICKERS.name: TICKERS, PLAIN_TICKERS.name: PLAIN_TICKERS},
    file_patterns=("company_list/**", "company_tickers*", "ticker.txt", "cik-lookup-data*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=partial(fetch_existing_file, ConditionalFile(LIST_URL, LIST_NAME, {BodyFormat.JSON}, Scope.FULL)),
)
