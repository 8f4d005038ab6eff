"""Asking for facts: the nightly archive, answers after reports, quarters of history; against a server on the loopback."""

import json
from collections.abc import Callable

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError
from connectors.us.companyfacts import fetch as companyfacts_fetch
from connectors.us.financial_statement_data_sets import dataset as financial_statement_data_sets_dataset
from connectors.us.sec_http import BlockedError
from tests.connectors.us.conftest import NO_KEY, Answer, Sec
from tests.connectors.us.fact_files import archive

BLOCK = b"<!DOCTYPE html><html>Your Request Originates from an Undeclared Automated Tool</html>"
DENIED = b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>'
ZIP = archive({"CIK0000000001.json": b"{}"})


def subject(number: int, cik: int, form: str = "10-Q") -> str:
    return f"0000000009-26-{number:06}:{cik:010}:{form}:2026-11-20"


def has_facts(*ciks: int) -> Callable[[str], Answer]:
    def answer(path: str) -> Answer:
        cik = int(path[-15:-5])
        return (200, json.dumps({"cik": cik, "facts": {}}).encode()) if cik in ciks else (404, NO_KEY)

    return answer


def test_each_filer_with_a_new_report_is_asked_about_once(sec: Sec, http: HttpClient) -> None:
    sec.answer = has_facts(1, 2)
    subjects = [subject(1, 1), subject(2, 1), subject(3, 2), subject(4, 3)]
    arrivals = list(companyfacts_fetch.fetch_responses(http, None, subjects))
    assert [arrival.name for arrival in arrivals] == ["CIK0000000001.json", "CIK0000000002.json"]
    assert sec.asked == [f"/api/xbrl/companyfacts/CIK{cik:010}.json" for cik in (1, 2, 3)]
    again = list(companyfacts_fetch.fetch_responses(http, arrivals[-1].cursor, [*subjects, subject(5, 2, "10-K")]))
    assert [arrival.name for arrival in again] == ["CIK0000000002.json"]


def test_where_the_sec_stops_answering_what_came_is_handed_over_first(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda path: (403, BLOCK) if "0000000002" in path else has_facts(1)(path)
    found: list[FetchedFile] = []
    with pytest.raises(BlockedError, match="FIRM_USER_AGENT"):
        found.extend(companyfacts_fetch.fetch_responses(http, None, [subject(1, 1), subject(2, 2)]))
    walk = companyfacts_fetch.fetch_responses(http, None, [subject(1, 1), subject(2, 2)])
    first = next(walk)
    assert first.cursor is not None
    with pytest.raises(FetchError):
        next(walk)


def test_the_archive_of_the_night_is_taken_whole(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda _path: (200, ZIP)
    (arrival,) = companyfacts_fetch.fetch_bulk(http, None, ())
    assert (arrival.name, arrival.body.read()) == ("companyfacts.zip", ZIP)
    assert sec.asked == ["/Archives/edgar/daily-index/xbrl/companyfacts.zip"]


def test_quarters_of_history_follow_one_another_until_one_is_not_there(sec: Sec, http: HttpClient) -> None:
    sec.answer = lambda path: (200, ZIP) if "2024q4" in path or "2025q1" in path else (403, DENIED)
    arrivals = list(financial_statement_data_sets_dataset.fetch(http, Cursor("2024q3"), ()))
    assert [(one.name, one.cursor) for one in arrivals] == [
        ("2024q4.zip", Cursor("2024q4")),
        ("2025q1.zip", Cursor("2025q1")),
    ]
    assert list(financial_statement_data_sets_dataset.fetch(http, None, ())) == []
    assert sec.asked[-1].endswith("/2009q1.zip")
