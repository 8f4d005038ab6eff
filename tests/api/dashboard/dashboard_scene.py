"""What stands around the tour of the dashboard: an endpoint that answers with a hostile page, settings, who visits.

Does not belong here: the steps of the tour (`dashboard_tour`).
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from tests.api.billing.stripe_server import KEY, SIGNING_SECRET, FakeStripe
from tests.api.fixtures.mail_server import PostOffice
from tests.browsing import Tab
from tests.firm.hooked import Hooked, until
from tests.firm.inside import Inside

OWNER = "owner@example.com"
FORGED = "made by a forged form"
ANSWER = '</pre><script>alert("endpoint")</script><img src=x onerror=alert(2)>'


class Endpoint(ThreadingHTTPServer):
    """A receiver that answers the first attempt at every path with 500 and a hostile page, all others with 200.

    Its own page frames the dashboard and forges a form of it. Being of the same host on another port it is of the
    same site, so browsers send it the cookies that SameSite keeps from others.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.got: dict[str, int] = {}
        self.attacked = ""

    def forgery(self) -> bytes:
        return (
            f"<!doctype html><title>Win</title><iframe src='{self.attacked}/dashboard/keys'></iframe>"
            f"<form method=post action='{self.attacked}/dashboard/keys'><input type=hidden name=kind value=live>"
            f"<input type=hidden name=label value='{FORGED}'><button>Win</button></form>"
        ).encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Answering(BaseHTTPRequestHandler):
    server: Endpoint

    def do_GET(self) -> None:
        self._answer(200, self.server.forgery())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        event = f"{self.path} {body['event_id']}"
        self.server.got[event] = self.server.got.get(event, 0) + 1
        self._answer(500 if self.server.got[event] == 1 else 200, ANSWER.encode())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("X-Said", ANSWER)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def settings(office: PostOffice, stripe: str) -> tuple[tuple[str, str], ...]:
    """Mail to the test's server, payments at a small Stripe, an attempt again at once, keys looked up each time."""
    return (
        ("FIRM_OPERATORS", OWNER),
        ("FIRM_STRIPE_SECRET_KEY", KEY),
        ("FIRM_STRIPE_SIGNING_SECRET", SIGNING_SECRET),
        ("FIRM_STRIPE_PRICES", "basic=price_basic,pro=price_pro"),
        ("FIRM_STRIPE_ADDRESS", stripe),
        ("FIRM_SMTP_HOST", "localhost"),
        ("FIRM_SMTP_PORT", str(office.port)),
        ("FIRM_SMTP_SECURITY", "none"),
        ("FIRM_WEBHOOK_WAITS", "0,60,60,60,60"),
        ("FIRM_KEY_CACHE_SECONDS", "0"),
    )


@dataclass
class Seen:
    """What a browser found on each page, by the names of the looks; `facts` are what the tour met beside them."""

    base: str = ""
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    visited: list[list[Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def read_tour(folder: Path) -> Seen:
    return Seen(**json.loads((folder / "seen.json").read_text()))


@dataclass
class Customer:
    """Who goes through the dashboard in a tab, with what is around it."""

    firm: Hooked
    office: PostOffice
    stripe: FakeStripe
    receiver: Endpoint
    client: httpx.Client
    seen: Seen
    tab: Tab
    next_day: Path

    def look(self, name: str, tab: Tab | None = None) -> None:
        self.seen.looks[name] = (tab or self.tab).look(name)

    def see(self, name: str, tab: Tab | None = None) -> None:
        """For a page that was looked at in another state."""
        self.seen.looks[name] = (tab or self.tab).see()

    def open(self, path: str) -> None:
        self.tab.open(self.seen.base + path)

    def operator(self, *command: str) -> None:
        said = Inside(self.firm.data).run(*command)
        assert said.exit_code == 0, said.err

    def link(self, ask: Callable[[], None]) -> str:
        """The link in the mail that comes of it."""
        before = len(self.office.posts)
        ask()
        until(lambda: len(self.office.posts) > before, "no mail came")
        (link,) = [line for line in self.office.posts[-1].text.splitlines() if line.startswith("http")]
        return link

    def ask(self) -> int:
        """What the API answers to the first key."""
        headers = {"Authorization": f"Bearer {self.seen.facts['key']}"}
        return self.client.get("/api/v1/companies?limit=1", headers=headers).status_code
