"""The dashboard as a browser meets it: a service under uvicorn, a mail server, a jar of cookies."""

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from lxml import html

from api.runtime.uvicorn_server import build_server
from tests.api.fixtures.mail_server import Post, PostOffice

PATIENCE_SECONDS = 20.0
HOST = "api.example.com"
ORIGIN = f"https://{HOST}"
LINK = re.compile(r"https://api\.example\.com(/dashboard/sign-in/link\?token=(firm_link_[0-9a-f]{64}))\n")


@dataclass
class Browser:
    """Keeps cookies as a browser does, and sends forms from the page they stand on."""

    http: httpx.Client
    cookies: dict[str, str] = field(default_factory=dict)
    set_by: list[str] = field(default_factory=list)
    """Every Set-Cookie that came."""

    def ask(self, method: str, path: str, content: bytes | None = None, **headers: str | None) -> httpx.Response:
        given = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        given |= {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        answer = self.http.request(method, path, content=content, headers=given)
        self.http.cookies.clear()
        for written in answer.headers.get_list("set-cookie"):
            self._keep(written)
        return answer

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.ask("GET", path, **headers)

    def post(self, path: str, fields: dict[str, str], **headers: str | None) -> httpx.Response:
        content = str(httpx.QueryParams(fields)).encode()
        told = {"origin": ORIGIN, "content_type": "application/x-www-form-urlencoded"} | headers
        return self.ask("POST", path, content, **told)

    def submit(self, page: str, action: str, **fields: str) -> httpx.Response:
        """Opens a page and sends the form with that action, with its hidden fields."""
        return self.post(action, hidden(self.get(page), action) | fields)

    def follow(self, answer: httpx.Response) -> httpx.Response:
        """The page that a form leads to."""
        assert answer.status_code == 303, (answer.status_code, texts(answer, "//*[@role='alert']"))
        return self.get(answer.headers["location"])

    def _keep(self, written: str) -> None:
        self.set_by.append(written)
        name, _, rest = written.partition("=")
        value, _, attributes = rest.partition(";")
        if "max-age=0" in attributes.lower():
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


def hidden(answer: httpx.Response, action: str, status: int = 200) -> dict[str, str]:
    """The hidden fields of the form with that action."""
    assert answer.status_code == status, answer.text
    (form, *_) = html.fromstring(answer.text).xpath("//form[@action=$action]", action=action)
    return {one.get("name"): one.get("value") for one in form.xpath(".//input[@type='hidden']")}


def texts(answer: httpx.Response, path: str) -> list[str]:
    """The text of the elements at that XPath, with single blanks."""
    return [" ".join(one.text_content().split()) for one in html.fromstring(answer.text).xpath(path)]


@dataclass
class Desk:
    """A running dashboard. `made` is the service of `serve`."""

    made: Any
    base: str
    office: PostOffice
    browsers: list[Browser] = field(default_factory=list)

    def browser(self, **headers: str) -> Browser:
        """One that has never been here."""
        told = {"host": HOST, "user-agent": "Testing 1.0"}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        http = httpx.Client(base_url=self.base, headers=told, trust_env=False, timeout=PATIENCE_SECONDS)
        self.browsers.append(Browser(http))
        return self.browsers[-1]

    def mails(self, count: int) -> list[Post]:
        """So many mails, once they have come."""
        until = time.monotonic() + PATIENCE_SECONDS
        while len(self.office.posts) < count:
            assert time.monotonic() < until, f"{len(self.office.posts)} of {count} mails came"
            time.sleep(0.01)
        return self.office.posts

    def link(self, email: str, browser: Browser) -> str:
        """Asks for a link in that browser, and gives the path in the mail that comes."""
        before = len(self.office.posts)
        asked = browser.submit("/dashboard/sign-in", "/dashboard/sign-in", email=email)
        assert asked.status_code == 303, asked.text
        return link_in(self.mails(before + 1)[-1])

    def signed_in(self, email: str = "owner@example.com", **headers: str) -> Browser:
        browser = self.browser(**headers)
        entered = browser.submit(self.link(email, browser), "/dashboard/sign-in/link")
        assert (entered.status_code, entered.headers["location"]) == (303, "/dashboard")
        return browser


def link_in(post: Post) -> str:
    found = LINK.search(post.text)
    assert found, post.text
    return found[1]


@pytest.fixture(scope="session")
def post_office() -> Iterator[PostOffice]:
    """A mail server in a thread of its own."""
    office, ready, loop, stop = PostOffice(), threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    async def main() -> None:
        async with office.open():
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()))
    thread.start()
    assert ready.wait(PATIENCE_SECONDS)
    yield office
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


@pytest.fixture
def office(post_office: PostOffice) -> PostOffice:
    """The mail server, empty."""
    post_office.posts.clear()
    post_office.answers.clear()
    return post_office


@contextlib.contextmanager
def listening(made: Any, settings: Any) -> Iterator[str]:
    """The service under uvicorn in a thread; its address."""
    running, ready = build_server(made.app, settings, "127.0.0.1", 0), threading.Event()
    startup = running.startup

    async def told(sockets: Any = None) -> None:
        await startup(sockets)
        ready.set()

    running.startup = told  # type: ignore[method-assign]
    thread = threading.Thread(target=lambda: asyncio.run(running.serve()))
    thread.start()
    assert ready.wait(PATIENCE_SECONDS)
    try:
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join()


@pytest.fixture
def open_desk(serve: Any, world: Any, office: PostOffice) -> Iterator[Callable[..., Desk]]:
    """Starts dashboards; they end with the test."""
    from api.settings.service import ApiSettings

    with contextlib.ExitStack() as stack:

        def start(shown: Any = world, **settings: Any) -> Desk:
            made = serve(shown, with_client=False, **({"mail": office.settings()} | settings))
            base = stack.enter_context(listening(made, ApiSettings(shutdown_seconds=PATIENCE_SECONDS)))
            desk = Desk(made, base, office)
            stack.callback(lambda: [one.http.close() for one in desk.browsers])
            return desk

        yield start


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    return open_desk()
