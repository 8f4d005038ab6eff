"""Dataset se.flagging: major holding notices of Swedish listed companies, as their issuers publish them.

Two channels form one dataset, since a holder's newest notice counts whichever channel delivered it: MFN items
with their texts, and pages of the exchange. A text without one clear position gives a signal instead of a row:
releases are prose, and an incomplete one is not damaged. Belongs here: the declaration, files to rows, links.
Does not belong here: parsing texts (`flagging_text`), fetching (`flagging_fetch`), holdings (`flagging_mapping`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import polars as pl

from connectors.declare import (
    Batch,
    Cadence,
    Dataset,
    Guard,
    Key,
    Licence,
    Link,
    NotOurs,
    Piece,
    Recognised,
    Scope,
)
from connectors.kit import staged
from connectors.kit.formats import HEAD, opening
from connectors.kit.staged import Tally
from connectors.nasdaq import flagging as pages
from connectors.nasdaq import flagging_text as shapes
from connectors.nasdaq.fields import HOLDER, MESSAGE, flaggings_table
from connectors.nasdaq.flagging_form import Notification
from connectors.nasdaq.flagging_row import NoForm
from connectors.news import categories, items, mfn, mfn_fetch
from connectors.news.fields import ID
from connectors.news.fields import table as wire_table
from connectors.se import flagging_fetch, flagging_text, nasdaq
from connectors.se.bolagsverket_fields import ORGANISATIONS
from connectors.se.issuer_links import COMPANY_NAME, core
from connectors.se.register import MARKET
from warehouse.schema.types import Column, Kind

KEY: Final = "se.flagging"
_LONGEST: Final = 1 << 20  # characters of an item's markup
LICENCE: Final = Licence("no open licence: figures and link", "https://mfn.se", "Source: MFN, Nasdaq")
NUMBER: Final = "businessId"
WIRE: Final = wire_table(MARKET, mfn.SOURCE)
NOTICES: Final = flaggings_table(
    "se_flaggning",
    (
        Column("author", Kind.TEXT, "issuer of the release, if the carrier states it"),
        Column("group", Kind.TEXT, "what ties the languages of one release together"),
        Column("corrects", Kind.TEXT, "source of the notice that this one corrects"),
        Column("published_at", Kind.INSTANT, "time of publication, if the carrier states it"),
    ),
)
# columns by which an erased holder is found
HOLDERS: Final = {NOTICES.name: ("holder", HOLDER)}


def _named(rows: pl.DataFrame) -> pl.Series:
    return core(rows["issuer"])


# A page is linked to its company by its release, an MFN item without a number like the wire's own row of it, a
# copied text by the issuer that it names.
PAGE_LINK: Final = Link(NOTICES.name, MESSAGE, nasdaq.RELEASES.name, MESSAGE)
LAST_LINKS: Final = (
    Link(NOTICES.name, "source", WIRE.name, ID),
    Link(NOTICES.name, Key("notice_issuer_core", _named), ORGANISATIONS.name, COMPANY_NAME),
)


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises MFN items, pages of releases, and JSON lines with copied texts."""
    return Recognised(None, Scope.PART) if mfn.is_stream(opening(head)) else pages.recognise(name, head)


def read(piece: Piece) -> Iterator[Batch]:
    """Yields one batch with a row per notice that states one position."""
    with staged.opened(piece) as stream:
        head = stream.read(HEAD)
    yield _items(piece) if mfn.is_stream(opening(head)) else _pages(piece)


def _pages(piece: Piece) -> Batch:
    tally = Tally(piece.dataset)
    found = [
        pages.row(one, source, given, tally)
        for source, text, given in pages.texts(piece, pages.body_of(piece))
        if (one := _notice(text, None, source, tally)) is not None
    ]
    return staged.batch(NOTICES, found, signals=tally.drain())


def _items(piece: Piece) -> Batch:
    """Notices with a text among the releases of Swedish issuers."""
    return items.batch(piece, NOTICES, mfn.listed(piece), _of_item, key="source")


def _of_item(item: Any, tally: Tally) -> dict[str, Any] | None:
    wire = mfn.row(MARKET, item, tally)
    text = None if wire is None or categories.OWNERSHIP not in wire["categories"] else _text(item)
    if wire is None or text is None:
        return None
    one = _notice(f"{wire['title']}\n{text}", wire["author"], wire["id"], tally)
    if one is None:
        return None
    given = {name: wire[name] for name in ("url", "author", "group", "corrects", "published_at")}
    return pages.row(one, wire["id"], given, tally) | {NUMBER: wire["org_number"]}


def _text(item: Mapping[str, Any]) -> str | None:
    """Text of an item, from its markup if there is any; None for a compact item."""
    content = item.get("content")
    html, plain = (content.get(name) if isinstance(content, dict) else None for name in ("html", "text"))
    if isinstance(html, str) and html.strip():
        return shapes.even(shapes.of_html(html[:_LONGEST].encode()))
    return shapes.even(plain[:_LONGEST]) if isinstance(plain, str) and plain.strip() else None


def _notice(text: str, author: str | None, source: str, tally: Tally) -> Notification | None:
    """Parses a notice; None and a signal if it states no position, or two."""
    try:
        return flagging_text.notice(text, author)
    except NoForm as error:
        tally.add("unread_notice", str(error)[:80], source)
        return None


DATASET: Final = Dataset(
    key=KEY,
    title="Swedish issuers: notices of holdings, from MFN and Nasdaq",
    licence=LICENCE,
    cadence=Cadence(cron="10,30,50 5-20 * * *", stale_after_hours=24 * 30),  # weeks pass without any
    guard=Guard(max_rejected=0.05),
    host=flagging_fetch.HOST,
    rate=mfn_fetch.RATE,
    staged={NOTICES.name: NOTICES},
    files=("mfn_flagging/**", "flagging/**", "nasdaq_cns/*.html", "nasdaq/*.html"),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=flagging_fetch.texts,
    wants=partial(flagging_fetch.wanted, WIRE.name, nasdaq.RELEASES.name),
)
