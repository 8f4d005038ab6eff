"""news.published and event.regulatory: what is told, when, and how often (docs/contract/contract.md 4.6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.news import news_events
from tests.pipelines.frames import COMPANY, DAY_1, DAY_2, company, difference, frame, occasion, whole
from warehouse.schema import ids
from warehouse.schema.tables import COMPANIES, NEWS, NOTICES, Table

PUBLISHED = datetime(2026, 1, 1, 21, 3, 43, tzinfo=UTC)


def item(**values: Any) -> dict[str, Any]:
    plain = {
        "company_id": COMPANY,
        "news_id": "nws_1",
        "title": "Results of Operations",
        "url": "https://example.org/1",
        "publisher": "Wire",
        "language": "en",
        "published_at": PUBLISHED,
        "categories": ["earnings"],
        "native_id": "n-1",
        "register": "xx.register",
        "raw": "ab",
        "observed_at": DAY_2,
    }
    return plain | values


def notice(**values: Any) -> dict[str, Any]:
    plain = {
        "company_id": COMPANY,
        "notice_id": "ntc_1",
        "authority": "The Authority",
        "authority_country": "US",
        "action_type": "announcement",
        "title": "Bankruptcy or Receivership",
        "published_at": PUBLISHED,
        "native_id": "n-1",
        "register": "xx.register",
        "raw": "ab",
        "observed_at": DAY_2,
    }
    return plain | values


def told(
    table: Table, before: list[dict], after: list[dict], on: EmissionContext | None = None, known: bool = True
) -> list[Any]:
    companies = difference(COMPANIES, frame(COMPANIES), frame(COMPANIES))
    companies.known = pl.Series("company_id", [COMPANY] if known else [], pl.String)
    found = {"companies": companies, table.name: difference(table, frame(table, *before), frame(table, *after))}
    image = whole({"companies": frame(COMPANIES, company())})
    return list(news_events(found, image, on or occasion()))


def test_news_is_spelled_as_the_contract_says() -> None:
    [event] = told(NEWS, [], [item()])
    assert event.event_id == ids.news_published_id(COMPANY, "n-1")
    assert (event.event_type, event.occurred_at) == ("news.published", PUBLISHED)
    assert event.data == (
        '{"company_id":"firm:FI:0000001-9","org_nr":"0000001-9","name":"Yhtiö Oy","country":"FI",'
        '"occurred_at":"2026-01-01T21:03:43Z",'
        '"source":{"register":"xx.register","native_id":"n-1","url":"https://example.org/1",'
        '"retrieved_at":"2026-01-02T00:00:00Z"},'
        '"news":{"news_id":"nws_1","title":"Results of Operations","summary":null,'
        '"url":"https://example.org/1","publisher":"Wire","language":"en",'
        '"published_at":"2026-01-01T21:03:43Z","categories":["earnings"]}}'
    )


def test_a_notice_is_spelled_as_the_contract_says() -> None:
    [event] = told(NOTICES, [], [notice()])
    assert event.event_id == ids.regulatory_event_id("The Authority", "n-1", COMPANY)
    assert event.event_type == "event.regulatory"
    assert json.loads(event.data)["notice"] == {
        "notice_id": "ntc_1",
        "authority": "The Authority",
        "authority_country": "US",
        "action_type": "announcement",
        "title": "Bankruptcy or Receivership",
        "summary": None,
        "url": None,
        "published_at": "2026-01-01T21:03:43Z",
        "amount": None,
        "currency": None,
    }


def test_what_was_told_or_is_corrected_is_not_told_again() -> None:
    assert told(NEWS, [item()], [item()]) == []
    assert told(NEWS, [item()], [item(title="Corrected")]) == []


@pytest.mark.parametrize("table", [NEWS, NOTICES], ids=["news", "notices"])
def test_what_was_published_before_the_baseline_or_comes_with_it_is_silent(table: Table) -> None:
    make = item if table is NEWS else notice
    assert told(table, [], [make(published_at=DAY_1 - timedelta(days=1))]) == []
    assert told(table, [], [make()], occasion(baseline=DAY_2)) == []
    assert told(table, [], [make()], known=False) == []
    assert told(table, [], [make()], occasion(late=("xx.register",))) == []


def test_texts_are_cut_to_fit() -> None:
    [event] = told(NEWS, [], [item(title="t" * 400, summary="s" * 2_000)])
    news = json.loads(event.data)["news"]
    assert (len(news["title"]), len(news["summary"])) == (300, 1_000)


def test_a_difference_without_news_tells_of_none() -> None:
    companies = difference(COMPANIES, frame(COMPANIES), frame(COMPANIES))
    assert list(news_events({"companies": companies}, whole({}), occasion())) == []
