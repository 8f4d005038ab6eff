"""Dataset se.finanscentralen: pages of single issuers in Finansinspektionen's storage (docs/formats/news.md 2.7).

Belongs here: the declaration, what a page is, its announcements as rows of a wire. A page is asked for by
organisation number and names the company alone, so its name leads to it. The grids of reports give a period
and a file and no day of publication, those of flaggings a day and no holder: they stay in RAW. The search
keeps its state in its forms, so it is read as files. Does not belong here: Finansinspektionen's registers of
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
    """Pages of one company; the empty search is none."""
    del name
    head = opening(head)
    if sniff(head) is Format.HTML and _COMPANY.encode() not in head:
        return NotOurs("a page of the search without a company")
    return Recognised(None, Scope.PART)


def read(piece: Piece) -> Iterator[Batch]:
    """One batch: the announcements of the page's company."""
    root = pages.root(piece, "a page of one company")
    company = next(filter(None, map(pages.text, root.xpath(f"//*[@id='{_COMPANY}']"))), None)
    if company is None:
        raise Unreadable(piece.dataset, piece.name, "no name of a company in it")
    # by what is around a row: as `//A//tr`, grids within grids cost the square of their rows
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
        "kind": "",  # versions of one release are sorted into different categories
        "categories": categories.of([category], title),
        "author": company,
        "org_number": None,
        "lei": None,
        "isin": None,
        "symbol": None,
        "near": True,
    }


def _instant(text: str) -> datetime | None:
    """UTC of Swedish time."""
    found = _TIME.search(text)
    try:
        return datetime.fromisoformat(found[0]).replace(tzinfo=_LOCAL).astimezone(UTC) if found else None
    except (ValueError, OverflowError):
        return None


def _title(cell: html.HtmlElement) -> str | None:
    """The headline as its tooltip has it: the cell may be cut."""
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
