"""Asking the wires: which feeds are asked for a market, only what changed, and what is read of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.retry import RetryPolicy
from connectors.news.wires import fetch as wires_fetch
from tests.answering import Quiet, answering
from tests.connectors.news.news_files import dataset, release, rows, rss

WORLD = "/rss/news-releases-list.rss"
PAGE = "https://www.prnewswire.com/news-releases/acme-302000001.html"
PLAIN = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>All News Releases</title>
<link>https://www.prnewswire.com/rss/news-releases-list.rss</link><item><title>Acme Holdings Announces Results</title>
<link>{page}</link><guid>{page}</guid><pubDate>Fri, 02 Oct 2026 20:05:00 +0000</pubDate>
<description>AUSTIN -- Acme Holdings, Inc. (NASDAQ: ACME) today said</description></item></channel></rss>"""


@dataclass
class Wires:
    asked: list[str] = field(default_factory=list)
    http: HttpClient | None = None


@pytest.fixture
def wires(tmp_path: Path) -> Iterator[Wires]:
    known = Wires()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(self.path)
            same = self.headers.get("If-None-Match") == '"1"'
            body = PLAIN.format(page=PAGE).encode() if self.path == WORLD else rss(release())
            self.send_whole(304 if same else 200, b"" if same else body, {"ETag": '"1"'})

    with answering(Handler) as url:
        hosts = dict.fromkeys((wires_fetch.HOST, wires_fetch.OTHER_HOST), url)
        settings = HttpSettings("t (t@example.com)", tmp_path, base_urls=hosts, default_rate=10_000.0,
                                retry_policy=RetryPolicy(attempts=1, first=0.0, longest=0.0))  # fmt: skip
        with HttpClient(settings, FetchClock(sleep=lambda _: None)) as known.http:
            yield known


def fetched(wires: Wires, market: str, cursor: Cursor | None = None) -> list[FetchedFile]:
    fetch = dataset(f"{market}.wires").fetch
    assert fetch is not None
    assert wires.http is not None
    return list(fetch(wires.http, cursor, ()))


def test_the_wire_of_the_world_is_asked_for_its_home_alone(wires: Wires) -> None:
    assert [one.name.partition("_")[0] for one in fetched(wires, "fi")] == ["globenewswire"]
    found = fetched(wires, "us")
    assert [one.name.partition("_")[0] for one in found] == ["globenewswire", "prnewswire"]
    assert {one.scope for one in found} == {Scope.PART}
    (row,) = rows("us.wires", found[1].body.read())
    assert (row["id"], row["publisher"], row["author"], row["symbol"]) == (
        f"prnewswire:{PAGE}",
        "PR Newswire",
        "Acme Holdings, Inc.",
        "XNAS:ACME",
    )


def test_a_feed_that_did_not_change_is_not_taken_again(wires: Wires) -> None:
    *_, last = fetched(wires, "us")
    assert fetched(wires, "us", last.cursor) == []
    assert len(wires.asked) == 4
    assert len(fetched(wires, "us", Cursor("of another release"))) == 2
