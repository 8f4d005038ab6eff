"""Dataset fi.oam: pages of oam.fi, the official storage of the Helsinki exchange (docs/formats/news.md 2.6).

Belongs here: the declaration, recognising a page, lists of releases and single releases as rows of a wire. The
storage is a form with sessions, so it is read from files. The text belongs to Nasdaq: only headline, time and link
are kept. A list names issuers by short labels; a release gives the LEI in the name of its ESEF package. Does not
belong here: the exchange's own list of the same releases (`nasdaq`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from lxml import html

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.fi.register import MARKET
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.nasdaq.schema import LICENCE
from connectors.news import bodies, categories, items
from connectors.news.schema import wire_table

KEY: Final = "fi.oam"
HOST: Final = "oam.fi"
PUBLISHER: Final = "oam.fi"
RELEASES: Final = wire_table(MARKET, "oam")
_LIST: Final = re.compile(rb"message-row")
_VIEW: Final = re.compile(rb"view-headline")
_FORM: Final = re.compile(rb"company-select")
_LINK: Final = re.compile(r"/view/(\d{1,12})(?:\?lang=([a-z]{2}))?")
_TIME: Final = re.compile(r"(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (EET|EEST)")
_ZONES: Final = {"EET": timedelta(hours=2), "EEST": timedelta(hours=3)}  # by the zone name in the text
_PACKAGE: Final = re.compile(r"\b([0-9A-Z]{18}[0-9]{2})-\d{4}-\d{2}-\d{2}\b")
_LANGUAGE: Final = re.compile(r"[a-z]{2}")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises lists and single releases; the empty form only lists companies and categories."""
    del name
    head = decompressed_head(head)
    if (
        detect_body_format(head) is BodyFormat.HTML
        and _FORM.search(head)
        and not (_LIST.search(head) or _VIEW.search(head))
    ):
        return NotApplicable("the search form: labels of companies and categories, no releases")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch: the releases of a list, or the one of a page."""
    root = bodies.parse_page(member, "a page of the storage")
    listed = root.xpath("//*[contains(concat(' ', @class, ' '), ' message-row ')]")
    found = listed or root.xpath("//*[@id='view-headline']")
    if not found:
        raise member.unreadable_error("neither rows of a list nor a headline in it")
    language = str(root.get("lang") or "")[:2]
    row_of = _list_item_row if listed else partial(_page_row, root, language)
    yield items.make_items_batch(member, RELEASES, found, row_of, bodies.text_of_element)


def _list_item_row(element: html.HtmlElement, _tally: SignalCounter) -> items.Row:
    """One row of a list."""
    link = next(iter(element.xpath(".//@href[ancestor::*[contains(@class, 'table-headline')]]")), "")
    found = _LINK.search(str(link))
    if found is None:
        raise items.RejectedItemError("no link to a release")
    cells = {name: _cell_text(element, f"table-{name}") for name in ("published", "company", "headline", "category")}
    stamp = next(iter(element.xpath(".//@title[ancestor::*[contains(@class, 'table-published')]]")), cells["published"])
    return _release_row(
        found[1], found[2] or "", str(stamp or ""), cells["company"], cells["headline"], cells["category"]
    )


def _page_row(root: html.HtmlElement, language: str, headline: html.HtmlElement, _tally: SignalCounter) -> items.Row:
    """The release of a single page: `Company - Category` and the time are in labels."""
    number = next(iter(root.xpath("//meta[@name='disclosureId']/@content")), "")
    labels = [
        text for text in map(bodies.text_of_element, root.xpath("//span[ancestor::*[@id='view-content']]")) if text
    ]
    stamp = next((text for text in labels if _TIME.search(text)), "")
    company, _, category = next((text for text in labels if " - " in text and not _TIME.search(text)), "").rpartition(
        " - "
    )
    if not str(number).isdecimal():
        raise items.RejectedItemError("no number of the release")
    row = _release_row(
        str(number), language, stamp, company or None, bodies.text_of_element(headline), category or None
    )
    names = " ".join(
        bodies.text_of_element(link) or "" for link in root.xpath("//*[contains(@class, 'attachment-link')]")
    )
    leis = {lei for lei in _PACKAGE.findall(names) if is_lei(lei)}
    return row | {"lei": leis.pop() if len(leis) == 1 else None}


def _release_row(
    number: str, language: str, stamp: str, company: str | None, title: str | None, category: str | None
) -> items.Row:
    published = _parse_instant(stamp)
    if published is None or title is None:
        raise items.RejectedItemError("no headline" if title is None else f"no time with its zone: {stamp[:40]}")
    known = language if _LANGUAGE.fullmatch(language) else None
    return {
        "id": f"oam:{number}",
        "title": title,
        "url": f"https://{HOST}/view/{number}" + (f"?lang={known}" if known else ""),
        "publisher": PUBLISHER,
        "language": known,
        "published_at": published,
        "subjects": [category] if category else [],
        "kind": "",  # categories are in the language of the page
        "categories": categories.map_categories([category], "" if category else title),
        "author": company,
        "near": True,
    }


def _parse_instant(text: str) -> datetime | None:
    """Converts a time with suffix EET (UTC+2) or EEST (UTC+3) to UTC."""
    found = _TIME.search(text)
    try:
        return (datetime.fromisoformat(found[1]) - _ZONES[found[2]]).replace(tzinfo=UTC) if found else None
    except (ValueError, OverflowError):
        return None


def _cell_text(element: html.HtmlElement, name: str) -> str | None:
    return next(filter(None, map(bodies.text_of_element, element.xpath(f".//*[contains(@class, '{name}')]"))), None)


DATASET: Final = Dataset(
    key=KEY,
    title="oam.fi: releases in the official storage",
    licence=LICENCE,
    cadence=Cadence(cron="*/20 5-18 * * *", stale_after_hours=24 * 14),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=HOST,
    staged_tables={RELEASES.name: RELEASES},
    file_patterns=("oam_fi/**", "fi_oam/**", "oam/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
)
