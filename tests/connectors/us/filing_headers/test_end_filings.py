"""The filings that tell how a filer ended: asked for whole, once, and read for classes and words."""

import io
from collections.abc import Iterator
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.kit import staging
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.retry import RetryPolicy
from connectors.us.filing_headers import dataset as filing_headers_dataset
from connectors.us.filing_headers import fetch as filing_headers_fetch
from connectors.us.filing_headers import form8k
from connectors.us.filing_headers import schema as r
from connectors.us.submissions import schema as f
from tests.answering import Quiet, answering
from tests.tables import check_cases

NUMBER = "0000000001-26-000001"
CERTIFICATE = "Item 8.01 Other Events. On July 1 the Company filed a\n<b>Certificate&nbsp;of\n Dissolution</b>."


@check_cases(
    ("text", "items", "expected"),
    [
        (CERTIFICATE, ["8.01"], r.DISSOLUTION),
        (CERTIFICATE, ["5.03", "9.01"], r.DISSOLUTION),
        (CERTIFICATE, ["2.02"], None),
        ("Other events", ["8.01"], None),
        ("The Court confirmed the Debtors' Plan of Liquidation.", ["1.03"], r.LIQUIDATION),
        ("a voluntary petition for relief under Chapter 7 of title 11", ["1.03", "2.04"], r.LIQUIDATION),
        ("petitions for relief under chapter 11; chapter 7 is not intended", ["1.03"], None),
        ("the Plan of Liquidation", ["8.01"], None),
        ("<" * 300_000, ["1.03"], None),
    ],
)
def test_words_of_an_end(text: str, items: list[str], expected: str | None) -> None:
    assert form8k.ending_kind(text, items) == expected


def report(form: str, item: str, text: str) -> bytes:
    return (
        f"<SEC-DOCUMENT>{NUMBER}.txt\n<SEC-HEADER>\nACCESSION NUMBER:\t\t{NUMBER}\n"
        f"CONFORMED SUBMISSION TYPE:\t{form}\nITEM INFORMATION:\t\t{item}\nFILED AS OF DATE:\t\t20260703\n"
        "FILER:\n\tCOMPANY DATA:\n\t\tCENTRAL INDEX KEY:\t\t\t0000000007\n</SEC-HEADER>\n"
        f"<DOCUMENT>\n<TYPE>{form}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
    ).encode()


def test_a_whole_report_says_it_of_its_filer() -> None:
    body = report("8-K", "Other Events", CERTIFICATE)
    piece = ArchiveMember(
        r.ENDINGS_KEY, "x.txt", "0" * 64, datetime(2026, 7, 4, tzinfo=UTC), Scope.PART, "b", lambda: io.BytesIO(body)
    )
    read = {batch.table: batch.rows.to_dicts() for batch in filing_headers_dataset.ENDINGS_DATASET.read_batches(piece)}
    assert read[r.WORDS.name] == [
        {r.ACCESSION: NUMBER, r.CIK: "0000000007", r.FILED: date(2026, 7, 3), r.SAYS: r.DISSOLUTION}
    ]
    assert read[r.HEADERS.name][0][r.ITEMS] == ["8.01"]


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def http(asked: list[str], tmp_path: Path) -> Iterator[HttpClient]:
    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_whole(200, report("8-K", "Other Events", CERTIFICATE))

    with answering(Handler) as url:
        settings = HttpSettings(
            "test", tmp_path, base_urls={"www.sec.gov": url}, default_rate=1e6, retry_policy=RetryPolicy(attempts=1)
        )
        with HttpClient(settings, FetchClock()) as client:
            yield client


def test_what_lists_name_is_asked_for_whole_and_once(asked: list[str], http: HttpClient) -> None:
    def row(number: int, form: str, cik: int = 7) -> dict[str, Any]:
        filed = date(2026, 7, number)
        return {f.CIK: f"{cik:010}", f.ACCESSION: f"0000000001-26-{number:06}", f.FORM: form, f.FILED: filed}

    given = [row(2, "15-12G"), row(1, "8-K"), row(1, "8-K", 8), row(1, "8-K")]
    listed = pl.DataFrame(given, schema=staging.staged_schema(f.ENDINGS))
    subjects = list(filing_headers_fetch.end_filings_to_fetch({f.ENDINGS.name: listed}))
    found = list(filing_headers_fetch.fetch_full_submissions(http, None, subjects))
    assert asked == [
        f"/Archives/edgar/data/7/00000000012600000{digit}/0000000001-26-00000{digit}.txt" for digit in (1, 2)
    ]
    assert list(filing_headers_fetch.fetch_full_submissions(http, found[-1].cursor, subjects)) == []
    assert list(filing_headers_fetch.end_filings_to_fetch({})) == []
