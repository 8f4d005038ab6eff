"""Asking for feeds: by validators, each for itself, and loud where HTML comes with status 200."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from connectors.contract.dataset import Cursor, Scope
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.retry import RetryPolicy
from connectors.regulators import fetch as regulators_fetch
from tests.answering import Quiet, answering
from tests.connectors.regulators.feeding import rss

HOST = "www.sec.gov"
URLS = (f"https://{HOST}/litigation-releases/rss", f"https://{HOST}/trading-suspensions/rss")


@dataclass
class Authority:
    http: HttpClient | None = None
    body: bytes = field(default_factory=lambda: rss([{"title": "A"}]))
    tags: dict[str, str] = field(default_factory=dict)
    broken: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    known = Authority()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append(self.path)
            tag = known.tags.get(self.path, '"1"')
            same = self.headers.get("If-None-Match") == tag
            body = known.broken.get(self.path, known.body)
            self.send_whole(304 if same else 200, b"" if same else body, {"ETag": tag})

    with answering(Handler) as url:
        settings = HttpSettings("t (t@example.com)", tmp_path, base_urls={HOST: url}, default_rate=10_000.0,
                                retry_policy=RetryPolicy(attempts=1, first=0.0, longest=0.0))  # fmt: skip
        with HttpClient(settings, FetchClock(sleep=lambda _: None)) as known.http:
            yield known


def taken(authority: Authority, cursor: Cursor | None) -> tuple[list[str], Cursor | None]:
    assert authority.http is not None
    names = []
    for arrival in regulators_fetch.fetch_feeds(URLS, authority.http, cursor, ()):
        assert arrival.scope is Scope.FEED
        names.append(arrival.name.rpartition("_")[0])
        cursor = arrival.cursor
    return names, cursor


def test_only_what_changed_is_taken(authority: Authority) -> None:
    names, cursor = taken(authority, None)
    assert names == ["litigation-releases", "trading-suspensions"]
    assert taken(authority, cursor)[0] == []
    authority.tags["/trading-suspensions/rss"] = '"2"'
    assert taken(authority, cursor)[0] == ["trading-suspensions"]
    assert authority.asked == ["/litigation-releases/rss", "/trading-suspensions/rss"] * 3


def feed(*numbers: int) -> bytes:
    return rss([{"title": "Act", "link": f"https://{HOST}/act-{number}"} for number in numbers])


def test_feed_without_any_item_of_the_run_before_is_told_once_and_kept(authority: Authority) -> None:
    """The machine was off for a week: what was published and left the feed meanwhile is never read."""
    litigation, suspensions = "/litigation-releases/rss", "/trading-suspensions/rss"
    authority.broken = {litigation: feed(3, 2, 1)}
    _, cursor = taken(authority, None)
    authority.broken[litigation] = feed(5, 4, 3)
    authority.tags[litigation] = '"2"'
    names, cursor = taken(authority, cursor)  # they meet
    assert names == ["litigation-releases"]
    authority.broken[litigation] = feed(12, 11, 10)
    authority.tags = {litigation: '"3"', suspensions: '"3"'}
    assert authority.http is not None
    found = regulators_fetch.fetch_feeds(URLS, authority.http, cursor, ())
    kept = [next(found), next(found)]
    assert [one.name.rpartition("_")[0] for one in kept] == ["litigation-releases", "trading-suspensions"]
    with pytest.raises(UnexpectedBodyError, match="some between these and those are missing"):
        next(found)
    assert kept[-1].cursor is not None
    assert "act-" not in kept[-1].cursor.value  # addresses may name persons
    authority.tags[litigation] = '"4"'
    assert taken(authority, kept[-1].cursor)[0] == ["litigation-releases"]


def test_a_cursor_of_another_release_is_forgotten(authority: Authority) -> None:
    assert len(taken(authority, Cursor("{]"))[0]) == len(URLS)


def test_one_feed_that_fails_holds_up_none_of_the_others(authority: Authority) -> None:
    authority.broken = {"/litigation-releases/rss": b"<!doctype html><html>Access denied</html>"}
    assert authority.http is not None
    found = regulators_fetch.fetch_feeds(URLS, authority.http, None, ())
    assert next(found).name.startswith("trading-suspensions_")
    with pytest.raises(UnexpectedBodyError):
        next(found)


def test_a_page_of_html_with_status_200_is_an_error(authority: Authority) -> None:
    authority.body = b"<!doctype html><html>Access denied</html>"
    with pytest.raises(UnexpectedBodyError):
        taken(authority, None)
