"""Asking the National Storage Mechanism: by days, by pages, text by text, and what is no answer.

See docs/formats/uk.md 10.3.
"""

import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from connectors.contract.dataset import Cursor
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.rate_limit import FetchClock
from connectors.uk.nsm import fetch as nsm_fetch
from tests.connectors.uk.nsm.test_dataset import answer, form, item

AT = datetime(2026, 8, 22, tzinfo=UTC)


class Mechanism:
    """What the server was asked, and what it answers."""

    def __init__(self):
        self.asked, self.details, self.items, self.took = [], [], [], 77
        self.page, self.total, self.answers = 10_000, None, {}

    def search(self, body):
        self.asked.append((body, json.loads(body)))
        question = self.asked[-1][1]
        span = question["criteriaObj"]["dateCriteria"][0]["value"]
        found = [one for one in self.items if span["from"] <= one["_source"]["submitted_date"] < span["to"]]
        first = question["from"]
        told = answer(*found[first : first + min(self.page, question["size"])], took=self.took)
        told["hits"]["total"] = self.total or {"value": len(found), "relation": "eq"}
        return told


@pytest.fixture
def mechanism():
    return Mechanism()


@pytest.fixture
def http(mechanism, tmp_path):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self._send(mechanism.search(self.rfile.read(int(self.headers["Content-Length"]))))

        def do_GET(self):
            mechanism.details.append(self.path)
            identity = self.path.rpartition("/")[2].partition("?")[0]
            self._send(*mechanism.answers.get(identity, (item(identity, form()),)))

        def _send(self, body, status=200):
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    settings = HttpSettings(
        user_agent="test", download_folder=tmp_path, base_urls={"api.data.fca.org.uk": base}, default_rate=10_000
    )
    with HttpClient(settings, FetchClock(sleep=lambda _: None, now=lambda: AT)) as client:
        yield client
    server.shutdown()
    thread.join()
    server.server_close()


def asked_of(http, after):
    found = []
    for arrival in nsm_fetch.fetch_announcements(http, after, ()):
        with arrival.body as body:
            found.append((arrival.name, arrival.cursor, body.read()))
    return found


def test_lists_are_asked_by_days_and_texts_one_by_one(mechanism, http):
    mechanism.items = [item("RNS/1"), item("ACS", type="Annual Financial Report")]
    found = asked_of(http, Cursor("2026-08-21"))
    assert [(name, cursor and cursor.value) for name, cursor, _ in found] == [
        ("nsm-2026-08-19-2026-08-22.json", None),
        ("nsm-RNS%2F1.json", "2026-08-22"),
    ]
    assert mechanism.details == ["/details/RNS%2F1?index=fca-nsm-searchdata"]
    told, question = mechanism.asked[0]
    assert b"." not in told.partition(b'"dateCriteria"')[2]  # dates with milliseconds are refused
    assert [one["name"] for one in question["criteriaObj"]["criteria"]] == ["latest_flag"]  # news is of every type
    assert question["criteriaObj"]["dateCriteria"][0]["value"] == {
        "from": "2026-08-19T00:00:00Z",
        "to": "2026-08-23T00:00:00Z",
    }


def on(day, identity):
    return item(identity, submitted_date=f"2026-08-{day:02}T09:00:00.000Z")


def test_a_list_of_several_pages_is_asked_for_whole(mechanism, http):
    """The host may give fewer hits than it is asked for; the rest comes with the next question."""
    mechanism.items = [on(20, f"R{number}") for number in range(5)]
    mechanism.page = 2
    found = asked_of(http, Cursor("2026-08-21"))
    assert [name for name, _, _ in found if "2026" in name] == [
        "nsm-2026-08-19-2026-08-22.json",
        "nsm-2026-08-19-2026-08-22-1.json",
        "nsm-2026-08-19-2026-08-22-2.json",
    ]
    assert len(mechanism.details) == 5
    assert [cursor and cursor.value for _, cursor, _ in found] == [None] * 7 + ["2026-08-22"]


def test_more_hits_than_can_be_had_are_asked_for_by_fewer_days(mechanism, http, monkeypatch):
    monkeypatch.setattr(nsm_fetch, "SIZE", 3)
    mechanism.items = [on(day, f"R{day}") for day in (19, 20, 21, 22)]
    found = asked_of(http, Cursor("2026-08-21"))
    assert [name for name, _, _ in found if "2026" in name] == [
        "nsm-2026-08-19-2026-08-20.json",
        "nsm-2026-08-21-2026-08-22.json",
    ]
    assert [cursor.value for _, cursor, _ in found if cursor] == ["2026-08-20", "2026-08-22"]
    mechanism.items = [on(20, f"R{number}") for number in range(9)]
    with pytest.raises(UnexpectedBodyError, match="9 hits on 2026-08-20, of which 3"):
        asked_of(http, Cursor("2026-08-22"))


def test_a_list_that_ends_before_its_total_is_not_whole(mechanism, http):
    mechanism.items = [on(20, "R1")]
    mechanism.total = 2  # as a number, as older versions write it
    with pytest.raises(SourceUnavailableError, match="not whole"):
        asked_of(http, Cursor("2026-08-21"))


def test_a_block_before_a_text_moves_no_cursor_and_a_text_taken_down_is_passed_over(mechanism, http):
    mechanism.items = [on(20, "R1"), on(21, "R2")]
    mechanism.answers = {"R1": ({"found": False}, 404)}
    assert [cursor and cursor.value for _, cursor, _ in asked_of(http, Cursor("2026-08-21"))] == [None, "2026-08-22"]
    mechanism.answers = {"R2": ({"took": 1, "hits": {"hits": []}},)}
    with pytest.raises(SourceUnavailableError, match="no announcement"):
        asked_of(http, Cursor("2026-08-21"))


def test_a_quiet_day_moves_the_cursor_and_a_blocked_one_does_not(mechanism, http):
    assert [cursor.value for _, cursor, _ in asked_of(http, Cursor("2026-08-21"))] == ["2026-08-22"]
    mechanism.took = 2
    with pytest.raises(SourceUnavailableError, match="soft block"):
        asked_of(http, Cursor("2026-08-21"))


def test_a_fortnight_of_silence_is_no_answer_to_believe(mechanism, http):
    with pytest.raises(UnexpectedBodyError, match="not whole"):
        asked_of(http, Cursor("2026-07-20"))


@pytest.mark.parametrize("cursor", [None, Cursor("yesterday")])
def test_the_first_time_a_year_is_asked(mechanism, http, cursor):
    with pytest.raises(UnexpectedBodyError):
        asked_of(http, cursor)
    assert mechanism.asked[0][1]["criteriaObj"]["dateCriteria"][0]["value"]["from"] == "2025-08-22T00:00:00Z"
