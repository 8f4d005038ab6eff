"""Dataset us.endings: the filings that show how filers that no longer report ended.

See docs/formats/us.md 9, 12.2.

The lists of `us.submissions` name them (`status_evidence.end_filings_to_read`): removals and ends of registration
from before the feeds were followed, and the current reports around them, which may announce a dissolution. Each is
fetched once, in full. Does not belong here: reading a filing (`filing_headers.dataset`), or what follows from it
(`status`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.dataset import Cadence, Cursor, FetchedFile, GuardLimits
from connectors.us.feeds.pending_filings import FeedFiling
from connectors.us.filing_headers import fetch as filing_headers_fetch
from connectors.us.filing_headers import schema as r
from connectors.us.filing_headers.dataset import dataset
from connectors.us.submissions import schema as f

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings named by the filers' lists, oldest first."""
    if f.ENDINGS.name not in tables:
        return
    named = tables[f.ENDINGS.name].unique([f.CIK, f.ACCESSION]).sort(f.FILED, f.ACCESSION, f.CIK)
    for cik, accession, form, filed in named.select(f.CIK, f.ACCESSION, f.FORM, f.FILED).iter_rows():
        yield str(FeedFiling(accession, cik, form, filed.isoformat()))


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the full text of each filing once."""
    yield from filing_headers_fetch.fetch(http, cursor, subjects, filing_headers_fetch.full_submission_url)


DATASET: Final = dataset(
    key=r.ENDINGS_KEY,
    title="EDGAR: filings that report how a filer ended",
    cadence=Cadence(cron="0 11 * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    file_patterns=("endings/**",),
    fetch=fetch,
    subjects_to_fetch=subjects_to_fetch,
)
