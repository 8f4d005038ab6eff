"""Fetches ownership filings named by the feeds as full submissions, header and documents in one body.

See docs/formats/us.md 4.

Does not belong here: rate limits and refusals (`us.sec_http`), or which filings are named
(`feeds.pending_filings`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.us.feeds import pending_filings
from connectors.us.feeds.pending_filings import FeedFiling, FetchedFilings
from connectors.us.fetch_each import fetch_each, unfetched_filings
from connectors.us.register import ARCHIVES_URL
from connectors.us.sec_http import fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

_KINDS: Final = frozenset({BodyFormat.XML, BodyFormat.TEXT})
EACH: Final = 50  # filings after which the cursor is saved


def subjects_selector(
    forms: Collection[str], roles: tuple[str, ...]
) -> Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]:
    """The `wants` of a dataset: filings of its forms recently named by the feeds."""
    return partial(pending_filings.filing_subjects, forms=forms, parties=roles)


def fetch_filings(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches each filing once, whatever its parties. One that fails is retried by the next run."""
    memory = FetchedFilings.of(cursor)

    def answer(filing: FeedFiling) -> Iterator[FetchedFile]:
        found = fetch_if_exists(http, f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession}.txt", _KINDS)
        if found is not None:
            yield found.to_fetched_file(f"{filing.accession}.txt", Scope.PART)

    def asked(filing: FeedFiling) -> None:
        memory.add(filing.accession)  # a missing filing counts as fetched: it will not come back

    yield from fetch_each(unfetched_filings(memory, subjects), answer, asked, memory.cursor, EACH)
