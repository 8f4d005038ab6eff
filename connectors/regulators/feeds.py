"""Reads authorities' feeds and list pages as items, and writes redacted feeds.

Belongs here: entries to items, all time formats, URLs. List pages continue where a feed ends. Does not belong
here: bytes to entries (`connectors.kit.feeds`), the meaning of an item.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from lxml import etree

from connectors.contract.pieces import ArchiveMember
from connectors.kit import feeds, staging
from connectors.kit.feeds import LARGEST, NotFeedError
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.visible_text import visible_text
from connectors.kit.xml.html_text import headline_text
from connectors.regulators import list_pages

_LONGEST: Final = 4_000  # characters of a title
_TEXT: Final = 20_000  # characters of a text
_DC: Final = "http://purl.org/dc/elements/1.1/"
_UNREADABLE: Final = "unreadable"
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_MONTHS: Final = {
    name: place
    for place, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_RFC: Final = re.compile(
    r"(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})\s+([A-Za-z]{3,9})\.?\s+(\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?"
    r"(?:\s+([+-]\d{2}[0-5]\d|[A-Za-z]{1,4}))?"
)
_SLASHES: Final = re.compile(r"(\d{2})/(\d{2})/(\d{4})")  # «27/07/2026», on pages of the FCA
_MONTH_DAY: Final = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2}), (\d{4})")  # «Sept. 3, 2024», on pages of the SEC
# «Monday, July 27, 2026 - 15:30» (docs/formats/news.md 1.3)
_LONG: Final = re.compile(r"(?:[A-Za-z]{3,9},\s+)?([A-Za-z]{3,9})\s+(\d{1,2}),\s+(\d{4})\s+-\s+(\d{1,2}):(\d{2})")
_ZONES: Final = {"gmt": 0, "ut": 0, "utc": 0, "z": 0, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3,
                 "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One item. Texts have single blanks and no markup; absent ones are empty."""

    title: str
    link: str
    guid: str
    creator: str
    published_text: str
    categories: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ActFeed:
    """A feed. `is_repaired`: ill-formed, and parsed despite its errors."""

    title: str
    items: tuple[FeedItem, ...]
    is_repaired: bool


def read_feed(member: ArchiveMember) -> ActFeed:
    """The items of a feed. Raises UnreadableFileError if it is not a feed, too large, truncated, or empty."""
    with staging.open_plain(member) as stream, staging.unreadable_on(member, NotFeedError):
        return parse_act_feed(stream.read(LARGEST + 1))


def parse_act_feed(body: bytes) -> ActFeed:
    """The items of a feed, or of a page that lists acts; raises NotFeedError for anything else."""
    page = (
        list_pages.detect_layout(body) if detect_body_format(body) is BodyFormat.HTML and len(body) <= LARGEST else None
    )
    if page is not None:
        return _parse_page(body, page)
    if body.startswith(f"<{_UNREADABLE}>".encode()):  # written by `unreadable_body`
        raise NotFeedError(to_plain_text(body.decode(errors="replace")))
    found = feeds.parse_feed(body)
    return ActFeed(to_plain_text(found.title), tuple(map(_to_item, found.entries)), found.is_repaired)


def _parse_page(body: bytes, page: list_pages.PageLayout) -> ActFeed:
    try:
        title, rows = list_pages.read_page(body, page)
    except ValueError as error:
        raise NotFeedError(str(error)) from error
    if not rows:
        raise NotFeedError("a page of a list without rows: try again later, or check its layout")
    items = (FeedItem(row.title[:_LONGEST], row.link, "", row.number, row.day, row.categories, "") for row in rows)
    return ActFeed(title, tuple(items), is_repaired=False)


def to_rss(feed: ActFeed) -> bytes:
    """A feed as RSS with only the fields that are read."""
    root = etree.Element("rss", version="2.0", nsmap={"dc": _DC})
    channel = etree.SubElement(root, "channel")
    _add_element(channel, "title", feed.title)
    for item in feed.items:
        element = etree.SubElement(channel, "item")
        _add_element(element, "title", item.title)
        _add_element(element, "link", item.link)
        _add_element(element, "guid", item.guid, isPermaLink="false")
        _add_element(element, "pubDate", item.published_text)
        _add_element(element, f"{{{_DC}}}creator", item.creator)
        for category in item.categories:
            _add_element(element, "category", category)
        _add_element(element, "description", item.text)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def unreadable_body(reason: str) -> bytes:
    """The archived form of a body that is not a feed: the reason only."""
    root = etree.Element(_UNREADABLE)
    root.text = _CONTROL.sub("", reason)
    return etree.tostring(root, encoding="utf-8")


def _add_element(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    if text:
        etree.SubElement(parent, name, attributes).text = html.escape(_CONTROL.sub("", text), quote=False)


def _to_item(entry: feeds.FeedEntry) -> FeedItem:
    return FeedItem(
        title=to_plain_text(entry.title)[:_LONGEST],
        link=_strip_blanks(entry.link),
        guid=_strip_blanks(entry.id),
        creator=to_plain_text(entry.author),
        published_text=to_plain_text(entry.time),
        categories=tuple(to_plain_text(tag.term) for tag in entry.tags),
        text=to_plain_text(entry.summary),
    )


def to_plain_text(text: object) -> str:
    """Text without markup and hidden signs, with single blanks."""
    return visible_text(headline_text(text[:_TEXT])) if isinstance(text, str) else ""


def _strip_blanks(text: object) -> str:
    return "".join(text.split()) if isinstance(text, str) else ""


def parse_feed_time(published_text: str, zone: str) -> datetime | None:
    """Parses a time as feeds write it to an instant; None if invalid.

    zone: of the authority, for times without a zone. An unknown zone makes a time invalid.
    """
    if (found := _LONG.fullmatch(published_text)) is not None:
        month, day, year, hour, minute = found.groups()
        return _build_instant((year, month, day, hour, minute, None), ZoneInfo(zone))
    if (found := _RFC.fullmatch(published_text)) is not None:
        day, month, year, hour, minute, second, offset = found.groups()
        place = ZoneInfo(zone) if offset is None else _parse_zone(offset)
        return None if place is None else _build_instant((year, month, day, hour, minute, second), place)
    if (found := _SLASHES.fullmatch(published_text)) is not None:
        day, month, year = found.groups()
        published_text = f"{year}-{month}-{day}"
    if (found := _MONTH_DAY.fullmatch(published_text)) is not None:
        month, day, year = found.groups()
        return _build_instant((year, month, day, None, None, None), ZoneInfo(zone))
    try:
        parsed = datetime.fromisoformat(published_text)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _build_instant(parts: tuple[str | None, ...], zone: tzinfo) -> datetime | None:
    year, month, day, hour, minute, second = parts
    number = _MONTHS.get((month or "")[:3].lower())
    if number is None:
        return None
    try:
        made = datetime(
            int(year or 0), number, int(day or 0), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=zone
        )
        return made.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _parse_zone(offset: str) -> tzinfo | None:
    if offset[0] in "+-":
        minutes = int(offset[1:3]) * 60 + int(offset[3:])
        return timezone(timedelta(minutes=minutes if offset[0] == "+" else -minutes)) if minutes < 24 * 60 else None
    hours = _ZONES.get(offset.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


def authority_path(link: str, host: str) -> str | None:
    """The path of a page of an authority, which identifies its acts; None for a URL of another host."""
    try:
        parts = urlsplit(link)
        found = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or found.removeprefix("www.") != host.removeprefix("www."):
        return None
    return parts.path.rstrip("/").lower() or None
