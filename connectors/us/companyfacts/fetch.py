"""Fetches facts: the nightly archive, and single responses after reports named by the feeds.

Facts follow a report within a minute; those not available yet come with the nightly archive. Does not belong
here: what a response means (`dataset`), or rate limits and blocks (`us.sec_http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.response import NotModified, Validators
from connectors.us.feeds.pending_filings import FetchedFilings
from connectors.us.fetch_each import fetch_each, unfetched_filers
from connectors.us.register import ARCHIVES_URL, DATA_URL
from connectors.us.sec_http import download_existing, fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

BULK_URL: Final = f"{ARCHIVES_URL}/daily-index/xbrl/companyfacts.zip"
BULK_NAME: Final = "companyfacts.zip"
EACH: Final = 200  # filers after which the cursor is saved


def facts_url(cik: str) -> str:
    """URL of one filer's facts."""
    return f"{DATA_URL}/api/xbrl/companyfacts/CIK{cik}.json"


def fetch_bulk(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the nightly archive of all filers; nothing if it is unchanged."""
    since = None if cursor is None else Validators.of(cursor)
    answer = download_existing(http, BULK_URL, {BodyFormat.ZIP}, since)
    if not isinstance(answer, NotModified):
        yield answer.to_fetched_file(BULK_NAME, Scope.PART, answer.validators.cursor())


def fetch_responses(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """One response per filer with a report not fetched yet; many filers have no facts at all."""
    memory = FetchedFilings.of(cursor)

    def answer(filer: tuple[str, list[str]]) -> Iterator[FetchedFile]:
        found = fetch_if_exists(http, facts_url(filer[0]), {BodyFormat.JSON})
        if found is not None:
            yield found.to_fetched_file(f"CIK{filer[0]}.json", Scope.PART)

    def asked(filer: tuple[str, list[str]]) -> None:
        memory.add(*filer[1])

    yield from fetch_each(unfetched_filers(memory, subjects).items(), answer, asked, memory.cursor, EACH)
