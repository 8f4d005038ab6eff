"""The lists of symbols, with exchanges and without (docs/formats/us.md 3)."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, RecognisedFile, Scope
from connectors.us.symbols import company_tickers
from tests.connectors.us.holder_files import reasons, rows, signals

NOW = datetime(2026, 11, 20, tzinfo=UTC)
PLAIN = {
    "0": {"cik_str": 42, "ticker": "EXM", "title": "EXAMPLE CORP"},
    "1": {"cik_str": 43, "ticker": "OTH", "title": "OTHER CORP"},
}
EXCHANGES = {"fields": ["cik", "name", "ticker", "exchange"], "data": [[42, "Example Corp", "EXM", "NYSE"]]}


def read(body: Any, name: str) -> list[Any]:
    content = json.dumps(body).encode()
    assert isinstance(company_tickers.recognise_file(name, content), RecognisedFile)
    member = ArchiveMember(company_tickers.KEY, name, "0" * 64, NOW, Scope.PART, "b", lambda: io.BytesIO(content))
    return list(company_tickers.read_batches(member))


def test_list_without_exchanges_is_read() -> None:
    found = rows(read(PLAIN, "us/company_list/company_tickers.json"), "us_ticker_plain")
    assert [(row["cik"], row["ticker"], row["name"]) for row in found] == [
        ("0000000042", "EXM", "EXAMPLE CORP"),
        ("0000000043", "OTH", "OTHER CORP"),
    ]


def test_rows_of_the_list_without_their_numbers_are_read() -> None:
    found = rows(read(list(PLAIN.values()), "us/company_list/company_tickers.json"), "us_ticker_plain")
    assert [(row["cik"], row["ticker"]) for row in found] == [("0000000042", "EXM"), ("0000000043", "OTH")]


def symbols(*batches: Any) -> list[tuple[str, str, str, str | None]]:
    """The symbols of several lists."""
    instant = pl.Datetime("us", "UTC")
    meta = (
        pl.lit("firm:US:US0000000042").alias("_company_id"),
        pl.lit(NOW, instant).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    )
    present = {batch.table: batch.rows.with_columns(meta).lazy() for batch in batches}
    found = company_tickers.present_symbols(present).sort("cik", "ticker")
    return found.select("cik", "ticker", "name", "exchange").collect().rows()


def test_list_without_exchanges_takes_no_exchange_from_the_other() -> None:
    batches = [*read(EXCHANGES, "company_tickers_exchange.json"), *read(PLAIN, "company_tickers.json")]
    assert symbols(*batches) == [
        ("0000000042", "EXM", "Example Corp", "NYSE"),
        ("0000000043", "OTH", "OTHER CORP", None),
    ]


def test_present_symbols_older_list_renames_no_filer_of_the_other() -> None:
    older = {"0": {"cik_str": 42, "ticker": "AAA", "title": "FORMER NAME CORP"}}
    batches = [*read(EXCHANGES, "company_tickers_exchange.json"), *read(older, "company_tickers.json")]
    assert symbols(*batches) == [("0000000042", "EXM", "Example Corp", "NYSE")]


def test_present_symbols_symbol_that_the_other_list_gives_to_a_successor_is_his() -> None:
    older = {
        "0": {"cik_str": 41, "ticker": "EXM", "title": "PREDECESSOR CORP"},
        "1": {"cik_str": 43, "ticker": "OTH", "title": "OTHER CORP"},
    }
    batches = [*read(EXCHANGES, "company_tickers_exchange.json"), *read(older, "company_tickers.json")]
    assert symbols(*batches) == [
        ("0000000042", "EXM", "Example Corp", "NYSE"),
        ("0000000043", "OTH", "OTHER CORP", None),
    ]


def test_a_symbol_on_two_exchanges_is_on_an_unknown_one() -> None:
    twice = [
        [42, "Example Corp", "EXM", "NYSE"],
        [42, "Example Corp", "EXM", "OTC"],
        [42, "Example Corp", "EXM", "NYSE"],
    ]
    batches = read({**EXCHANGES, "data": twice}, "company_tickers_exchange.json")
    assert symbols(*batches) == [("0000000042", "EXM", "Example Corp", None)]
    assert ("several_exchanges", "EXM") in signals(batches)


def test_words_that_stand_for_nothing_are_nothing() -> None:
    entries = [[42, "N/A", "EXM", "null"], [43, "Other Corp", "N/A", "NYSE"]]
    batches = read({**EXCHANGES, "data": entries}, "company_tickers_exchange.json")
    assert symbols(*batches) == [("0000000042", "EXM", None, None)]
    assert reasons(batches) == ["a symbol without CIK or text"]


def test_list_without_entries_is_an_empty_list() -> None:
    assert rows(read({}, "company_tickers.json"), "us_ticker_plain") == []
