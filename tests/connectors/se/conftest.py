"""A server on the loopback that answers as the Swedish registries are documented to."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.retry import RetryPolicy
from tests.answering import Quiet, answering

NOON = "Mon, 16 Nov 2026 12:00:00 GMT"
Answer = tuple[int, bytes, dict[str, str]]
HOSTS = (
    "vardefulla-datamangder.bolagsverket.se",
    "gw.api.bolagsverket.se",
    "portal.api.bolagsverket.se",
    "marknadssok.fi.se",
    "www.fi.se",
    "feed.mfn.se",
    "mfn.se",
    "view.news.eu.nasdaq.com",
    "apiafr.scb.se",
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
        self.answers[path] = (status, body, {name.replace("_", "-"): value for name, value in headers.items()})

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

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            said = {name.lower(): value for name, value in self.headers.items()}
            status, answer, headers = known.answer(Asked(self.command, self.path, said, body))
            # The date of an answer is the test's business.
            self.send_whole(status, answer, {"Date": NOON} | headers)

    with answering(Handler) as known.url:
        yield known


@pytest.fixture
def http(registry: Registry, tmp_path: Path) -> Iterator[HttpClient]:
    settings = HttpSettings(
        user_agent="test (test@example.com)",
        download_folder=tmp_path,
        base_urls=dict.fromkeys(HOSTS, registry.url),
        default_rate=10_000.0,
        retry_policy=RetryPolicy(attempts=3, first=0.0, longest=0.0),
        credentials={"portal.api.bolagsverket.se": ("client", "hush"), "apiafr.scb.se": ("register-key", "")},
    )
    clock = FetchClock(sleep=lambda _: None)
    with HttpClient(settings, clock) as client:
        yield client
