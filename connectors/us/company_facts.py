"""Dataset us.facts: companyfacts responses for filers with reports in the feeds, into us.companyfacts tables.

The newer of nightly archive and response wins; on equal timestamps the response wins. Does not belong here:
reading a response (`companyfacts`), or fetching it (`companyfacts_fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from connectors.declare import Cadence, Guard
from connectors.us.companyfacts import dataset
from connectors.us.companyfacts_fetch import answers
from connectors.us.companyfacts_schema import ANSWERS_KEY
from connectors.us.named import PERIODIC, named
from connectors.us.register import DATA_HOST


def wanted(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Periodic reports named by the feeds."""
    yield from named(tables, PERIODIC)


DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR companyfacts: filers with reports in the feeds",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard=Guard(max_rejected=0.05),
    host=DATA_HOST,
    files=("facts/**",),
    fetch=answers,
    wants=wanted,
)
