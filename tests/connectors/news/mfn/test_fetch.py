"""Asking MFN: pages until nothing new comes, however long they are, and where the next run goes on."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.retry import RetryPolicy
from connectors.news.mfn import fetch as mfn_fetch
from tests.answering import Quiet, answering
from tests.connectors.news.news_files import mfn, mfn_item

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@dataclass
class Wire:
    """So many items, at most so many on a page; `is_deaf`: gives its first page whatever is asked for."""

    items: int = 0
    most: int = 100
    is_deaf: bool = False
    asked: list[dict[str, str]] = field(default_factory=list)
    http: HttpClient | None = None

    def page(self, query: dict[str, str]) -> bytes:
        start = 0 if self.is_deaf else int(query["offset"])
        length = min(self.most, int(query["limit"]))
        return mfn(*(mfn_item(number) for number in range(self.items)[start : start + length]))


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    known = Wire()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            known.asked.append(query)
            self.send_whole(200, known.page(query), {"Content-Type": "application/json"})

    with answering(Handler) as url:
        settings = HttpSettings("t (t@example.com)", tmp_path, base_urls={mfn_fetch.HOST: url}, default_rate=10_000.0,
                                retry_policy=RetryPolicy(attempts=1, first=0.0, longest=0.0))  # fmt: skip
        with HttpClient(settings, FetchClock(now=lambda: NOON, sleep=lambda _: None)) as known.http:
            yield known


def fetched(wire: Wire, cursor: Cursor | None = None) -> Iterator[FetchedFile]:
    assert wire.http is not None
    yield from mfn_fetch.fetch_stream(wire.http, cursor, ())


def taken(wire: Wire, cursor: Cursor | None = None) -> tuple[list[str], list[Cursor | None]]:
    found = list(fetched(wire, cursor))
    ids = [item["news_id"] for one in found for item in json.loads(one.body.read())["items"]]
    return ids, [one.cursor for one in found]


@pytest.mark.parametrize(("items", "most"), [(0, 100), (7, 100), (100, 100), (250, 100), (70, 30)])
def test_pages_are_asked_for_until_there_are_no_more(wire: Wire, items: int, most: int) -> None:
    wire.items, wire.most = items, most
    ids, cursors = taken(wire)
    assert ids == [f"news-{number}" for number in range(items)]
    assert cursors[:-1] == [None] * (len(cursors) - 1)
    assert cursors[-1] == Cursor(NOON.isoformat())  # with the last page alone: what breaks off is asked for again


def test_a_page_that_comes_again_is_the_end(wire: Wire) -> None:
    wire.items, wire.is_deaf = 20, True
    assert len(taken(wire)[0]) == 20
    assert len(wire.asked) == 2


def test_full_page_that_comes_again_is_told_and_requested_again(wire: Wire) -> None:
    wire.items, wire.is_deaf = 250, True
    found: list[FetchedFile] = []
    with pytest.raises(UnexpectedBodyError, match="100 items, and no page with the older ones since 2026-11-14 12:00"):
        found.extend(fetched(wire))
    assert [one.cursor for one in found] == [None]


def test_stream_that_is_longer_than_a_run_fetches_is_told_once(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mfn_fetch, "PAGES", 2)
    wire.items = 201
    found: list[FetchedFile] = []
    with pytest.raises(UnexpectedBodyError, match="200 items, and no page with the older ones"):
        found.extend(fetched(wire))
    assert [one.cursor for one in found] == [None, Cursor(NOON.isoformat())]


def test_the_next_run_goes_on_ten_minutes_before_the_last(wire: Wire) -> None:
    taken(wire, Cursor("2026-11-16T10:00:00+00:00"))
    taken(wire, Cursor("2026-12-16T10:00:00+00:00"))  # a clock that was ahead
    taken(wire, Cursor("yesterday"))
    assert [query["after"] for query in wire.asked] == [
        "2026-11-16T09:50:00Z",
        "2026-11-16T11:50:00Z",
        "2026-11-14T12:00:00Z",
    ]
