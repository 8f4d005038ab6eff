"""Dataset us.filer: single submissions responses for filers named by the feeds, into the us.submissions tables.

The newer of nightly archive and response wins; on equal timestamps the response wins. Does not belong here:
reading a response (`submissions`), or fetching it (`submissions_fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from connectors.declare import Cadence, Guard
from connectors.us.access import LIMITER, RATE
from connectors.us.named import OF_PROFILES, named
from connectors.us.register import DATA_HOST
from connectors.us.submissions import dataset
from connectors.us.submissions_fetch import answers
from connectors.us.submissions_fields import ANSWERS_KEY


def wanted(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings named by the feeds after which a company's submissions are fetched again at once."""
    yield from named(tables, OF_PROFILES)


DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR submissions: filers named by the feeds",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard=Guard(max_rejected=0.05),
    host=DATA_HOST,
    files=("filer/**",),
    fetch=answers,
    wants=wanted,
    rate=RATE,
    limiter=LIMITER,
)
