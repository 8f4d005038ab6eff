"""Asking for the texts of notices: single items of MFN, pages of the exchange (docs/formats/news.md 2.2, 2.8).

MFN's Nordic stream comes without texts, so each notice on it is asked for by itself: the newest releases of
its issuer would bring notices of former months as if they were news. Does not belong here: what an item says
(`flagging`), rates and retries (`connectors.kit.http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import polars as pl

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format
from connectors.nasdaq import fetching
from connectors.nasdaq.fetching import Seen
from connectors.news import mfn_fetch
from connectors.news.categories import OWNERSHIP
from connectors.news.fields import ENTITY, ID

if TYPE_CHECKING:
    from connectors.kit.bodies import Fetched
    from connectors.kit.http import Http

HOST: Final = "feed.mfn.se"
_PAGE: Final = ("https://", "http://")  # how subjects of the exchange begin
_GONE: Final = (404, 410)
_OK: Final = 200


def wanted(wire: str, releases: str, tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Of notices just staged: issuer and id of items on MFN's stream, `entity id`; pages on the exchange's list.

    wire, releases: the tables of the two.
    """
    if wire in tables:
        rows = tables[wire].filter(
            pl.col("categories").list.contains(OWNERSHIP), pl.col(ENTITY).is_not_null()
        )
        for entity, item in rows.select(ENTITY, ID).unique(maintain_order=True).iter_rows():
            yield f"{entity} {item}"
    yield from fetching.wanted(releases)(tables)


def texts(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """What was not asked for yet, one body each, with the cursor: pages, then items of MFN."""
    due = list(subjects)
    asked = Seen.of(cursor)
    for page in fetching.notifications(http, cursor, [one for one in due if one.startswith(_PAGE)]):
        asked = Seen.of(page.cursor)
        yield page
    known = set(asked.seen)
    for entity, item in (one.split(" ") for one in due if not one.startswith(_PAGE)):
        if item in known:
            continue
        answer = http.get(url(entity, item), expect={Format.JSON}, allow=_GONE)
        asked.seen.append(item)
        if answer.status == _OK:
            _judge(answer, item)
            yield answer.arrival(f"{item}.json", Scope.PART, asked.cursor())


def url(entity: str, item: str) -> str:
    """One item with its text."""
    return f"https://{HOST}/v1/feed/{entity}.json?{urlencode({'news-id': item})}"


def _judge(answer: Fetched, item: str) -> None:
    """Refuses a feed that was not narrowed to the item: its other notices would be taken for new ones."""
    found = mfn_fetch.items(answer)
    if any(not isinstance(one, dict) or one.get("news_id") != item for one in found):
        raise WrongBody(answer.url, answer.status, "other items than the one that was asked for")
