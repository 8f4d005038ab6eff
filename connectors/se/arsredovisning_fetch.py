"""Fetching the weekly zips of annual reports: the listing says what there is and when it was written.

Archives of past weeks are written anew now and then, so the cursor is the instant of writing (and the key) of
the last zip taken: whatever was written later comes, oldest first. Where nothing was taken yet the newest week
alone comes; the archive back to 2020 (100 GB) is ingested from files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from lxml import etree

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import NotModified
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format
from connectors.kit.markup import Malformed, parse
from connectors.se.arsredovisning_names import week_end
from connectors.se.register import HOST

if TYPE_CHECKING:
    from connectors.kit.http import Http

FILES_URL: Final = f"https://{HOST}/arsredovisningar-bulkfiler"
PREFIX: Final = "arsredovisningar/"
_NAMESPACE: Final = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_MOST_PAGES: Final = 200  # of 1,000 keys


@dataclass(frozen=True, slots=True)
class Listed:
    """One zip of the listing. The order of writing is the order of taking."""

    written_at: datetime
    key: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the listing; `marker` asks for the next one, None on the last."""

    files: tuple[Listed, ...]
    marker: str | None


def fetch(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Zips written after the one of the cursor, oldest first."""
    del subjects  # whole weeks only
    for listed in _due(_listed(http), cursor):
        url = f"{FILES_URL}/{quote(listed.key)}"
        fetched = http.download(url, expect={Format.ZIP})
        if isinstance(fetched, NotModified):
            continue
        arrival = fetched.arrival(listed.key, Scope.PART, _cursor(listed))
        yield replace(arrival, observed_at=listed.written_at)


def page_url(marker: str | None) -> str:
    """A page of the listing. The marker is no plain key and goes back as it came, percent-encoded."""
    after = "" if marker is None else f"&marker={quote(marker, safe='')}"
    return f"{FILES_URL}?prefix={PREFIX}{after}"


def page_of(url: str, body: bytes) -> Page:
    """A page read. Raises WrongBody for what is no listing, or one that breaks off."""
    try:
        root = parse(body).roots[0]
    except Malformed as error:
        raise WrongBody(url, 200, f"the listing of the archive was due: {error}") from None
    if root.tag != f"{_NAMESPACE}ListBucketResult":
        raise WrongBody(url, 200, "the listing of the archive was due, the body is other markup")
    files = tuple(filter(None, map(_file, root.iterchildren(f"{_NAMESPACE}Contents"))))
    if (root.findtext(f"{_NAMESPACE}IsTruncated") or "").strip() != "true":
        return Page(files, None)
    marker = root.findtext(f"{_NAMESPACE}NextMarker")
    if not marker:
        raise WrongBody(url, 200, "the listing goes on and does not say where (no NextMarker)")
    return Page(files, marker)


def _file(element: etree._Element) -> Listed | None:
    """A weekly zip; None for another key, which the archive may hold one day."""
    key = element.findtext(f"{_NAMESPACE}Key") or ""
    try:
        written_at = datetime.fromisoformat(element.findtext(f"{_NAMESPACE}LastModified") or "")
    except ValueError:
        return None
    if week_end(key) is None or not key.startswith(PREFIX):
        return None
    return Listed(written_at.replace(tzinfo=written_at.tzinfo or UTC), key)


def _listed(http: Http) -> list[Listed]:
    found: list[Listed] = []
    marker: str | None = None
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        url = page_url(marker)
        page = page_of(url, http.get(url, expect={Format.XML}).read())
        found += page.files
        marker = page.marker
        if marker is None:
            break
        if marker in seen:
            raise WrongBody(url, 200, "the listing sends to a page that was read before")
        seen.add(marker)
    if not found:
        raise WrongBody(page_url(None), 200, "the listing names no weekly zip")
    return sorted(found, key=lambda listed: (listed.written_at, listed.key))


def _due(listed: list[Listed], cursor: Cursor | None) -> list[Listed]:
    taken = _taken(cursor)
    if taken is not None:
        return [file for file in listed if (file.written_at, file.key) > taken]
    newest = max(filter(None, (week_end(file.key) for file in listed)))
    return [file for file in listed if week_end(file.key) == newest]


def _cursor(listed: Listed) -> Cursor:
    return Cursor(f"{listed.written_at.isoformat()}\n{listed.key}")


def _taken(cursor: Cursor | None) -> tuple[datetime, str] | None:
    """What the cursor says was taken last; None where it is not one of these."""
    written, _, key = cursor.value.partition("\n") if cursor else ("", "", "")
    try:
        return datetime.fromisoformat(written), key
    except ValueError:
        return None
