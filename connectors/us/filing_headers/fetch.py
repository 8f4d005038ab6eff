"""Fetches single filings named by the feeds, once each by accession number (docs/formats/us.md 4, 8).

For current reports the page `-index-headers.html` is enough: header and list of documents in a few kilobytes.
Forms 25 and 15 are fetched in full, since the document has the class of securities. Does not belong here:
reading (`dataset`), or which filings are named (`filing_subjects`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.us.feeds.pending_filings import (
    CURRENT_REPORTS,
    DEREGISTRATIONS,
    REMOVALS,
    FeedFiling,
    FetchedFilings,
    filing_subjects,
)
from connectors.us.fetch_each import fetch_each, unfetched_filings
from connectors.us.register import ARCHIVES_URL
from connectors.us.sec_http import fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

FORMS: Final = CURRENT_REPORTS | {"6-K"} | REMOVALS | DEREGISTRATIONS
WHOLE: Final = REMOVALS | DEREGISTRATIONS
EACH: Final = 50  # filings after which the cursor is saved, so that an interrupted run does not start over


def subjects_to_fetch(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings of the forms that are read here."""
    return filing_subjects(staged, FORMS)


def filing_fetch_url(filing: FeedFiling) -> str:
    """URL of a filing: the CIK of any of its parties works in the path."""
    if filing.form.removesuffix("/A") in WHOLE:
        return full_submission_url(filing)
    return f"{_filing_folder_url(filing)}-index-headers.html"


def full_submission_url(filing: FeedFiling) -> str:
    """URL of a full submission with all documents."""
    return f"{_filing_folder_url(filing)}.txt"


def _filing_folder_url(filing: FeedFiling) -> str:
    return f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession.replace('-', '')}/{filing.accession}"


def fetch(
    http: HttpClient,
    cursor: Cursor | None,
    subjects: Iterable[str],
    address: Callable[[FeedFiling], str] = filing_fetch_url,
) -> Iterator[FetchedFile]:
    """Fetches each filing once, whatever its parties. One that fails is retried by the next run."""
    memory = FetchedFilings.of(cursor)

    def answer(filing: FeedFiling) -> Iterator[FetchedFile]:
        found = fetch_if_exists(http, address(filing), {BodyFormat.HTML, BodyFormat.TEXT, BodyFormat.XML})
        if found is not None:
            ending = address(filing).rpartition(filing.accession)[2]
            yield found.to_fetched_file(f"headers-{filing.accession}{ending}", Scope.PART)

    def asked(filing: FeedFiling) -> None:
        memory.add(filing.accession)

    yield from fetch_each(unfetched_filings(memory, subjects), answer, asked, memory.cursor, EACH)
