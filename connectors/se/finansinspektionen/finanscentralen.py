"""Dataset se.finanscentralen: issuer pages of Finansinspektionen's storage (docs/formats/news.md 2.7).

Belongs here: the declaration, recognising pages, announcements as rows of a wire. A page is requested by
organisation number but shows only the company name, so it is linked by name. Report grids have a period and a
file but no publication day, flagging grids a day but no holder: both stay in RAW. The search keeps its state in
forms, so pages are ingested from files. Does not belong here: Finansinspektionen's registers of
trades and positions (`insider_register`, `short_positions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from lxml import etree, html

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.news import bodies, categories, items
from connectors.news import text as news_text
from connectors.news.schema import wire_table
from connectors.se.finansinspektionen.issuers import LICENCE
from connectors.se.register import MARKET

KEY: Final = "se.finanscentralen"
HOST: Final = "finanscentralen.fi.se"
PUBLISHER: Final = "Finansinspektionen, Börsinformation"
ANNOUNCEMENTS: Final = wire_table(MARKET, "finanscentralen")
_COMPANY: Final = "ctl00_main_lblCompanyName"
_GRID: Final = "ctl00_main_gvStockAffect"
_LOCAL: Final = ZoneInfo("Europe/Stockholm")
_LINK: Final = re.compile(r"ViewStockAffect\.aspx\?id=(\d{1,12})")
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}")
_LANGUAGES: Final = {"engelska": "en", "svenska": "sv", "norska": "no", "finska": "fi", "danska": "da"}
_CELLS: Final = 4  # published, category, language and link, headline


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises pages of one company; an empty search is none."""
    del name
    head = decompressed_head(head)
    if detect_body_format(head) is BodyFormat.HTML and _COMPANY.encode() not in head:
        return NotApplicable("a page of the search without a company")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch: the announcements of the page's company."""
    root = bodies.parse_page(member, "a page of one company")
    company = next(filter(None, map(bodies.text_of_element, root.xpath(f"//*[@id='{_COMPANY}']"))), None)
    if company is None:
        raise member.unreadable_error("no name of a company in it")
    # by ancestor of the row: `//A//tr` is quadratic for nested grids
    found = root.xpath(f"//tr[td][ancestor::*[@id='{_GRID}']]")
    yield items.make_items_batch(
        member, ANNOUNCEMENTS, found, partial(_announcement_row, company), bodies.text_of_element
    )


def _announcement_row(company: str, element: html.HtmlElement, tally: SignalCounter) -> items.Row:
    cells = element.xpath("./td")
    found = _LINK.search(etree.tostring(element, encoding="unicode"))
    if len(cells) < _CELLS or found is None:
        raise items.RejectedItemError("no link to an announcement")
    published, title = _parse_instant(bodies.text_of_element(cells[0]) or ""), _full_title(cells[3])
    if published is None or title is None:
        raise items.RejectedItemError(
            "no headline" if title is None else f"no time: {(bodies.text_of_element(cells[0]) or '')[:40]}"
        )
    category, said = (bodies.text_of_element(cells[1]), (bodies.text_of_element(cells[2]) or "").casefold())
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
        "categories": categories.map_categories([category], title),
        "author": company,
        "org_number": None,
        "lei": None,
        "isin": None,
        "symbol": None,
        "near": True,
    }


def _parse_instant(text: str) -> datetime | None:
    """Swedish local time as UTC."""
    found = _TIME.search(text)
    try:
        return datetime.fromisoformat(found[0]).replace(tzinfo=_LOCAL).astimezone(UTC) if found else None
    except (ValueError, OverflowError):
        return None


def _full_title(cell: html.HtmlElement) -> str | None:
    """Headline from the tooltip, since the cell may be truncated."""
    return next(
        filter(None, (news_text.to_plain_text(str(title)) for title in cell.xpath(".//@title"))),
        bodies.text_of_element(cell),
    )


DATASET: Final = Dataset(
    key=KEY,
    title="Finansinspektionen, Börsinformation: announcements",
    licence=LICENCE,
    cadence=Cadence(cron="50 5 * * *", stale_after_hours=24 * 30),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=HOST,
    staged_tables={ANNOUNCEMENTS.name: ANNOUNCEMENTS},
    file_patterns=("se_finanscentralen/**", "finanscentralen/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
)
