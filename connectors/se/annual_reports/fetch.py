"""Fetches the weekly zips of annual reports, found by the bucket listing with its modification times.

Archives of past weeks are rewritten occasionally, so the cursor is the modification time (and key) of the last
zip fetched; everything modified later is fetched, oldest first. The first run fetches only the newest week; the
archive back to 2020 (100 GB) is ingested from files.

Belongs here, too: what a file name in the archive states, registration week, company and period. Does not belong here:
trusting it over a document (`document`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from lxml import etree

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.response import NotModified
from connectors.kit.xbrl.facts import parse_day
from connectors.kit.xml.parse import MalformedMarkupError, parse_markup
from connectors.se.register import HOST, company_number

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

NESTED: Final = "!/"  # separates an archive from its member
_WEEKLY: Final = re.compile(r"(?:^|/)(\d{4})/(\d{2})_(\d{1,3})\.zip$")
_PACKAGE: Final = re.compile(r"(?<!\d)(\d{6}-?\d{4})\D{1,20}?(\d{4}-\d{2}-\d{2})(?!\d)")


def week_end(name: str) -> date | None:
    """The Sunday that ends the week of registration in `…/2025/39_2.zip`; None for other names."""
    found = _WEEKLY.search(name)
    if found is None:
        return None
    try:
        return date.fromisocalendar(int(found[1]), int(found[2]), 7)
    except ValueError:  # week 53 in a year without one
        return None


def publication_instant(name: str) -> datetime | None:
    """Publication time of a weekly archive: just after midnight at the end of its week."""
    ended = week_end(name)
    return None if ended is None else datetime.combine(ended + timedelta(days=1), time(), UTC)


def parse_package_name(name: str) -> tuple[str, date] | None:
    """Company number and last day of the period from `<number>_<day>.zip`, with anything in between."""
    for part in reversed(name.split(NESTED)):
        found = _PACKAGE.search(part)
        number = company_number(found[1]) if found else None
        end = parse_day(found[2], is_end=False) if found else None
        if number is not None and end is not None:
            return number, end
    return None


def last_path_part(name: str) -> str:
    """Last component of a path."""
    return name.rpartition("/")[2]


FILES_URL: Final = f"https://{HOST}/arsredovisningar-bulkfiler"
PREFIX: Final = "arsredovisningar/"
_NAMESPACE: Final = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_MOST_PAGES: Final = 200  # 1,000 keys each


@dataclass(frozen=True, slots=True)
class ListedZip:
    """One zip of the listing. Zips are fetched in order of modification time."""

    written_at: datetime
    key: str


@dataclass(frozen=True, slots=True)
class ListingPage:
    """One page of the listing; `marker` requests the next page and is None on the last."""

    files: tuple[ListedZip, ...]
    marker: str | None


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches zips modified after the cursor, oldest first."""
    del subjects  # whole weeks only
    for listed in _zips_to_fetch(_fetch_listing(http), cursor):
        url = f"{FILES_URL}/{quote(listed.key)}"
        fetched = http.download(url, expect={BodyFormat.ZIP})
        if isinstance(fetched, NotModified):
            continue
        known = Cursor(f"{listed.written_at.isoformat()}\n{listed.key}")
        arrival = fetched.to_fetched_file(listed.key, Scope.PART, known)
        yield replace(arrival, observed_at=listed.written_at)


def page_url(marker: str | None) -> str:
    """URL of a listing page. The marker is opaque: it is sent back unchanged, percent-encoded."""
    after = "" if marker is None else f"&marker={quote(marker, safe='')}"
    return f"{FILES_URL}?prefix={PREFIX}{after}"


def parse_listing_page(url: str, body: bytes) -> ListingPage:
    """Parses a listing page. Raises UnexpectedBodyError if the body is no listing or is truncated."""
    try:
        root = parse_markup(body).roots[0]
    except MalformedMarkupError as error:
        raise UnexpectedBodyError(url, 200, f"expected the listing of the archive: {error}") from None
    if root.tag != f"{_NAMESPACE}ListBucketResult":
        raise UnexpectedBodyError(url, 200, "expected the listing of the archive, found other markup")
    files = tuple(filter(None, map(_parse_weekly_zip, root.iterchildren(f"{_NAMESPACE}Contents"))))
    if (root.findtext(f"{_NAMESPACE}IsTruncated") or "").strip() != "true":
        return ListingPage(files, None)
    marker = root.findtext(f"{_NAMESPACE}NextMarker")
    if not marker:
        raise UnexpectedBodyError(url, 200, "the listing is truncated, but has no NextMarker")
    return ListingPage(files, marker)


def _parse_weekly_zip(element: etree._Element) -> ListedZip | None:
    """The weekly zip of a listing element; None for any other key."""
    key = element.findtext(f"{_NAMESPACE}Key") or ""
    try:
        written_at = datetime.fromisoformat(element.findtext(f"{_NAMESPACE}LastModified") or "")
    except ValueError:
        return None
    if week_end(key) is None or not key.startswith(PREFIX):
        return None
    return ListedZip(written_at.replace(tzinfo=written_at.tzinfo or UTC), key)


def _fetch_listing(http: HttpClient) -> list[ListedZip]:
    found: list[ListedZip] = []
    marker: str | None = None
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        url = page_url(marker)
        page = parse_listing_page(url, http.get(url, expect={BodyFormat.XML}).read())
        found += page.files
        marker = page.marker
        if marker is None:
            break
        if marker in seen:
            raise UnexpectedBodyError(url, 200, "the listing links to a page that was already read")
        seen.add(marker)
    if not found:
        raise UnexpectedBodyError(page_url(None), 200, "the listing names no weekly zip")
    return sorted(found, key=lambda listed: (listed.written_at, listed.key))


def _zips_to_fetch(listed: list[ListedZip], cursor: Cursor | None) -> list[ListedZip]:
    taken = _parse_cursor(cursor)
    if taken is not None:
        return [file for file in listed if (file.written_at, file.key) > taken]
    newest = max(filter(None, (week_end(file.key) for file in listed)))
    return [file for file in listed if week_end(file.key) == newest]


def _parse_cursor(cursor: Cursor | None) -> tuple[datetime, str] | None:
    """Modification time and key of the last zip fetched; None if the cursor has another form."""
    written, _, key = cursor.value.partition("\n") if cursor else ("", "", "")
    try:
        return datetime.fromisoformat(written), key
    except ValueError:
        return None
