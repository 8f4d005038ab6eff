"""The SEC on the loopback: one server for all its hosts, which answers as a test says and notes what it was asked."""

import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.retry import RetryPolicy
from connectors.us.register import DATA_HOST, FILES_HOST
from tests.answering import Quiet, answering

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NO_KEY = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>'
Answer = tuple[int, bytes]


@dataclass
class Sec:
    """What the server answers, and what it was asked by whom."""

    answer: Callable[[str], Answer] = lambda _path: (404, NO_KEY)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    url: str = ""


@pytest.fixture
def sec() -> Iterator[Sec]:
    known = Sec()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(urllib.parse.unquote(self.path))
            known.agents.add(self.headers["User-Agent"])
            status, body = known.answer(self.path)
            if self.headers.get("If-None-Match") == known.headers.get("ETag", ""):
                status, body = 304, b""
            self.send_whole(status, body, known.headers)

    with answering(Handler) as known.url:
        yield known


@pytest.fixture
def http(sec: Sec, tmp_path: Path) -> Iterator[HttpClient]:
    settings = HttpSettings(
        user_agent="test (test@example.com)",
        download_folder=tmp_path,
        base_urls={DATA_HOST: sec.url, FILES_HOST: sec.url},
        default_rate=1e6,
        retry_policy=RetryPolicy(attempts=1),
    )
    clock = replace(FetchClock(), sleep=lambda _seconds: None, now=lambda: NOW)
    with HttpClient(settings, clock) as client:
        yield client
