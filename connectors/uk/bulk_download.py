"""Fetches the register's bulk files: BasicCompanyData and PSC, as linked by their download pages.

File names are read from the pages, never constructed: the number of parts and the publication day change
(docs/formats/uk.md 3, 4). The single complete file is preferred; numbered parts, all of one date, are used only
if it is not linked. Does not belong here: which products there are (each dataset's `fetch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urljoin

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import FetchedResponse, HttpClient, NotModified, Validators
from connectors.kit.http.errors import MissingResourceError, UnexpectedBodyError
from connectors.uk.file_names import basename, recognise_by_name, snapshot_date

_HREF: Final = re.compile(r"""href\s*=\s*["']([^"']+\.zip)["']""", re.IGNORECASE)
_PART: Final = re.compile(r"(?<!\d)(\d+)(?:_|of)(\d+)\.zip$", re.IGNORECASE)
_RESTARTS: Final = 3


@dataclass(frozen=True, slots=True)
class BulkProduct:
    """One bulk product: the page that links it, and its file name pattern."""

    page: str
    whole: re.Pattern[str]
    part: re.Pattern[str]


def fetch_bulk(http: HttpClient, product: BulkProduct, after: Cursor | None) -> Iterator[FetchedFile]:
    """Fetches the whole file or all parts of one date; starts again if the date changes between parts."""
    for attempt in range(1, _RESTARTS + 1):
        try:
            fetched = list(_fetch_files(http, product, after))
        except MissingResourceError:
            if attempt == _RESTARTS:
                raise
            continue
        yield from fetched
        return


def latest_links(page: str, pattern: re.Pattern[str]) -> list[str]:
    """Links on a page with a matching file name, of the newest date only, parts in order."""
    found = {basename(href): href for href in _HREF.findall(page) if pattern.fullmatch(basename(href))}
    dates = {name: snapshot_date(name) for name in found}
    newest = max((date for date in dates.values() if date is not None), default=None)
    names = [name for name in found if newest is not None and dates[name] == newest]
    return [found[name] for name in sorted(names, key=_part_number)]


def _newest_links(page: str, product: BulkProduct) -> list[str]:
    """URL of the whole file, or of the parts if they have a later date."""
    whole, parts = latest_links(page, product.whole)[:1], latest_links(page, product.part)
    dates = [snapshot_date(href) for href in (*whole, *parts[:1])]
    return parts if whole and parts and max(filter(None, dates)) != dates[0] else whole or parts


def _part_number(name: str) -> int:
    found = _PART.search(name)
    return int(found.group(1)) if found else 0


def _fetch_files(http: HttpClient, product: BulkProduct, after: Cursor | None) -> Iterator[FetchedFile]:
    """Requests the last file first: if it is unchanged, so are the other parts."""
    page = http.get(product.page, expect={BodyFormat.HTML}).read().decode("utf-8", "replace")
    urls = [urljoin(product.page, href) for href in _newest_links(page, product)]
    _check_complete(product, urls)
    *first, last = urls
    newest = http.download(last, expect={BodyFormat.ZIP}, since=_validators_for(after, last))
    if isinstance(newest, NotModified):
        return
    for url in first:
        fetched = http.download(url, expect={BodyFormat.ZIP})
        if not isinstance(fetched, NotModified):
            yield _snapshot_file(fetched, url, None)
    held = newest.validators.cursor()
    yield _snapshot_file(newest, last, Cursor(f"{basename(last)}\n{held.value if held else ''}"))


def _check_complete(product: BulkProduct, urls: list[str]) -> None:
    """Rejects a page that links no file, or not all parts."""
    if not urls:
        raise UnexpectedBodyError(product.page, 200, "links no file of the product")
    numbered = [_PART.search(url) for url in urls]
    if numbered[0] is not None:
        due = numbered[0].group(2).lstrip("0")
        linked = [found.group(1).lstrip("0") for found in numbered if found]
        if due != str(len(linked)) or linked != [str(part) for part in range(1, len(linked) + 1)]:
            raise UnexpectedBodyError(product.page, 200, f"links {len(urls)} of {due[:9]} parts of one date")


def _validators_for(after: Cursor | None, url: str) -> Validators | None:
    """Validators of exactly this file from the cursor (name of the last file, then its validators)."""
    name, _, rest = after.value.partition("\n") if after else ("", "", "")
    return Validators.of(Cursor(rest)) if name == basename(url) else None


def _snapshot_file(fetched: FetchedResponse, url: str, cursor: Cursor | None) -> FetchedFile:
    edition = recognise_by_name(url)
    arrival = fetched.to_fetched_file(basename(url), edition.scope)
    return replace(arrival, observed_at=edition.observed_at or arrival.observed_at, cursor=cursor)
