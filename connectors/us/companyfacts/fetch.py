"""Fetches facts: the nightly archive, and single responses after reports named by the feeds.

Facts follow a report within a minute; those not available yet come with the nightly archive. Does not belong
here: what a response means (`dataset`), or rate limits and blocks (`us.sec_http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.conditional import ConditionalFile
from connectors.us.feeds.pending_filings import FetchedFilings
from connectors.us.fetch_each import fetch_filers
from connectors.us.register import ARCHIVES_URL, DATA_URL
from connectors.us.sec_http import fetch_existing_file, fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

BULK_URL: Final = f"{ARCHIVES_URL}/daily-index/xbrl/companyfacts.zip"
BULK_NAME: Final = "companyfacts.zip"
# the nightly archive of all filers
fetch_bulk: Final = partial(fetch_existing_file, ConditionalFile(BULK_URL, BULK_NAME, {BodyFormat.ZIP}, Scope.PART))


def facts_url(cik: str) -> str:
    """URL of one filer's facts."""
    return f"{DATA_URL}/api/xbrl/companyfacts/CIK{cik}.json"


def fetch_responses(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """One response per filer with a report not fetched yet; many filers have no facts at all."""
    memory = FetchedFilings.of(cursor)

    def answer(cik: str) -> Iterator[FetchedFile]:
        found = fetch_if_exists(http, facts_url(cik), {BodyFormat.JSON})
        if found is not None:
            yield found.to_fetched_file(f"CIK{cik}.json", Scope.PART)

    yield from fetch_filers(subjects, memory, answer, memory.cursor)
