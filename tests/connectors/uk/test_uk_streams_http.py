"""One connection to a stream over real HTTP: heartbeats, torn lines, 416, 429, 401 (FORMAT uk 7, 13.6, 13.7)."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from connectors.declare import Arrival, Cursor
from connectors.kit.errors import FetchError, Refused, Unavailable
from connectors.kit.http import Http, HttpSettings
from connectors.kit.limits import Clock
from connectors.uk import streams_fetch
from connectors.uk.streams import HOST
from connectors.uk.streams_fetch import GAP, Stream

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STREAM = Stream("companies")
BEAT = b"\n"


def event(timepoint: int) -> bytes:
    return (
        json.dumps({"resource_uri": "/company/01234567", "event": {"timepoint": timepoint}}).encode() + b"\n"
    )


@dataclass
class Register:
    """Answers in turn; the last one stays. A list is a stream of chunks, a number a refusal."""

    answers: list[list[bytes] | int] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    torn: bool = False  # the connection breaks instead of ending
    port: int = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    register = Register()

    def do_GET(self) -> None:
        self.register.asked.append((self.path, self.headers.get("Authorization", "")))
        answer = self.register.answers.pop(0) if len(self.register.answers) > 1 else self.register.answers[0]
        self.close_connection = True
        if isinstance(answer, int):
            self.send_response_only(answer)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response_only(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in answer:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        if not self.register.torn:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def register() -> Iterator[Register]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    _Handler.register = Register(port=server.server_address[1])
    yield _Handler.register
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def http(register: Register, tmp_path: Path) -> Iterator[Http]:
    clock = Clock(now=lambda: NOON, monotonic=lambda: 0.0, sleep=lambda _: None)
    settings = HttpSettings(
        "firmdata/test (contact@example.com)",
        tmp_path,
        bases={HOST: f"http://127.0.0.1:{register.port}"},
        credentials={HOST: ("streaming-key", "")},
    )
    with Http(settings, clock) as made:
        yield made


def bodies(arrivals: Iterator[Arrival]) -> list[tuple[str, str | None, int]]:
    return [(a.name, a.cursor.value if a.cursor else None, a.body.read().count(b"\n")) for a in arrivals]


def test_a_heartbeat_ends_a_body_and_two_end_a_run(http: Http, register: Register):
    register.answers = [
        [event(5) + event(7)[:20], event(7)[20:] + BEAT, event(9), BEAT, BEAT, BEAT, event(11)]
    ]
    found = bodies(STREAM.catch_up(http, None, ()))
    assert found == [("companies/5-7.jsonl", "7", 2), ("companies/9-9.jsonl", "9", 1)]
    assert register.asked == [("/companies", "Basic c3RyZWFtaW5nLWtleTo=")]


def test_a_reader_goes_on_past_heartbeats_until_the_server_ends_the_night(http: Http, register: Register):
    register.answers = [[BEAT, BEAT, BEAT, event(5), BEAT, BEAT, BEAT, event(9)]]
    assert [name for name, _, _ in bodies(STREAM.listen(http, Cursor("5")))] == [
        "companies/5-5.jsonl",
        "companies/9-9.jsonl",
    ]
    assert register.asked[0][0] == "/companies?timepoint=5"


def test_a_line_that_the_connection_tore_is_left_for_the_next_one(http: Http, register: Register):
    register.answers = [[event(5), event(7)[:-9]]]
    assert bodies(STREAM.listen(http, None)) == [("companies/5-5.jsonl", "5", 1)]
    register.torn = True
    found: list[Arrival] = []
    with pytest.raises(FetchError, match="broke off"):
        found.extend(iter_into(found, STREAM.listen(http, None)))
    assert [arrival.name for arrival in found] == ["companies/5-5.jsonl"]


def iter_into(found: list[Arrival], arrivals: Iterator[Arrival]) -> Iterator[Arrival]:
    """Notes each arrival at once: what came before an error counts."""
    for arrival in arrivals:
        found += [arrival]
    yield from ()


def test_416_enters_the_stream_where_it_is_and_says_that_events_are_missing(http: Http, register: Register):
    register.answers = [416, [event(900), BEAT, event(901), BEAT, BEAT, BEAT]]
    found = bodies(STREAM.catch_up(http, Cursor("5"), ()))
    assert [name for name, _, _ in found] == [f"companies/900-900{GAP}.jsonl", "companies/901-901.jsonl"]
    assert [path for path, _ in register.asked] == ["/companies?timepoint=5", "/companies"]


@pytest.mark.parametrize(("status", "kind"), [(401, Refused), (429, Unavailable), (503, Unavailable)])
def test_a_refusal_is_told_at_once_and_asked_once(http: Http, register: Register, status: int, kind: type):
    register.answers = [status]
    with pytest.raises(kind) as caught:
        bodies(STREAM.listen(http, Cursor("5")))
    assert (caught.value.status, len(register.asked)) == (status, 1)
    assert "streaming-key" not in str(caught.value)


def test_a_body_ends_when_it_holds_enough(http: Http, register: Register, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(streams_fetch, "MOST_LINES", 2)
    register.answers = [[b"".join(event(number) for number in range(1, 6)), BEAT]]
    assert [lines for _, _, lines in bodies(STREAM.listen(http, None))] == [2, 2, 1]


def test_an_old_body_waits_for_no_more_lines(register: Register, tmp_path: Path):
    instants = (NOON + timedelta(seconds=4 * tick) for tick in range(100))
    clock = Clock(now=lambda: next(instants), monotonic=lambda: 0.0, sleep=lambda _: None)
    bases = {HOST: f"http://127.0.0.1:{register.port}"}
    settings = HttpSettings("t (t@example.com)", tmp_path, bases=bases, credentials={HOST: ("key", "")})
    register.answers = [[event(1) + event(2) + event(3) + event(4)]]
    with Http(settings, clock) as http:
        assert [lines for _, _, lines in bodies(STREAM.listen(http, None))] == [3, 1]


def test_without_a_streaming_key_a_run_asks_nobody_and_a_reader_says_what_to_do(tmp_path: Path):
    with Http(HttpSettings("t (t@example.com)", tmp_path)) as http:
        assert bodies(STREAM.catch_up(http, None, ())) == []
        with pytest.raises(Refused, match="FIRM_CREDENTIALS"):
            bodies(STREAM.listen(http, None))
