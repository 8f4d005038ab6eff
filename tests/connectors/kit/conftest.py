"""A registry on loopback that answers as told, and a clock that only moves when it is slept on."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pytest

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.rate_limit import FetchClock
from connectors.kit.http.retry import RetryPolicy

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@dataclass
class Answer:
    """One answer. `cut`: send only so many bytes of the body, then close. `clock_steps`: slow drip."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None


@dataclass
class Registry:
    """Answers in turn (the last one stays) or by a function; remembers what it was asked."""

    answers: list[Answer] = field(default_factory=list)
    decide: Callable[[str, dict[str, str]], Answer] | None = None
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    port: int = 0

    def answer(self, path: str, headers: dict[str, str]) -> Answer:
        self.asked.append((path, headers))
        if self.decide is not None:
            return self.decide(path, headers)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    registry: Registry

    def do_GET(self) -> None:
        answer = self.registry.answer(self.path, {name.lower(): value for name, value in self.headers.items()})
        self.send_response_only(answer.status)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
        if answer.cut is not None:
            self.close_connection = True

    def do_POST(self) -> None:
        self.registry.sent.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture(scope="session")
def loopback() -> Iterator[type[_Handler]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02), daemon=True)
    thread.start()
    _Handler.registry = Registry(port=server.server_address[1])
    yield _Handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def registry(loopback: type[_Handler]) -> Registry:
    fresh = Registry(port=loopback.registry.port)
    loopback.registry = fresh
    return fresh


@dataclass
class Hands:
    """The clock's hands, and how long each sleep was."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)
    tick: float = 0.0  # how far every look at the clock moves it

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds

    def look(self) -> float:
        self.seconds += self.tick
        return self.seconds

    def clock(self) -> FetchClock:
        return FetchClock(lambda: NOON + timedelta(seconds=self.seconds), self.look, self.sleep, lambda: 1.0)


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def http(registry: Registry, hands: Hands, tmp_path: Path) -> Iterator[HttpClient]:
    settings = HttpSettings(
        user_agent="firmdata/test (contact@example.com)",
        download_folder=tmp_path / "incoming",
        base_urls={"data.example.no": f"http://127.0.0.1:{registry.port}/no/"},
        default_rate=1000.0,
        retry_policy=RetryPolicy(attempts=4),
        max_small_body_bytes=1 << 20,
        max_large_body_bytes=4 << 20,
        read_seconds=5.0,
    )
    with HttpClient(settings, hands.clock()) as client:
        yield client


def made(body: bytes, name: str = "file.csv", dataset: str = "no.enheter") -> ArchiveMember:
    return ArchiveMember(dataset, name, "ab" * 32, NOON, Scope.PART, "batch", partial(BytesIO, body))


@pytest.fixture
def piece() -> Callable[..., ArchiveMember]:
    return made
