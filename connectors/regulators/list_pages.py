"""Pages that list acts where a feed ends: the SEC's releases, the FCA's search, Finansinspektionen's lists.

Belongs here: the location of title, URL and day in each layout (docs/formats/news.md 1.1, 1.3, 1.4), as
declared data. Pages with none of these are no lists: error pages are rejected. Does not belong here: fetching
them (a feed's items are enough from day to day), the meaning of an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from lxml import etree, html

from connectors.kit.xml.html import TooManyAttributesError, parse_document

MOST: Final = 2_000  # rows of a page


@dataclass(frozen=True, slots=True)
class PageLayout:
    """One layout, as paths of elements. `mark`: bytes found in such a page; `base`: of relative links."""

    mark: bytes
    base: str
    row: str
    link: str
    day: str
    categories: str | None = None


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of a page. `number`: the last part of its URL."""

    title: str
    link: str
    day: str
    categories: tuple[str, ...]
    number: str


def _class_condition(name: str) -> str:
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


_SEC: Final = PageLayout(
    mark=b"release-view__respondents",
    base="https://www.sec.gov/",
    row=f"//tr[.//div[{_class_condition('release-view__respondents')}]]",
    link=f".//a[@href][ancestor::div[{_class_condition('release-view__respondents')}]]",
    day=".//time | ./td[1]",
)
_FCA: Final = PageLayout(
    mark=b"search-item__title",
    base="https://www.fca.org.uk/",
    row=f"//li[{_class_condition('search-item')}]",
    link=f".//a[@href][ancestor::h3[{_class_condition('search-item__title')}]]",
    day=f".//p[{_class_condition('published-date')}]",
)
_FI: Final = PageLayout(
    mark=b"extended-click-area",
    base="https://www.fi.se/",
    row=f"//div[{_class_condition('list-item')}]",
    link=".//h2/a[@href]",
    day=f".//*[{_class_condition('date')}]",
    categories=f".//a[{_class_condition('categoryLink')}]",
)
LAYOUTS: Final = (_SEC, _FCA, _FI)


def detect_layout(body: bytes) -> PageLayout | None:
    """The layout of a page; None for pages that list no acts."""
    return next((one for one in LAYOUTS if one.mark in body), None)


def read_page(body: bytes, layout: PageLayout) -> tuple[str, tuple[PageRow, ...]]:
    """Headline and rows of a page. Raises ValueError where nothing can be parsed."""
    try:
        text = body.decode("utf-8", errors="replace")  # all three use it, declared or not
        parser = html.HTMLParser(encoding="utf-8", no_network=True)
        tree = parse_document(text.encode(), parser)
    except (etree.ParserError, etree.XMLSyntaxError, TooManyAttributesError) as error:
        raise ValueError(f"a page that does not parse: {error}") from None
    rows = [one for row in tree.xpath(layout.row)[:MOST] if (one := _page_row(row, layout)) is not None]
    return _element_text(tree.find(".//h1")), tuple(rows)


def _page_row(row: etree._Element, found: PageLayout) -> PageRow | None:
    links, days = row.xpath(found.link), row.xpath(found.day)
    if not links or not days:
        return None
    try:
        link = urljoin(found.base, links[0].get("href", "").strip())
    except ValueError:  # without a URL, the act has no id
        link = ""
    categories = row.xpath(found.categories) if found.categories else []
    day = _element_text(days[0]).removeprefix("Published:").strip()
    return PageRow(
        _element_text(links[0]), link, day, tuple(map(_element_text, categories)), link.rstrip("/").rpartition("/")[2]
    )


def _element_text(element: etree._Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())
