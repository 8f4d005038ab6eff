"""One customer's way through the dashboard in a Chromium, and what was seen on it.

Belongs here: the world, the service, the mail server, the endpoint, the steps. Does not belong here: what must hold
of the pages (`test_dashboard_browser`).
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from connectors.sandbox import World, enough, write
from connectors.sandbox.model import Company
from tests.api.post_office import PostOffice
from tests.browsing import Tab, browsing, keep_screenshots
from tests.firm.hooked import Hooked, until
from tests.firm.inside import Inside

MARKETS = ("FI",)  # one market has every kind of event, and little to load
DAYS = 2
OWNER, LABEL = "owner@example.com", "made by keyboard"
HOSTILE = '<script>alert("company")</script><img src=x onerror=alert(1)>'
ANSWER = '</pre><script>alert("endpoint")</script><img src=x onerror=alert(2)>'
WEBHOOKS = "/dashboard/webhooks"


class Hostile(World):
    """Companies whose names are made to break out of a page."""

    def company(self, market: str, position: int, day: int) -> Company:
        return replace(super().company(market, position, day), name=f"{HOSTILE} {position}")


class Endpoint(ThreadingHTTPServer):
    """A receiver that answers the first attempt of everything with 500 and a hostile page, all others with 200."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.got: dict[str, int] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Answering(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["event_id"]
        self.server.got[event] = self.server.got.get(event, 0) + 1
        body = ANSWER.encode()
        self.send_response(500 if self.server.got[event] == 1 else 200)
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


@dataclass
class Seen:
    """What a browser found on each page, by the names of the looks; `facts` are what the tour met beside them."""

    base: str = ""
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    visited: list[list[Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def make_tour(office: PostOffice, into: Path) -> None:
    """Fills a folder with seen.json and two screenshots of every page."""
    firm = Hooked(into / "data", _settings(office))
    world = Hostile(seed=23, companies=enough(DAYS, MARKETS), days=DAYS, markets=MARKETS)
    days = write(world, into / "days", with_truth=False)
    firm.ingest(days[0], "fi")
    with firm.serving() as client, endpoint() as receiver, browsing(into) as browser:
        seen = Seen(str(client.base_url).rstrip("/"))
        tour = Tour(firm, office, receiver, client, seen, browser.tab(scripts=False), days[1])
        tour.sign_up_by_keyboard()
        tour.use_the_key()
        tour.subscribe()
        tour.receive()
        tour.resume_and_replay()
        tour.replace_and_delete()
        tour.second_browser(browser.tab())
        tour.refused()
        seen.visited += tour.tab.visited()
    (into / "seen.json").write_text(json.dumps(asdict(seen)))
    keep_screenshots(into, "dashboard")


def read_tour(folder: Path) -> Seen:
    return Seen(**json.loads((folder / "seen.json").read_text()))


def _settings(office: PostOffice) -> tuple[tuple[str, str], ...]:
    """Mail to the test's server, an attempt again at once, revoked keys refused at once."""
    return (
        ("FIRM_SMTP_HOST", "localhost"),
        ("FIRM_SMTP_PORT", str(office.port)),
        ("FIRM_SMTP_SECURITY", "none"),
        ("FIRM_WEBHOOK_WAITS", "0,60,60,60,60"),
        ("FIRM_KEY_CACHE_SECONDS", "0"),
    )


@dataclass
class Tour:
    """One customer, from nothing to the end."""

    firm: Hooked
    office: PostOffice
    receiver: Endpoint
    client: httpx.Client
    seen: Seen
    tab: Tab
    next_day: Path

    def look(self, name: str, tab: Tab | None = None) -> None:
        self.seen.looks[name] = (tab or self.tab).look(name)

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

    def sign_up_by_keyboard(self) -> None:
        """No pointer and no script from the first page to the first key."""
        tab = self.tab
        self.open("/dashboard")
        self.look("sign-in")
        tab.reach("textbox", "E-mail address")
        tab.write(OWNER)
        tab.reach("button", "Send me a link")
        link = self.link(tab.enter)
        self.look("sent")
        tab.open(link)
        self.look("link")
        tab.reach("button", "Sign in")
        tab.enter()
        self.look("usage-new")
        tab.reach("link", "Keys")
        tab.enter()
        self.look("keys-none")
        tab.reach("textbox", "Label")
        tab.write(LABEL)
        tab.reach("button", "Make the key")
        tab.enter()
        self.look("key-made")
        self.seen.facts["key"] = tab.value("Key")
        tab.open(link)
        self.look("link-spent")

    def use_the_key(self) -> None:
        """The key works at once, and what it asked stands on the page of usage."""
        headers = {"Authorization": f"Bearer {self.seen.facts['key']}"}
        answers = [self.client.get("/api/v1/companies?limit=1", headers=headers) for _ in range(3)]
        self.seen.facts["answers"] = [answer.status_code for answer in answers]

        def counted() -> bool:
            self.open("/dashboard")
            return "3 of " in self.tab.text()

        until(counted, "the page of usage does not tell of 3 requests")
        self.look("usage")
        self.open("/dashboard/keys")
        self.tab.check("Publishable")
        self.tab.fill("Domains", "not a domain")
        self.tab.press("Make the key")
        self.look("keys-refused")
        self.tab.fill("Domains", "shop.example.com\n*.example.org")
        self.tab.fill("Label", "shop")
        self.tab.press("Make the key")
        self.look("key-made-public")
        self.tab.follow("I have copied it")
        self.look("keys")

    def subscribe(self) -> None:
        tab = self.tab
        tab.follow("Webhooks")
        self.look("webhooks-no-tier")
        self.operator("accounts", "set-tier", "--account", OWNER, "--tier", "pro")
        self.open(WEBHOOKS)
        self.look("webhooks-none")
        tab.fill("Endpoint", "https://10.0.0.1/hook")
        tab.check("filing.added")
        tab.press("Subscribe")
        self.look("webhooks-refused")
        self.seen.facts["secret"] = self._subscribed("for everybody")
        self.look("secret")
        tab.follow("I have copied it")
        self.seen.facts["page"] = tab.address()
        self.look("webhook-new")
        self.seen.facts["waiting"] = self._waiting()
        self.open(WEBHOOKS)
        self.look("webhooks")

    def _waiting(self) -> str:
        """A second subscription, paused before anything happens; its page."""
        self.open(WEBHOOKS)
        self._subscribed("paused for a while")
        self.tab.follow("I have copied it")
        self.tab.press("Pause")
        self.look("webhook-paused")
        return self.tab.address().partition("?")[0]

    def _subscribed(self, description: str) -> str:
        tab = self.tab
        tab.fill("Endpoint", self.receiver.url)
        for kind in ("filing.added", "ownership.changed", "status.changed"):
            tab.check(kind)
        tab.fill("Description", description)
        tab.press("Subscribe")
        return tab.value("Secret")

    def receive(self) -> None:
        """A test, then a day of change: every delivery fails once, is repeated, and can be read."""
        tab, page = self.tab, self.seen.facts["page"]
        tab.open(page)
        tab.unfold("Send a test")
        tab.press("Send it now")
        tab.unfold("Body that came back")
        tab.unfold("Headers that came back")
        self.look("tested")
        self.firm.ingest(self.next_day, "fi")

        def delivered() -> bool:
            tab.open(f"{page}?status=succeeded")
            return "filing.added" in tab.text("table") if "There is none." not in tab.text() else False

        until(delivered, "nothing was delivered")
        tab.open(page)
        self.look("webhook")
        tab.open(f"{page}?status=succeeded")
        tab.follow("filing.added")
        tab.unfold("Body that came back")
        self.look("delivery")
        self.seen.facts["deliveries"] = dict(self.receiver.got)
        tab.press("Try once more now")
        self.look("delivery-retried")

    def resume_and_replay(self) -> None:
        tab = self.tab
        tab.open(self.seen.facts["waiting"])
        self.look("webhook-held")
        tab.press("Resume")
        self.look("webhook-resumed")
        tab.unfold("Deliver again what failed or was held")
        tab.press("Deliver again")
        self.look("replay")

        def complete() -> bool:
            tab.open(tab.address())
            return "Complete" in tab.text()

        until(complete, "the replay does not end")
        self.look("replay-complete")

    def replace_and_delete(self) -> None:
        tab = self.tab
        tab.open(self.seen.facts["page"])
        tab.unfold("Replace the secret")
        tab.choose("The former one goes on signing", "1")
        tab.press("Replace the secret")
        self.look("secret-replaced")
        self.seen.facts["secret_after"] = tab.value("Secret")
        tab.follow("I have copied it")
        tab.unfold("Delete")
        tab.press("Delete for ever")
        self.look("webhook-deleted")
        self.open("/dashboard/keys")
        tab.unfold("revoke")
        tab.press("Revoke for ever")
        self.look("keys-revoked")

    def second_browser(self, other: Tab) -> None:
        """Signed in twice; each can sign the other out, and itself. Scripts are on, as in most browsers."""
        self._sign_in(other)
        self._hostile_pages(other)
        self.open("/dashboard/sessions")
        self.look("sessions")
        self.tab.press("Sign out the browser")
        self._sign_in(other)
        self.open("/dashboard/sessions")
        self.tab.press("Sign out all others")
        self._sign_in(other)
        other.press("Sign out")
        self.seen.facts["signed_out"] = other.address()
        self.seen.visited += other.visited()

    def _hostile_pages(self, tab: Tab) -> None:
        """What companies and endpoints wrote, where scripts would run."""
        tab.open(self.seen.facts["waiting"])
        tab.follow("filing.added")
        self.look("delivery-scripts", tab)
        tab.open(self.seen.facts["waiting"])
        tab.unfold("Send a test")
        tab.press("Send it now")
        tab.unfold("Body that came back")
        self.look("tested-scripts", tab)

    def _sign_in(self, tab: Tab) -> None:
        tab.open(f"{self.seen.base}/dashboard/sign-in")
        tab.fill("E-mail address", OWNER)
        tab.open(self.link(lambda: tab.press("Send me a link")))
        tab.press("Sign in")

    def refused(self) -> None:
        self.open(f"{WEBHOOKS}/whs_{'0' * 26}")
        self.look("not-there")
        self.operator("accounts", "suspend", OWNER)
        self.open("/dashboard")
        self.look("suspended")
