"""Asking for notices of holdings: single items of MFN, pages of the exchange, nothing twice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import Cursor
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.news.mfn import fetch as mfn_fetch
from connectors.se import SWEDEN
from connectors.se.major_holdings import fetch as major_holdings_fetch
from tests.connectors.news.news_files import mfn, mfn_item, read
from tests.connectors.se.conftest import Registry
from tests.connectors.se.notice_files import KEY, PAGE, item, listed, page, text


def test_the_stream_arrives_whole_and_goes_on_at_the_servers_time(registry: Registry, http: HttpClient) -> None:
    since = datetime(2026, 11, 15, 5, 50, tzinfo=UTC)
    for start, items in enumerate(([item(1, None)], [])):
        registry.say(mfn_fetch.stream_page_url(since, start).removeprefix("https://mfn.se"), mfn(*items))
    (arrival,) = mfn_fetch.fetch_stream(http, Cursor("2026-11-15T06:00:00+00:00"), ())
    assert arrival.body.read() == mfn(item(1, None))
    assert arrival.cursor == Cursor("2026-11-16T12:00:00+00:00")


def staged(*items: dict[str, Any]) -> dict[str, pl.DataFrame]:
    return {
        "se_mfn": pl.concat(batch.rows for batch in read("se.mfn", mfn(*items))),
        "se_release": pl.concat(batch.rows for batch in read("se.nasdaq", listed())),
    }


def test_notices_are_asked_for_one_by_one() -> None:
    made = SWEDEN.dataset(KEY)
    assert made.subjects_to_fetch is not None
    asked = list(made.subjects_to_fetch(staged(item(1, None), mfn_item(2))))
    assert asked == ["e-1 news-1", f"https://view.news.eu.nasdaq.com/view?id={PAGE}&lang=sv"]
    assert list(made.subjects_to_fetch({})) == []


def test_what_was_asked_for_is_not_asked_again(registry: Registry, http: HttpClient) -> None:
    made = SWEDEN.dataset(KEY)
    assert made.fetch is not None
    address = f"https://view.news.eu.nasdaq.com/view?id={PAGE}&lang=sv"
    registry.say("/v1/feed/e-1.json?news-id=news-1", mfn(item(1, text("5,02"))))
    registry.say(f"/view?id={PAGE}&lang=sv", page(text("5,02")))
    subjects = ["e-2 news-gone", "e-1 news-1", address]
    first, second = made.fetch(http, None, subjects)
    assert (first.name, second.name) == (f"{PAGE}_sv.html", "news-1.json")
    assert len(registry.asked) == 3
    assert list(made.fetch(http, second.cursor, subjects)) == []
    assert len(registry.asked) == 3


def test_a_feed_that_was_not_narrowed_is_refused(registry: Registry, http: HttpClient) -> None:
    """Notices of former months on it would be taken for new ones."""
    registry.say("/v1/feed/e-1.json?news-id=news-1", mfn(item(1, text("5,02")), item(2, text("6,02"))))
    with pytest.raises(UnexpectedBodyError, match="other items"):
        list(major_holdings_fetch.fetch_texts(http, None, ["e-1 news-1"]))
