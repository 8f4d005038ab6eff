"""One connection to a stream over real HTTP: heartbeats, torn lines, 416, 429, 401.

See docs/formats/uk.md 7, 13.6, 13.7.
"""

import json
import pickle
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http import line_buffer
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import (
    FetchError,
    RequestRejectedError,
    SourceUnavailableError,
    TruncatedBodyError,
    UnexpectedBodyError,
)
from connectors.kit.http.rate_limit import FetchClock
from connectors.uk.stream_events import HOST
from connectors.uk.streaming_api import connection
from connectors.uk.streaming_api.connection import GAP, RegisterStream

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STREAM = RegisterStream("companies")
BEAT = b"\n"


def event(timepoint: int, **told: str) -> bytes:
    body = {"resource_uri": "/company/01234567", "event": {"timepoint": timepoint, **told}}
    return json.dumps(body).encode() + b"\n"


@dataclass
class Register:
    """Answers in turn; the last one stays. A list is a stream of chunks, a number a refusal."""

    answers: list[list[bytes] | int] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    torn: bool = False  # the connection breaks instead of ending
    headers: dict[str, str] = field(default_factory=dict)
    silent: threading.Event | None = None  # nothing comes any more until it is set
    coding: str = ""  # what the caller accepts
    port: int = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    register = Register()

    def do_GET(self) -> None:
        self.register.asked.append((self.path, self.headers.get("Authorization", "")))
        answer = self.register.answers.pop(0) if len(self.register.answers) > 1 else self.register.answers[0]
        self.register.coding = self.headers.get("Accept-Encoding", "")
        self.close_connection = True
        if isinstance(answer, int):
            self.send_response_only(answer)
            self.send_header("Content-Length", "0")
            self._send_headers()
            self.end_headers()
            return
        self.send_response_only(200)
        self.send_header("Transfer-Encoding", "chunked")
        self._send_headers()
        self.end_headers()
        for chunk in answer:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        if self.register.silent is not None:
            self.wfile.flush()
            self.register.silent.wait()
        if not self.register.torn:
            self.wfile.write(b"0\r\n\r\n")

    def _send_headers(self) -> None:
        for name, value in self.register.headers.items():
            self.send_header(name, value)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def register() -> Iterator[Register]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a reader that hangs up
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    _Handler.register = Register(port=server.server_address[1])
    yield _Handler.register
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def http(register: Register, tmp_path: Path) -> Iterator[HttpClient]:
    clock = FetchClock(now=lambda: NOON, monotonic=lambda: 0.0, sleep=lambda _: None)
    settings = HttpSettings(
        "firmdata/test (contact@example.com)",
        tmp_path,
        base_urls={HOST: f"http://127.0.0.1:{register.port}"},
        credentials={HOST: ("streaming-key", "")},
    )
    with HttpClient(settings, clock) as made:
        yield made


def bodies(arrivals: Iterator[FetchedFile]) -> list[tuple[str, str | None, int]]:
    """Names, but for the digests in them, cursors and how many lines."""
    found = [(a.name, a.cursor.value if a.cursor else None, a.body.read().count(b"\n")) for a in arrivals]
    return [(re.sub(r"-[0-9a-f]{12}(?=[-.])", "", name), cursor, lines) for name, cursor, lines in found]


def test_a_heartbeat_ends_a_body_and_two_end_a_run(http: HttpClient, register: Register):
    register.answers = [[event(5) + event(7)[:20], event(7)[20:] + BEAT, event(9), BEAT, BEAT, BEAT, event(11)]]
    found = bodies(STREAM.fetch_missed(http, None, ()))
    assert found == [("companies/5-7.jsonl", "7", 2), ("companies/9-9.jsonl", "9", 1)]
    assert register.asked == [("/companies", "Basic c3RyZWFtaW5nLWtleTo=")]


def test_a_run_leaves_a_busy_stream_where_it_tells_of_now(
    http: HttpClient, register: Register, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connection, "MOST_LINES", 2)
    instants = ["2026-11-18T09:00:00", "2026-11-20T11:59:59", "2026-11-18T09:00:00", "2026-11-20T12:00:01"]
    lines = [event(number, published_at=at) for number, at in enumerate(instants * 2)]
    register.answers = [lines]
    assert [cursor for _, cursor, _ in bodies(STREAM.fetch_missed(http, None, ()))] == ["1", "3"]
    assert [cursor for _, cursor, _ in bodies(STREAM.listen(http, None))] == ["1", "3", "5", "7"]


def test_a_reader_goes_on_past_heartbeats_until_the_server_ends_the_night(http: HttpClient, register: Register):
    register.answers = [[BEAT, BEAT, BEAT, event(5), BEAT, BEAT, BEAT, event(9)]]
    assert [name for name, _, _ in bodies(STREAM.listen(http, Cursor("5")))] == [
        "companies/5-5.jsonl",
        "companies/9-9.jsonl",
    ]
    assert register.asked[0][0] == "/companies?timepoint=5"


def test_a_line_that_the_connection_tore_is_left_for_the_next_one(http: HttpClient, register: Register):
    register.answers = [[event(5), event(7)[:-9]]]
    assert bodies(STREAM.listen(http, None)) == [("companies/5-5.jsonl", "5", 1)]
    register.torn = True
    found: list[FetchedFile] = []
    with pytest.raises(FetchError, match="broke off"):
        found.extend(iter_into(found, STREAM.listen(http, None)))
    assert bodies(iter(found)) == [("companies/5-5.jsonl", "5", 1)]


def test_a_line_torn_in_the_middle_of_a_character_is_left_too(http: HttpClient, register: Register):
    name = '{"resource_uri": "/company/01234567", "data": {"company_name": "CAFÉ"'.encode()
    register.answers = [[event(5), name[: name.index(b"\xc3") + 1]]]
    assert bodies(STREAM.listen(http, None)) == [("companies/5-5.jsonl", "5", 1)]


def test_garbage_amid_the_stream_is_kept_for_its_reject_and_apart(http: HttpClient, register: Register):
    """A body that begins with it would be one that nobody looks through, and its other events lost."""
    register.answers = [[b"garbage\n", event(5), b"garbage\n", b"more\n", event(9)]]
    alone = ("companies/no-timepoint.jsonl", None, 1)
    assert bodies(STREAM.listen(http, None)) == [
        alone,
        ("companies/5-5.jsonl", "5", 1),
        alone,
        alone,
        ("companies/9-9.jsonl", "9", 1),
    ]


@pytest.mark.parametrize("timepoint", [-1, 10**18, 10**30, "7"])
def test_a_timepoint_that_is_none_moves_no_cursor(http: HttpClient, register: Register, timepoint: object):
    strange = event(5).replace(b"5}", json.dumps(timepoint).encode() + b"}")
    register.answers = [[event(5), strange, event(9), BEAT, strange, BEAT]]
    found = bodies(STREAM.listen(http, None))
    alone = ("companies/no-timepoint.jsonl", None, 1)
    assert found == [("companies/5-5.jsonl", "5", 1), alone, ("companies/9-9.jsonl", "9", 1), alone]


def test_bodies_of_one_span_that_differ_have_different_names(http: HttpClient, register: Register):
    register.answers = [[event(5)], [event(5).replace(b"01234567", b"07654321")], [event(5)]]
    names = [[arrival.name for arrival in STREAM.listen(http, None)] for _ in range(3)]
    assert names[0] == names[2] != names[1]


def test_a_line_too_long_to_hold_is_cut_and_the_stream_goes_on(
    http: HttpClient, register: Register, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(line_buffer, "LONGEST", 5000)
    whole = b'{"data": "' + b"x" * 4000 + b'"}\n'
    register.answers = [[event(5), whole, b'{"data": "' + b"x" * 900, *[b"y" * 900] * 20, b'"}\n', event(9)]]
    sizes = [[len(line) for line in arrival.body.read().split(b"\n") if line] for arrival in STREAM.listen(http, None)]
    assert sizes == [[len(event(5)) - 1, len(whole) - 1], [line_buffer.KEPT], [len(event(9)) - 1]]


def test_a_line_without_end_ends_the_connection(http: HttpClient, register: Register, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(line_buffer, "LONGEST", 5000)
    monkeypatch.setattr(line_buffer, "ENDLESS", 20_000)
    register.answers = [[event(5), BEAT, *[b"y" * 1000] * 100]]
    found: list[FetchedFile] = []
    with pytest.raises(UnexpectedBodyError, match="without end"):
        found.extend(iter_into(found, STREAM.fetch_missed(http, None, ())))
    assert bodies(iter(found)) == [("companies/5-5.jsonl", "5", 1)]


def test_a_line_that_drips_for_ever_ends_the_connection():
    instants = iter([0.0, 1.0, line_buffer.PATIENCE + 1])
    line = line_buffer.LineBuffer(FetchClock(monotonic=lambda: next(instants)))
    line.add(b"{")
    assert not line.is_over_limit()
    line.add(b" ")
    assert line.is_over_limit()


def test_a_connection_that_falls_silent_is_given_up_with_what_had_come(register: Register, tmp_path: Path):
    """Half-open: no byte, no heartbeat, no end."""
    bases = {HOST: f"http://127.0.0.1:{register.port}"}
    credentials = {HOST: ("key", "")}
    settings = HttpSettings("t (t@example.com)", tmp_path, base_urls=bases, credentials=credentials, read_seconds=0.2)
    register.answers, register.silent = [[event(5), event(7)]], threading.Event()
    found: list[FetchedFile] = []
    with HttpClient(settings) as http, pytest.raises(TruncatedBodyError, match="ReadTimeout"):
        found.extend(iter_into(found, STREAM.listen(http, None)))
    register.silent.set()
    assert bodies(iter(found)) == [("companies/5-7.jsonl", "7", 2)]


def test_a_page_in_html_with_a_good_status_is_no_stream(http: HttpClient, register: Register):
    register.answers = [[b"<html>\n", b"<h1>Bad gateway</h1>\n</html>\n"]]
    with pytest.raises(UnexpectedBodyError, match="HTML"):
        bodies(STREAM.listen(http, Cursor("5")))


def test_a_coding_that_was_not_asked_for_and_does_not_decode_ends_the_connection(http: HttpClient, register: Register):
    register.answers, register.headers = [[event(5)]], {"Content-Encoding": "gzip"}
    with pytest.raises(TruncatedBodyError):
        bodies(STREAM.listen(http, None))
    assert register.coding == "identity"  # heartbeats would wait in a coder


def iter_into(found: list[FetchedFile], arrivals: Iterator[FetchedFile]) -> Iterator[FetchedFile]:
    """Notes each arrival at once: what came before an error counts."""
    for arrival in arrivals:
        found += [arrival]
    yield from ()


def test_416_enters_the_stream_where_it_is_and_says_that_events_are_missing(http: HttpClient, register: Register):
    register.answers = [416, [event(900), BEAT, event(901), BEAT, BEAT, BEAT]]
    found = bodies(STREAM.fetch_missed(http, Cursor("5"), ()))
    assert [name for name, _, _ in found] == [f"companies/900-900{GAP}.jsonl", "companies/901-901.jsonl"]
    assert [path for path, _ in register.asked] == ["/companies?timepoint=5", "/companies"]


def test_a_place_that_is_none_of_the_stream_is_a_gap_too(http: HttpClient, register: Register):
    register.answers = [[event(900)]]
    assert bodies(STREAM.listen(http, Cursor("x"))) == [(f"companies/900-900{GAP}.jsonl", "900", 1)]


@pytest.mark.parametrize("status", [401, 403])
def test_6_a_key_of_the_rest_api_is_refused_and_the_setting_named(http: HttpClient, register: Register, status: int):
    register.answers = [status]
    for asked in (STREAM.listen(http, Cursor("5")), STREAM.fetch_missed(http, None, ())):
        with pytest.raises(RequestRejectedError, match=r"FIRM_CREDENTIALS needs stream\.companieshouse\.gov\.uk=KEY:"):
            bodies(asked)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "120"}, 120.0),
        ({"X-Ratelimit-Reset": str(int(NOON.timestamp()) + 90)}, 90.0),
        ({"X-Ratelimit-Reset": "90"}, None),  # no instant of ours
        ({"Retry-After": "5", "X-Ratelimit-Reset": str(int(NOON.timestamp()) + 90)}, 5.0),
    ],
)
def test_too_many_requests_tell_how_long_to_wait(
    http: HttpClient, register: Register, headers: dict[str, str], wait: float | None
):
    register.answers, register.headers = [429], headers
    with pytest.raises(SourceUnavailableError) as caught:
        bodies(STREAM.listen(http, None))
    assert caught.value.wait == wait
    assert pickle.loads(pickle.dumps(caught.value)).wait == wait


@pytest.mark.parametrize(
    ("status", "kind"), [(401, RequestRejectedError), (429, SourceUnavailableError), (503, SourceUnavailableError)]
)
def test_a_refusal_is_told_at_once_and_asked_once(http: HttpClient, register: Register, status: int, kind: type):
    register.answers = [status]
    with pytest.raises(kind) as caught:
        bodies(STREAM.listen(http, Cursor("5")))
    assert (caught.value.status, len(register.asked)) == (status, 1)
    assert "streaming-key" not in str(caught.value)


def test_a_body_ends_when_it_holds_enough(http: HttpClient, register: Register, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connection, "MOST_LINES", 2)
    register.answers = [[b"".join(event(number) for number in range(1, 6)), BEAT]]
    assert [lines for _, _, lines in bodies(STREAM.listen(http, None))] == [2, 2, 1]


def test_an_old_body_waits_for_no_more_lines(register: Register, tmp_path: Path):
    instants = (NOON + timedelta(seconds=4 * tick) for tick in range(100))
    clock = FetchClock(now=lambda: next(instants), monotonic=lambda: 0.0, sleep=lambda _: None)
    bases = {HOST: f"http://127.0.0.1:{register.port}"}
    settings = HttpSettings("t (t@example.com)", tmp_path, base_urls=bases, credentials={HOST: ("key", "")})
    register.answers = [[event(1) + event(2) + event(3) + event(4)]]
    with HttpClient(settings, clock) as http:
        assert [lines for _, _, lines in bodies(STREAM.listen(http, None))] == [3, 1]


def test_without_a_streaming_key_a_run_asks_nobody_and_a_reader_says_what_to_do(tmp_path: Path):
    with HttpClient(HttpSettings("t (t@example.com)", tmp_path)) as http:
        assert bodies(STREAM.fetch_missed(http, None, ())) == []
        with pytest.raises(RequestRejectedError, match="FIRM_CREDENTIALS"):
            bodies(STREAM.listen(http, None))


def test_a_key_that_is_not_there_is_no_answer_that_did_not_come(tmp_path: Path):
    with (
        HttpClient(HttpSettings("firmdata/test (contact@example.com)", tmp_path)) as without,
        pytest.raises(RequestRejectedError) as told,
    ):
        next(STREAM.listen(without, None))
    assert str(told.value).startswith(f"https://{HOST}: no streaming key: add {HOST}=KEY: to FIRM_CREDENTIALS")
