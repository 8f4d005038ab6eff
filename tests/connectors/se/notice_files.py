"""Notices of holdings written by hand: items of MFN, pages and lists of the exchange."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from tests.connectors.news.news_files import mfn_item

KEY = "se.flagging"
COMPANY = "firm:SE:5560360793"
AT = datetime(2026, 11, 16, 6, tzinfo=UTC)
HOLDER = "Påhitt Kapital AB"
TAGS = {"tags": [":regulatory", "sub:ci:shareholder-announcement"]}
PAGE = "b00000000000000000000000000000001"


def text(shares: str, votes: str = "4,1", day: str = "12 november 2026", holder: str = HOLDER) -> str:
    return (
        f"<p>Exempel AB (publ) har mottagit ett flaggningsmeddelande från {holder}. Efter en transaktion den {day} uppgår innehavet"
        f" till {shares} procent av aktierna och {votes} procent av rösterna.</p>"
    )


def item(number: int, html: str | None, **values: Any) -> dict[str, Any]:
    content = {"title": "Flaggningsmeddelande i Exempel AB", "publish_date": f"2026-11-{12 + number:02}T07:00:00Z"}
    content |= {"html": html} if html else {}
    content |= values.pop("content", {})
    return mfn_item(number, content=content, properties=TAGS | values.pop("properties", {}), **values)


def page(body: str) -> bytes:
    return f"<!DOCTYPE html><html><body><h1>Flaggningsmeddelande</h1>{body}</body></html>".encode()


def listed(released: str = "2026-11-13 07:00:00", company: str = "Exempel AB") -> bytes:
    """The exchange's list with the one page."""
    one = {
        "disclosureId": 7,
        "categoryId": 144,
        "headline": "Flaggningsmeddelande",
        "language": "sv",
        "languages": ["sv"],
        "cnsCategory": "Major shareholder announcements",
        "messageUrl": f"https://view.news.eu.nasdaq.com/view?id={PAGE}&lang=sv",
        "releaseTime": released,
        "market": "Main Market, Stockholm",
        "company": company,
    }
    return json.dumps({"results": {"item": [one]}}).encode()
