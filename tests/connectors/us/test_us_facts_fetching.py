"""Asking for facts: the nightly archive, answers after reports, quarters of history; against a server on the loopback."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from connectors.declare import Arrival, Cursor
from connectors.kit.errors import FetchError
from connectors.kit.http import Clock, Http, HttpSettings
from connectors.kit.retry import Retry
from connectors.us import companyfacts_fetch, fsds
from connectors.us.access import Blocked
from tests.answering import Quiet, answering
from tests.connectors.us.fact_files import archive

BLOCK = b"<!DOCTYPE html><html>Your Request Originates from an Undeclared Automated Tool</html>"
NO_KEY = b'<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>'
DENIED = b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>'
ZIP = archive({"CIK0000000001.json": b"{}"})
Answer = tuple[int, bytes]


@dataclass
class Sec:
    answer: Callable[[str], Answer] = lambda _path: (404, NO_KEY)
    asked: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def sec() -> Iterator[Sec]:
    known = Sec()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(self.path)
            status, body = known.answer(self.path)
            self.send_whole(status, body)

    with answering(Handler) as known.url:
        yield known


@pytest.fixture
def http(sec: Sec, tmp_path: Path) -> Iterator[Http]:
    bases = {"www.sec.gov": sec.url, "data.sec.gov": sec.url}
    settings = HttpSettings("test", tmp_path, bases=bases, rate=1e6, retry=Retry(attempts=1))
    clock = replace(Clock(), sleep=lambda _seconds: None, now=lambda: datetime(2026, 11, 20, 12, tzinfo=UTC))
    with Http(settings, clock) as client:
        yield client


def subject(number: int, cik: int, form: str = "10-Q") -> str:
    return f"0000000009-26-{number:06}:{cik:010}:{form}:2026-11-20"


def has_facts(*ciks: int) -> Callable[[str], Answer]:
    def answer(path: str) -> Answer:
        cik = int(path[-15:-5])
        return (200, json.dumps({"cik": cik, "facts": {}}).encode()) if cik in ciks else (404, NO_KEY)

    return answer


def test_each_filer_with_a_new_report_is_asked_about_once(sec: Sec, http: Http) -> None:
    sec.answer = has_facts(1, 2)
    subjects = [subject(1, 1), subject(2, 1), subject(3, 2), subject(4, 3)]
    arrivals = list(companyfacts_fetch.answers(http, None, subjects))
    assert [arrival.name for arrival in arrivals] == ["CIK0000000001.json", "CIK0000000002.json"]
    assert sec.asked == [f"/api/xbrl/companyfacts/CIK{cik:010}.json" for cik in (1, 2, 3)]
    again = list(companyfacts_fetch.answers(http, arrivals[-1].cursor, [*subjects, subject(5, 2, "10-K")]))
    assert [arrival.name for arrival in again] == ["CIK0000000002.json"]


def test_where_the_sec_stops_answering_what_came_is_handed_over_first(sec: Sec, http: Http) -> None:
    sec.answer = lambda path: (403, BLOCK) if "0000000002" in path else has_facts(1)(path)
    found: list[Arrival] = []
    with pytest.raises(Blocked, match="FIRM_USER_AGENT"):
        found.extend(companyfacts_fetch.answers(http, None, [subject(1, 1), subject(2, 2)]))
    walk = companyfacts_fetch.answers(http, None, [subject(1, 1), subject(2, 2)])
    first = next(walk)
    assert first.cursor is not None
    with pytest.raises(FetchError):
        next(walk)


def test_the_archive_of_the_night_is_taken_whole(sec: Sec, http: Http) -> None:
    sec.answer = lambda _path: (200, ZIP)
    (arrival,) = companyfacts_fetch.bulk(http, None, ())
    assert (arrival.name, arrival.body.read()) == ("companyfacts.zip", ZIP)
    assert sec.asked == ["/Archives/edgar/daily-index/xbrl/companyfacts.zip"]


def test_quarters_of_history_follow_one_another_until_one_is_not_there(sec: Sec, http: Http) -> None:
    sec.answer = lambda path: (200, ZIP) if "2024q4" in path or "2025q1" in path else (403, DENIED)
    arrivals = list(fsds.fetch(http, Cursor("2024q3"), ()))
    assert [(one.name, one.cursor) for one in arrivals] == [
        ("2024q4.zip", Cursor("2024q4")),
        ("2025q1.zip", Cursor("2025q1")),
    ]
    assert list(fsds.fetch(http, None, ())) == []
    assert sec.asked[-1].endswith("/2009q1.zip")
