"""Bodies of wires after docs/formats/news.md 2.x, written by hand, and what reads them."""

import hashlib
import io
import json
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import polars as pl

import connectors
from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)
MARKETS = {made.code: made for made in connectors.JURISDICTIONS}
LEI = "549300A0JPRWG1KI7U06"
DCMI = "http://dublincore.org/documents/dcmi-namespace/"


def dataset(key: str) -> Dataset:
    return MARKETS[key.split(".", maxsplit=1)[0].upper()].dataset(key)


def read(key: str, body: bytes, name: str = "x") -> list[Batch]:
    made = dataset(key)
    piece = ArchiveMember(key, name, hashlib.sha256(body).hexdigest(), NOW, Scope.PART, "b", lambda: io.BytesIO(body))
    return [batch for part in made.split_members(piece) for batch in made.read_batches(part)]


def rows(key: str, body: bytes) -> list[dict[str, Any]]:
    return pl.concat(batch.rows for batch in read(key, body)).to_dicts()


def reasons(key: str, body: bytes) -> list[str]:
    return [reason for batch in read(key, body) for reason in batch.rejects["reason"]]


def signals(key: str, body: bytes) -> dict[tuple[str, str], int]:
    return {(one.code, one.subject): one.count for batch in read(key, body) for one in batch.signals}


def mfn_item(number: int = 1, **values: Any) -> dict[str, Any]:
    """One item; `author`, `properties` and `content` take members of theirs."""
    author = {
        "entity_id": "e-1",
        "slug": "exempel",
        "name": "Exempel AB",
        "isins": ["SE0000112724"],
        "leis": [LEI],
        "local_refs": ["SE:556036-0793"],
        "tickers": ["XSTO:EXMP"],
    }
    properties = {"lang": "en", "type": "ir", "tags": [":regulatory"], "scopes": ["SE"]}
    content = {"title": f"Exempel signs agreement {number}", "publish_date": "2026-11-15T07:00:00Z"}
    return {
        "news_id": f"news-{number}",
        "group_id": f"group-{number}",
        "url": f"https://mfn.se/a/exempel/{number}",
        "author": author | values.pop("author", {}),
        "subjects": [],
        "properties": properties | values.pop("properties", {}),
        "content": content | values.pop("content", {}),
        "extensions": {},
        "source": "mfn",
    } | values


def mfn(*items: object) -> bytes:
    body = {"version": "https://www.mfn.se/feed/version/1", "items": list(items)}
    return json.dumps(body, ensure_ascii=False).encode()


Part = tuple[str, str] | tuple[str, str, str]  # element, text, domain of a category


def release(number: int = 3373999, *more: Part, **values: str | None) -> list[Part]:
    """The elements of one item of GlobeNewswire; None takes one away."""
    page = f"https://www.globenewswire.com/news-release/2026/10/02/{number}/0/en/slug.html"
    plain = {
        "guid": page,
        "link": page,
        "title": "Esimerkki Oyj reports on the third quarter",
        "description": "<p>Text of the wire</p>",
        "pubDate": "Fri, 02 Oct 2026 18:06 GMT",
        "dc:identifier": str(number),
        "dc:language": "en",
        "dc:publisher": "GlobeNewswire Inc.",
        "dc:contributor": "Esimerkki Oyj",
        "dc:modified": "Fri, 02 Oct 2026 18:07 GMT",
    } | {name.replace("_", ":"): value for name, value in values.items()}
    return [*((name, text) for name, text in plain.items() if text is not None), *more]


def stock(text: str, scheme: str = "https") -> Part:
    return "category", text, f"{scheme}://www.globenewswire.com/rss/stock"


def isin(text: str, scheme: str = "https") -> Part:
    return "category", text, f"{scheme}://www.globenewswire.com/rss/ISIN"


def rss(*items: list[Part], country: str | None = "Finland", space: str = DCMI) -> bytes:
    """A feed; `country`: of which it says that it is."""
    title = "GlobeNewswire" if country is None else f"GlobeNewswire - News from {country}"
    link = "https://www.globenewswire.com/RssFeed/" + ("orgclass/1" if country is None else f"country/{country}")
    inside = "".join(f"<item>{''.join(map(_element, parts))}</item>" for parts in items)
    return (
        f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="{space}"><channel>'
        f"<title>{title}</title><link>{link}</link>{inside}</channel></rss>"
    ).encode()


def _element(part: Part) -> str:
    name, text, *domain = part
    attribute = f" domain={quoteattr(domain[0])}" if domain else ""
    return f"<{name}{attribute}>{escape(text)}</{name}>"


def present(table_rows: pl.DataFrame, company: str | None, observed_at: datetime = NOW) -> pl.LazyFrame:
    """Staged rows as `normalise` gets them, of one company."""
    instant = pl.Datetime("us", "UTC")
    return table_rows.with_columns(
        pl.lit(company, pl.String).alias("_company_id"),
        pl.lit(observed_at, instant).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    ).lazy()
