"""Dataset us.facts: companyfacts responses for filers with reports in the feeds, into us.companyfacts tables.

The newer of nightly archive and response wins; on equal timestamps the response wins. Does not belong here:
reading a response (`dataset`), or fetching it (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, GuardLimits
from connectors.us.companyfacts.dataset import dataset
from connectors.us.companyfacts.fetch import fetch_responses
from connectors.us.companyfacts.schema import ANSWERS_KEY
from connectors.us.feeds.pending_filings import PERIODIC, filing_subjects
from connectors.us.register import DATA_HOST


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Periodic reports named by the feeds."""
    yield from filing_subjects(tables, PERIODIC)


DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR companyfacts: filers with reports in the feeds",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=DATA_HOST,
    file_patterns=("facts/**",),
    fetch=fetch_responses,
    subjects_to_fetch=subjects_to_fetch,
)
