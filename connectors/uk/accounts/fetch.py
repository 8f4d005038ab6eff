"""Fetches daily accounts zips; URLs are read from the download page, never constructed.

See docs/formats/uk.md 8.

A new zip is published Tuesday to Saturday and stays 60 days: after a longer pause, those that are gone are told. The
cursor holds the newest date fetched and the validators of its file, so that a re-issue of the newest one is detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from http import HTTPStatus
from typing import Final
from urllib.parse import urljoin

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import HttpClient, NotModified, Validators
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.uk.bulk_download import basename
from connectors.uk.register import DOWNLOADS

PAGE: Final = f"https://{DOWNLOADS}/en_accountsdata.html"
_HREF: Final = re.compile(r"""href\s*=\s*["']([^"']*Accounts_Bulk_Data-(\d{4}-\d{2}-\d{2})\.zip)["']""", re.IGNORECASE)
_DAY: Final = timedelta(days=1)
_PUBLISHING: Final = range(1, 6)  # weekdays: Tuesday to Saturday
_FIRST: Final = 1  # zips fetched by the first run; the archive of 60 days is ingested from files


def daily_zip_links(page: str) -> dict[date, str]:
    """Daily zips linked by a page, oldest first."""
    found: dict[date, str] = {}
    for href, text in _HREF.findall(page):
        try:
            found[date.fromisoformat(text)] = href
        except ValueError:
            continue
    return dict(sorted(found.items()))


def _parse_cursor(after: Cursor | None) -> tuple[date | None, Validators | None]:
    """Parses the cursor: newest date fetched, and the validators of its file."""
    day, _, rest = after.value.partition("\n") if after else ("", "", "")
    try:
        return date.fromisoformat(day), Validators.of(Cursor(rest)) if rest else None
    except ValueError:
        return None, None


def fetch(http: HttpClient, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches zips newer than the cursor, oldest first, and the cursor's own zip if its bytes changed.

    Raises UnexpectedBodyError after the last one if zips before the oldest may be missing.
    """
    del subjects  # whole days only
    page = http.get(PAGE, expect={BodyFormat.HTML}).read().decode("utf-8", "replace")
    found = daily_zip_links(page)
    if not found:
        raise UnexpectedBodyError(PAGE, HTTPStatus.OK, "links no daily accounts zip")
    taken, validators = _parse_cursor(after)
    days = list(found)[-_FIRST:] if taken is None else [day for day in found if day >= taken]
    for day in days:
        url = urljoin(PAGE, found[day])
        fetched = http.download(url, expect={BodyFormat.ZIP}, since=validators if day == taken else None)
        if isinstance(fetched, NotModified):
            continue
        held = fetched.validators.cursor()
        cursor = Cursor(f"{day.isoformat()}\n{held.value if held else ''}")
        arrival = fetched.to_fetched_file(basename(url), Scope.PART, cursor)
        yield replace(arrival, observed_at=datetime.combine(day, time(), UTC))
    gone = [] if taken is None else [taken + number * _DAY for number in range(1, (min(found) - taken).days)]
    if any(day.weekday() in _PUBLISHING for day in gone):
        reason = f"accounts from {gone[0]} to {gone[-1]} are missing: only the monthly zips still have them"
        raise UnexpectedBodyError(PAGE, HTTPStatus.OK, reason)
