"""Asking for the newest filings and the daily indexes, against a server on the loopback.

See docs/formats/us.md 1, 8.
"""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import RequestRejectedError, SourceUnavailableError, UnexpectedBodyError
from connectors.us.feeds import current_filings_fetch, edgar_index_fetch
from connectors.us.feeds.pending_filings import FetchedFilings
from tests.connectors.us.conftest import Answer, Sec

HTML = b"<!DOCTYPE html>\n<html><head><title>SEC.gov | File Unavailable</title></head></html>"
MISSING = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'


def number(place: int) -> str:
    return f"0000000001-26-{place:06}"


def page(first: int, count: int = current_filings_fetch.COUNT) -> bytes:
    """Newest first: filings count down."""
    entries = "".join(
        f"<entry><id>urn:tag:sec.gov,2008:accession-number={number(place)}</id></entry>"
        for place in range(first, first - count, -1)
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'.encode()


def window(newest: int, oldest: int = 1) -> Callable[[str], Answer]:
    """A feed of filings `newest` to `oldest`; past its end it answers 503 with HTML."""

    def answer(path: str) -> Answer:
        query = parse_qs(urlsplit(path).query)
        first = newest - int(query["start"][0])
        count = min(current_filings_fetch.COUNT, first - oldest + 1)
        return (200, page(first, count)) if count > 0 else (503, HTML)

    return answer


def poll(http: HttpClient, cursor: Cursor | None = None) -> list[FetchedFile]:
    return list(current_filings_fetch.fetch(http, cursor, ()))


def starts(sec: Sec) -> list[str]:
    return [parse_qs(urlsplit(path).query)["start"][0] for path in sec.asked]


def test_pages_overlap_and_end_where_a_page_names_nothing_new(sec: Sec, http: HttpClient) -> None:
    sec.answer = window(1_000)
    first = poll(http)
    assert starts(sec)[:3] == ["0", "80", "160"]
    sec.asked.clear()
    assert first[-1].cursor is not None
    assert [arrival.cursor for arrival in first[:-1]] == [None] * (len(first) - 1)
    known = FetchedFilings.of(first[-1].cursor)
    assert known.has_filing(number(1_000))
    assert known.has_filing(number(1))
    sec.answer = window(1_150)
    second = poll(http, first[-1].cursor)
    assert len(second) == 2
    assert starts(sec) == ["0", "80", "160"]
    assert FetchedFilings.of(second[-1].cursor).has_filing(number(1_150))


def test_a_poll_without_news_brings_nothing(sec: Sec, http: HttpClient) -> None:
    sec.answer = window(100)
    last = poll(http)[-1].cursor
    sec.asked.clear()
    assert poll(http, last) == []
    assert starts(sec) == ["0"]


def test_pitfall_08_html_past_the_end_ends_the_feed(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda path: (200, page(900)) if "start=0&" in path else (503, HTML)
    found = poll(http)
    assert len(found) == 1
    assert found[0].cursor is not None


def test_html_instead_of_the_first_page_is_said_and_nothing_is_lost(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda _path: (503, HTML)
    with pytest.raises(SourceUnavailableError, match="out of service"):
        poll(http)
    sec.answer = lambda _path: (503, b"")
    with pytest.raises(UnexpectedBodyError, match="expected an Atom page"):
        poll(http)
    sec.answer = lambda _path: (200, HTML)
    with pytest.raises(UnexpectedBodyError):
        poll(http)


def test_never_further_than_the_interface_goes(sec: Sec, http: HttpClient) -> None:
    sec.answer = window(9_000)
    poll(http)
    assert max(map(int, starts(sec))) <= current_filings_fetch.END


def days(*there: str) -> Callable[[str], Answer]:
    def answer(path: str) -> Answer:
        day = path.split(".")[1]
        return (200, b"CIK|Company Name") if day in there else (403, MISSING)

    return answer


def indexes(http: HttpClient, cursor: str | None = None) -> list[FetchedFile]:
    return list(edgar_index_fetch.fetch(http, None if cursor is None else Cursor(cursor), ()))


def test_the_index_of_each_business_day_from_the_last_that_was_there(sec: Sec, http: HttpClient) -> None:
    sec.answer = days("20261116", "20261118", "20261119")
    found = indexes(http)
    assert [arrival.name for arrival in found] == [
        "daily.master.20261116.idx",
        "daily.master.20261118.idx",
        "daily.master.20261119.idx",
    ]
    assert [arrival.cursor for arrival in found] == [Cursor("2026-11-16"), Cursor("2026-11-18"), Cursor("2026-11-19")]
    assert sec.asked[1] == "/Archives/edgar/daily-index/2026/QTR4/master.20261110.idx"
    assert not [path for path in sec.asked if "20261114" in path or "20261115" in path]


def test_the_last_days_are_asked_again_and_the_cursor_never_goes_back(sec: Sec, http: HttpClient) -> None:
    sec.answer = days("20261117", "20261118", "20261119")
    found = indexes(http, "2026-11-19")
    assert [arrival.name[13:21] for arrival in found] == ["20261117", "20261118", "20261119"]
    assert {arrival.cursor for arrival in found} == {Cursor("2026-11-19")}
    assert [arrival.name[13:21] for arrival in indexes(http, "no day")] == ["20261117", "20261118", "20261119"]


def test_after_a_long_pause_a_run_goes_so_far_and_the_next_goes_on(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda _path: (200, b"CIK|Company Name")
    last = indexes(http, "2026-01-02")[-1].cursor
    assert last is not None
    assert last.value < "2026-04-05"
    assert indexes(http, last.value)[-1].cursor != last


def test_pitfall_01_a_day_without_index_and_a_refusal_are_two_kinds_of_403(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda _path: (403, MISSING)
    assert indexes(http) == []
    sec.answer = lambda _path: (403, HTML)
    with pytest.raises(RequestRejectedError, match="USER_AGENT"):
        indexes(http)
    sec.answer = lambda _path: (403, b"no")
    with pytest.raises(RequestRejectedError):
        indexes(http)
