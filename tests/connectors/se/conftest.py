"""A server on the loopback that answers as the Swedish registries are documented to."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from connectors.kit.http import Clock, Http, HttpSettings
from connectors.kit.retry import Retry

NOON = "Mon, 16 Nov 2026 12:00:00 GMT"
Answer = tuple[int, bytes, dict[str, str]]
HOSTS = (
    "vardefulla-datamangder.bolagsverket.se",
    "gw.api.bolagsverket.se",
    "portal.api.bolagsverket.se",
    "marknadssok.fi.se",
    "www.fi.se",
)


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Registry:
    """What the server answers by path (a function decides anew each time), and what it was asked."""

    answers: dict[str, Answer | Callable[[Asked], Answer]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def say(self, path: str, body: bytes, status: int = 200, **headers: str) -> None:
        self.answers[path] = (
            status,
            body,
            {name.replace("_", "-"): value for name, value in headers.items()},
        )

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        found = self.answers.get(asked.path, (404, b"", {}))
        status, body, headers = found if isinstance(found, tuple) else found(asked)
        if headers.get("ETag") and asked.headers.get("if-none-match") == headers["ETag"]:
            return 304, b"", headers
        return status, body, headers


@pytest.fixture
def registry() -> Iterator[Registry]:
    known = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            said = {name.lower(): value for name, value in self.headers.items()}
            status, answer, headers = known.answer(Asked(self.command, self.path, said, body))
            self.send_response_only(status)  # the date of an answer is the test's business
            for name, value in ({"Date": NOON} | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    known.url = f"http://127.0.0.1:{server.server_port}"
    yield known
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def http(registry: Registry, tmp_path: Path) -> Iterator[Http]:
    settings = HttpSettings(
        user_agent="test (test@example.com)",
        folder=tmp_path,
        bases=dict.fromkeys(HOSTS, registry.url),
        rate=10_000.0,
        retry=Retry(attempts=3, first=0.0, longest=0.0),
        credentials={"portal.api.bolagsverket.se": ("client", "hush")},
    )
    clock = Clock(sleep=lambda _: None)
    with Http(settings, clock) as client:
        yield client
