"""Dataset us.facts: answers about filers whose reports the feeds name, into the tables of us.companyfacts.

Of the nightly archive and an answer the newer holds, and of one instant the answer. Does not belong here: reading
an answer (`companyfacts`), or asking (`companyfacts_fetch`).
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
    """Reports of a period that the feeds name."""
    yield from named(tables, PERIODIC)


DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR companyfacts: filers whose reports the feeds name",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard=Guard(max_rejected=0.05),
    host=DATA_HOST,
    files=("facts/**",),
    fetch=answers,
    wants=wanted,
)
