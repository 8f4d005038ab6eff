"""Dataset fi.oam: pages of oam.fi, the official storage of the Helsinki exchange (FORMAT news 2.6).

Belongs here: the declaration, what a page is, lists of releases and single releases as rows of a wire. The
storage answers forms with a session of their own, so it is read as files. Text is Nasdaq's: headline, time
and link are kept. A list names issuers by short labels; of a release the name of its ESEF package tells the
LEI. Does not belong here: the exchange's own list of the same releases (`nasdaq`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lxml import etree, html

from connectors.declare import (
    Batch,
    Cadence,
    Dataset,
    Guard,
    NotOurs,
    Piece,
    Recognised,
    Scope,
    Unreadable,
)
from connectors.fi.register import MARKET
from connectors.gleif.numbers import is_lei
from connectors.kit import staged
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.staged import Tally
from connectors.nasdaq.fields import LICENCE
from connectors.news import categories, texts
from connectors.news.fields import table

KEY: Final = "fi.oam"
HOST: Final = "oam.fi"
PUBLISHER: Final = "oam.fi"
RELEASES: Final = table(MARKET, "oam")
LARGEST: Final = 16 << 20
_LIST: Final = re.compile(rb"message-row")
_VIEW: Final = re.compile(rb"view-headline")
_FORM: Final = re.compile(rb"company-select")
_LINK: Final = re.compile(r"/view/(\d{1,12})(?:\?lang=([a-z]{2}))?")
_TIME: Final = re.compile(r"(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (EET|EEST)")
_ZONES: Final = {"EET": timedelta(hours=2), "EEST": timedelta(hours=3)}  # by the name that stands there
_PACKAGE: Final = re.compile(r"\b([0-9A-Z]{18}[0-9]{2})-\d{4}-\d{2}-\d{2}\b")
_LANGUAGE: Final = re.compile(r"[a-z]{2}")
Row = dict[str, Any]


class _Refused(Exception):  # noqa: N818 - says what becomes of the row
    """A release that is not kept; the message says why."""


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Lists and single releases; the form alone only lists companies and categories."""
    del name
    head = opening(head)
    if sniff(head) is Format.HTML and _FORM.search(head) and not (_LIST.search(head) or _VIEW.search(head)):
        return NotOurs("the form of the search: labels of companies and categories, no releases")
    return Recognised(None, Scope.PART)


def read(piece: Piece) -> Iterator[Batch]:
    """One batch: the releases of a list, or the one of a page."""
    root = _root(piece)
    tally = Tally(piece.dataset)
    rows: dict[str, Row] = {}
    rejects: list[tuple[object, str, object]] = []
    listed = root.xpath("//*[contains(concat(' ', @class, ' '), ' message-row ')]")
    found = listed or root.xpath("//*[@id='view-headline']")
    if not found:
        raise Unreadable(piece.dataset, piece.name, "neither rows of a list nor a headline in it")
    language = str(root.get("lang") or "")[:2]
    for place, element in enumerate(found, start=1):
        try:
            row = _listed(element) if listed else _viewed(root, element, language)
        except _Refused as error:
            rejects.append((place, str(error), _text(element)))
            continue
        rows[row["id"]] = row
    yield staged.batch(RELEASES, list(rows.values()), staged.reject_rows(rejects), tally.drain())


def _root(piece: Piece) -> html.HtmlElement:
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST or sniff(body) is not Format.HTML:
        due = "a page of the storage was due"
        raise Unreadable(piece.dataset, piece.name, f"{due}, not {len(body)} bytes of {sniff(body).value}")
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return html.document_fromstring(body, parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise Unreadable(piece.dataset, piece.name, f"a page that does not parse: {error}") from error


def _listed(element: html.HtmlElement) -> Row:
    """One row of a list."""
    link = next(iter(element.xpath(".//*[contains(@class, 'table-headline')]//@href")), "")
    found = _LINK.search(str(link))
    if found is None:
        raise _Refused("no link to a release")
    cells = {
        name: _cell(element, f"table-{name}") for name in ("published", "company", "headline", "category")
    }
    stamp = next(iter(element.xpath(".//*[contains(@class, 'table-published')]//@title")), cells["published"])
    return _row(
        found[1], found[2] or "", str(stamp or ""), cells["company"], cells["headline"], cells["category"]
    )


def _viewed(root: html.HtmlElement, headline: html.HtmlElement, language: str) -> Row:
    """One release on a page of its own: `Company - Category` and the time stand in labels."""
    number = next(iter(root.xpath("//meta[@name='disclosureId']/@content")), "")
    labels = [text for text in map(_text, root.xpath("//*[@id='view-content']//span")) if text]
    stamp = next((text for text in labels if _TIME.search(text)), "")
    company, _, category = next(
        (text for text in labels if " - " in text and not _TIME.search(text)), ""
    ).rpartition(" - ")
    if not str(number).isdecimal():
        raise _Refused("no number of the release")
    row = _row(str(number), language, stamp, company or None, _text(headline), category or None)
    names = " ".join(_text(link) or "" for link in root.xpath("//*[contains(@class, 'attachment-link')]"))
    leis = {lei for lei in _PACKAGE.findall(names) if is_lei(lei)}
    return row | {"lei": leis.pop() if len(leis) == 1 else None}


def _row(
    number: str, language: str, stamp: str, company: str | None, title: str | None, category: str | None
) -> Row:
    published = _instant(stamp)
    if published is None or title is None:
        raise _Refused("no headline" if title is None else f"no time with its zone: {stamp[:40]}")
    known = language if _LANGUAGE.fullmatch(language) else None
    return {
        "id": f"oam:{number}",
        "group": None,
        "corrects": None,
        "title": title,
        "summary": None,
        "url": f"https://{HOST}/view/{number}" + (f"?lang={known}" if known else ""),
        "publisher": PUBLISHER,
        "language": known,
        "published_at": published,
        "subjects": [category] if category else [],
        "kind": "",  # categories stand in the language of the page
        "categories": categories.of([category or title]),
        "author": company,
        "org_number": None,
        "lei": None,
        "isin": None,
        "symbol": None,
        "near": True,
    }


def _instant(text: str) -> datetime | None:
    """UTC of a time with EET or EEST behind it, which are two and three hours ahead."""
    found = _TIME.search(text)
    try:
        return (datetime.fromisoformat(found[1]) - _ZONES[found[2]]).replace(tzinfo=UTC) if found else None
    except (ValueError, OverflowError):
        return None


def _cell(element: html.HtmlElement, name: str) -> str | None:
    return next(filter(None, map(_text, element.xpath(f".//*[contains(@class, '{name}')]"))), None)


def _text(element: html.HtmlElement) -> str | None:
    return texts.plain(str(element.text_content()))


DATASET: Final = Dataset(
    key=KEY,
    title="oam.fi: releases in the official storage",
    licence=LICENCE,
    cadence=Cadence(cron="*/20 5-18 * * *", stale_after_hours=24 * 14),
    guard=Guard(max_rejected=0.05),
    host=HOST,
    staged={RELEASES.name: RELEASES},
    files=("oam_fi/**", "oam/**"),
    recognise=recognise,
    split=staged.single,
    read=read,
)
