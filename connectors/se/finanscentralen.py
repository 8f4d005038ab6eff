"""Dataset se.finanscentralen: issuer pages of Finansinspektionen's storage (docs/formats/news.md 2.7).

Belongs here: the declaration, recognising pages, announcements as rows of a wire. A page is requested by
organisation number but shows only the company name, so it is linked by name. Report grids have a period and a
file but no publication day, flagging grids a day but no holder: both stay in RAW. The search keeps its state in
forms, so pages are ingested from files. Does not belong here: Finansinspektionen's registers of
trades and positions (`insyn`, `blankning`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

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
from connectors.kit import staged
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.staged import Tally
from connectors.news import categories, items, pages, texts
from connectors.news.fields import table
from connectors.se.issuers import LICENCE
from connectors.se.register import MARKET

KEY: Final = "se.finanscentralen"
HOST: Final = "finanscentralen.fi.se"
PUBLISHER: Final = "Finansinspektionen, Börsinformation"
ANNOUNCEMENTS: Final = table(MARKET, "finanscentralen")
_COMPANY: Final = "ctl00_main_lblCompanyName"
_GRID: Final = "ctl00_main_gvStockAffect"
_LOCAL: Final = ZoneInfo("Europe/Stockholm")
_LINK: Final = re.compile(r"ViewStockAffect\.aspx\?id=(\d{1,12})")
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}")
_LANGUAGES: Final = {"engelska": "en", "svenska": "sv", "norska": "no", "finska": "fi", "danska": "da"}
_CELLS: Final = 4  # published, category, language and link, headline


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises pages of one company; an empty search is none."""
    del name
    head = opening(head)
    if sniff(head) is Format.HTML and _COMPANY.encode() not in head:
        return NotOurs("a page of the search without a company")
    return Recognised(None, Scope.PART)


def read(piece: Piece) -> Iterator[Batch]:
    """Yields one batch: the announcements of the page's company."""
    root = pages.root(piece, "a page of one company")
    company = next(filter(None, map(pages.text, root.xpath(f"//*[@id='{_COMPANY}']"))), None)
    if company is None:
        raise Unreadable(piece.dataset, piece.name, "no name of a company in it")
    # by ancestor of the row: `//A//tr` is quadratic for nested grids
    found = root.xpath(f"//tr[td][ancestor::*[@id='{_GRID}']]")
    yield items.batch(piece, ANNOUNCEMENTS, found, partial(_row, company), pages.text)


def _row(company: str, element: html.HtmlElement, tally: Tally) -> items.Row:
    cells = element.xpath("./td")
    found = _LINK.search(etree.tostring(element, encoding="unicode"))
    if len(cells) < _CELLS or found is None:
        raise items.Refused("no link to an announcement")
    published, title = _instant(pages.text(cells[0]) or ""), _title(cells[3])
    if published is None or title is None:
        raise items.Refused(
            "no headline" if title is None else f"no time: {(pages.text(cells[0]) or '')[:40]}"
        )
    category, said = pages.text(cells[1]), (pages.text(cells[2]) or "").casefold()
    if said and said not in _LANGUAGES:
        tally.add("unknown_code", f"language {said[:40]}", found[1])
    return {
        "id": f"finanscentralen:{found[1]}",
        "group": None,
        "corrects": None,
        "title": title,
        "summary": None,
        "url": f"https://{HOST}/search/ViewStockAffect.aspx?id={found[1]}",
        "publisher": PUBLISHER,
        "language": _LANGUAGES.get(said),
        "published_at": published,
        "subjects": [category] if category else [],
        "kind": "",  # versions of one release are filed under different categories
        "categories": categories.of([category], title),
        "author": company,
        "org_number": None,
        "lei": None,
        "isin": None,
        "symbol": None,
        "near": True,
    }


def _instant(text: str) -> datetime | None:
    """Swedish local time as UTC."""
    found = _TIME.search(text)
    try:
        return datetime.fromisoformat(found[0]).replace(tzinfo=_LOCAL).astimezone(UTC) if found else None
    except (ValueError, OverflowError):
        return None


def _title(cell: html.HtmlElement) -> str | None:
    """Headline from the tooltip, since the cell may be truncated."""
    return next(
        filter(None, (texts.plain(str(title)) for title in cell.xpath(".//@title"))), pages.text(cell)
    )


DATASET: Final = Dataset(
    key=KEY,
    title="Finansinspektionen, Börsinformation: announcements",
    licence=LICENCE,
    cadence=Cadence(cron="50 5 * * *", stale_after_hours=24 * 30),
    guard=Guard(max_rejected=0.05),
    host=HOST,
    staged={ANNOUNCEMENTS.name: ANNOUNCEMENTS},
    files=("se_finanscentralen/**", "finanscentralen/**"),
    recognise=recognise,
    split=staged.single,
    read=read,
)
