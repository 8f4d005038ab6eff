"""A server on the loopback that answers as the Finnish services are documented to."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from connectors.kit.http import Clock, Http, HttpSettings
from connectors.kit.retry import Retry

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

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(self.path)
            status, body = known.answer(self.path)
            if self.headers.get("If-None-Match") == known.headers.get("ETag", ""):
                status, body = 304, b""
            self.send_response_only(status)
            for name, value in ({"Date": known.date} | known.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

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
def http(service: Service, tmp_path: Path) -> Iterator[Http]:
    settings = HttpSettings(
        user_agent="test (test@example.com)",
        folder=tmp_path,
        bases=dict.fromkeys(HOSTS, service.url),
        rate=10_000.0,
        retry=Retry(attempts=2, first=0.0, longest=0.0),
    )
    with Http(settings, Clock(sleep=lambda _: None)) as client:
        yield client
