"""A server on the loopback that answers as the Finnish services are documented to."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.retry import RetryPolicy
from tests.answering import Quiet, answering

NOON = "Mon, 16 Nov 2026 12:00:00 GMT"
HOSTS = ("avoindata.prh.fi", "api.news.eu.nasdaq.com", "view.news.eu.nasdaq.com")
Answer = tuple[int, bytes]


@dataclass
class Service:
    """Answers by address, or by a function of it; remembers what it was asked."""

    answer: Callable[[str], Answer] = lambda _: (404, b"")
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    date: str = NOON
    url: str = ""


@pytest.fixture
def service() -> Iterator[Service]:
    known = Service()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(self.path)
            status, body = known.answer(self.path)
            if self.headers.get("If-None-Match") == known.headers.get("ETag", ""):
                status, body = 304, b""
            self.send_whole(status, body, {"Date": known.date} | known.headers)

    with answering(Handler) as known.url:
        yield known


@pytest.fixture
def http(service: Service, tmp_path: Path) -> Iterator[HttpClient]:
    settings = HttpSettings(
        user_agent="test (test@example.com)",
        download_folder=tmp_path,
        base_urls=dict.fromkeys(HOSTS, service.url),
        default_rate=10_000.0,
        retry_policy=RetryPolicy(attempts=2, first=0.0, longest=0.0),
    )
    with HttpClient(settings, FetchClock(sleep=lambda _: None)) as client:
        yield client
