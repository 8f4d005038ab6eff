"""Dataset us.filer: single submissions responses for filers named by the feeds, into the us.submissions tables.

The newer of nightly archive and response wins; on equal timestamps the response wins. Does not belong here:
reading a response (`dataset`), or fetching it (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, GuardLimits
from connectors.us.feeds.pending_filings import OF_PROFILES, filing_subjects
from connectors.us.register import DATA_HOST
from connectors.us.submissions.dataset import dataset
from connectors.us.submissions.fetch import fetch_responses
from connectors.us.submissions.schema import ANSWERS_KEY


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings named by the feeds after which a company's submissions are fetched again at once."""
    yield from filing_subjects(tables, OF_PROFILES)


DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR submissions: filers named by the feeds",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=DATA_HOST,
    file_patterns=("filer/**",),
    fetch=fetch_responses,
    subjects_to_fetch=subjects_to_fetch,
)
