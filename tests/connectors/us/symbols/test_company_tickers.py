"""The lists of symbols, with exchanges and without (docs/formats/us.md 3)."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, RecognisedFile, Scope
from connectors.us.symbols import company_tickers
from tests.connectors.us.holder_files import rows

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


def test_list_without_exchanges_takes_no_exchange_from_the_other() -> None:
    batches = [*read(EXCHANGES, "company_tickers_exchange.json"), *read(PLAIN, "company_tickers.json")]
    instant = pl.Datetime("us", "UTC")
    meta = (
        pl.lit("firm:US:US0000000042").alias("_company_id"),
        pl.lit(NOW, instant).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    )
    present = {batch.table: batch.rows.with_columns(meta).lazy() for batch in batches}
    found = company_tickers.present_symbols(present).sort("cik").select("cik", "ticker", "exchange").collect()
    assert found.rows() == [("0000000042", "EXM", "NYSE"), ("0000000043", "OTH", None)]


def test_list_without_entries_is_an_empty_list() -> None:
    assert rows(read({}, "company_tickers.json"), "us_ticker_plain") == []
