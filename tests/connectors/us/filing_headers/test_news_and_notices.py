"""News and notices from filings, and how single filings are asked for.

See docs/formats/us.md 9, 12.6; docs/contract/contract.md 4.6.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import META_SCHEMA, Cursor, FetchedFile
from connectors.kit import staging
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError
from connectors.kit.http.retry import RetryPolicy
from connectors.us.feeds.pending_filings import FetchedFilings
from connectors.us.filing_headers import fetch as filing_headers_fetch
from connectors.us.filing_headers import news_and_notices
from connectors.us.filing_headers import schema as f
from connectors.us.sec_http import BlockedError
from connectors.us.submissions import schema as s
from tests.answering import Quiet, answering
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.tables import NEWS, NOTICES
from warehouse.schema.types import Table

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
NUMBER = "0000000001-26-000001"
ACCEPTED = datetime(2026, 11, 20, 21, 3, 43, tzinfo=UTC)
META_VALUES = {"_company_id": "firm:US:US0000000007", "_observed_at": NOW, "_raw": "ab", "_retired_at": None}


def frame(table: Table, *rows: dict[str, Any]) -> pl.LazyFrame:
    schema = {**staging.staged_schema(table), **META_SCHEMA}
    return pl.LazyFrame([dict.fromkeys(schema) | META_VALUES | row for row in rows], schema=schema, orient="row")


def header(**values: Any) -> dict[str, Any]:
    plain = {
        f.ACCESSION: NUMBER,
        f.CIK: "0000000007",
        f.ROLE: "FILER",
        f.FORM: "8-K",
        f.FILED: date(2026, 11, 20),
        f.ACCEPTED: ACCEPTED,
        f.ITEMS: ["9.01", "7.01", "2.02"],
        f.EXHIBITS: ["8-K", "EX-99.1"],
    }
    return plain | values


def filed(form: str, *items: str, **values: Any) -> dict[str, Any]:
    plain = {s.CIK: "0000000007", s.ACCESSION: NUMBER, s.FORM: form, s.FILED: date(2026, 11, 20)}
    return plain | {s.ITEMS: list(items)} | values


def news(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    found = news_and_notices.map_news(frame(f.HEADERS, *rows))
    assert not schema_render.find_violations(NEWS, found, date(2026, 11, 21))
    return found.to_dicts()


def notices(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    found = news_and_notices.map_notices(frame(s.FILED_TABLE, *rows))
    assert not schema_render.find_violations(NOTICES, found, date(2026, 11, 21))
    return found.to_dicts()


def test_an_8k_with_a_press_release_is_news_under_its_items() -> None:
    (item,) = news(header())
    assert item == {
        "company_id": "firm:US:US0000000007",
        "news_id": item["news_id"],
        "title": "Results of Operations and Financial Condition; Regulation FD Disclosure",
        "summary": None,
        "url": f"https://www.sec.gov/Archives/edgar/data/7/000000000126000001/{NUMBER}-index.html",
        "publisher": "SEC EDGAR",
        "language": "en",
        "published_at": ACCEPTED,
        "categories": ["earnings", "disclosure"],
        "native_id": NUMBER,
        "supersedes": None,
        "told_by": [f"us.headers:{NUMBER}"],
        "register": "us.headers",
        "raw": "ab",
        "observed_at": NOW,
    }
    assert item["news_id"].startswith("nws_")


def test_a_6k_with_a_press_release_is_news_and_without_acceptance_its_day_is_told() -> None:
    (item,) = news(header(**{f.FORM: "6-K", f.ITEMS: [], f.ACCEPTED: None}))
    assert (item["title"], item["categories"]) == ("Report of a foreign private issuer", ["other"])
    assert item["published_at"] == datetime(2026, 11, 20, tzinfo=UTC)


@check_cases(
    "values",
    [
        {f.EXHIBITS: ["8-K", "EX-10.1"]},
        {f.ITEMS: ["5.02", "9.01"]},
        {f.FORM: "8-K/A"},
        {f.FORM: "10-K"},
        {f.ROLE: "FILED-BY"},
        {f.FILED: None, f.ACCEPTED: None},
    ],
    ids=["no release", "another item", "amendment", "annual report", "somebody else's", "no day"],
)
def test_what_is_no_news(values: dict[str, Any]) -> None:
    assert news(header(**values)) == []


def test_one_filing_of_two_filers_is_news_of_both() -> None:
    found = news(header(), header(**{f.CIK: "0000000008"}))
    assert len({item["news_id"] for item in found}) == 2


def test_bankruptcy_delisting_restatement_and_control_are_notices() -> None:
    numbers = [f"0000000001-26-00000{digit}" for digit in range(5)]
    items = (["1.03", "9.01"], ["3.01"], ["4.02"], ["5.01", "2.01"], ["2.02"])
    found = notices(
        *(filed("8-K", *listed, **{s.ACCESSION: number}) for listed, number in zip(items, numbers, strict=True))
    )
    assert [row["title"] for row in found] == [
        "Bankruptcy or Receivership",
        "Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard; Transfer of Listing",
        "Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or Completed Interim Review",
        "Changes in Control of Registrant",
    ]
    assert {row["action_type"] for row in found} == {"announcement"}
    assert {row["register"] for row in found} == {"us.submissions"}


@check_cases("form", ["NT 10-K", "25", "25-NSE", "15-12G", "15F-15D", "REVOKED"])
def test_late_reports_and_ends_of_listing_and_registration_are_notices(form: str) -> None:
    (row,) = notices(filed(form), filed("8-K", "2.02", **{s.ACCESSION: "0000000001-26-000002"}))
    assert row["action_type"] == ("enforcement" if form == "REVOKED" else "announcement")
    assert row["published_at"] == datetime(2026, 11, 20, tzinfo=UTC)
    assert row["notice_id"].startswith("ntc_")


@pytest.mark.parametrize(
    ("form", "title"),
    [
        ("10-K/A", "Amendment of an annual report (10-K/A)"),
        ("25/A", "Amendment: Removal of a class of securities from listing (Form 25)"),
        ("15-12G/A", "Amendment: Registration ended or reporting suspended"),
        ("15F-12B/A", "Amendment: Registration ended or reporting suspended"),
    ],
)
def test_amendments_that_the_reference_names_are_notices(form: str, title: str) -> None:
    (row,) = notices(filed(form), filed("10-Q/A", **{s.ACCESSION: "0000000001-26-000002"}))
    assert row["title"].startswith(title)


def test_an_exchange_is_not_told_of_for_what_it_says_of_others() -> None:
    own = filed("25-NSE", **{s.ACCESSION: "0000000007-26-000001"})
    assert notices(own) == []
    assert len(notices(filed("25", **{s.ACCESSION: "0000000007-26-000001"}))) == 1  # its own shares


# asking


@dataclass
class Archives:
    """What the server answers, and what it was asked."""

    answer: Callable[[str], tuple[int, bytes]] = lambda _path: (200, b"<html>header</html>")
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def archives() -> Archives:
    return Archives()


@pytest.fixture
def http(archives: Archives, tmp_path: Path) -> Iterator[HttpClient]:
    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            archives.asked.append(self.path)
            self.send_whole(*archives.answer(self.path))

    with answering(Handler) as url:
        settings = HttpSettings(
            "test", tmp_path, base_urls={"www.sec.gov": url}, default_rate=1e6, retry_policy=RetryPolicy(attempts=1)
        )
        with HttpClient(settings, FetchClock()) as client:
            yield client


def ask(http: HttpClient, *subjects: str, cursor: Cursor | None = None) -> list[FetchedFile]:
    return list(filing_headers_fetch.fetch(http, cursor, subjects))


def subject(place: int, form: str = "8-K", cik: int = 7) -> str:
    return f"0000000001-26-{place:06}:{cik:010}:{form}:2026-11-20"


def test_a_filing_is_asked_for_once_whoever_is_a_party_of_it(archives: Archives, http: HttpClient) -> None:
    found = ask(http, subject(1), subject(1, cik=8), subject(2, "25-NSE"), subject(3, "15-12G/A"), "bulk")
    assert archives.asked == [
        "/Archives/edgar/data/7/000000000126000001/0000000001-26-000001-index-headers.html",
        "/Archives/edgar/data/7/000000000126000002/0000000001-26-000002.txt",
        "/Archives/edgar/data/7/000000000126000003/0000000001-26-000003.txt",
    ]
    assert [arrival.name for arrival in found] == [
        "headers-0000000001-26-000001-index-headers.html",
        "headers-0000000001-26-000002.txt",
        "headers-0000000001-26-000003.txt",
    ]
    last = FetchedFilings.of(found[-1].cursor)
    assert last.has_filing("0000000001-26-000003")
    assert ask(http, subject(1), subject(2), cursor=last.cursor()) == []


def test_one_that_fails_is_told_at_the_end_and_asked_for_again(archives: Archives, http: HttpClient) -> None:
    archives.answer = lambda path: (500, b"") if "-000002-" in path else (200, b"<html>header</html>")
    told = filing_headers_fetch.fetch(http, None, [subject(1), subject(2), subject(3)])
    arrived = [next(told), next(told)]
    with pytest.raises(FetchError):
        next(told)
    last = FetchedFilings.of(arrived[-1].cursor)
    assert [last.has_filing(f"0000000001-26-{place:06}") for place in (1, 2, 3)] == [True, False, True]


def test_one_that_was_taken_away_is_not_asked_for_again(archives: Archives, http: HttpClient) -> None:
    gone = b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'
    archives.answer = lambda path: (403, gone) if "-000001-" in path else (200, b"<html>header</html>")
    found = ask(http, subject(1), subject(2))
    assert [arrival.name for arrival in found] == ["headers-0000000001-26-000002-index-headers.html"]
    assert FetchedFilings.of(found[-1].cursor).has_filing("0000000001-26-000001")


def test_a_block_ends_the_asking_at_once(archives: Archives, http: HttpClient) -> None:
    archives.answer = lambda _path: (403, b"<!DOCTYPE html><html><title>Request Rate Threshold Exceeded</title>")
    with pytest.raises(BlockedError, match="ten minutes"):
        ask(http, subject(1), subject(2))
    assert len(archives.asked) == 1
