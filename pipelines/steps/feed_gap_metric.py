"""Changes in a full snapshot that the change feed should have announced but did not.

A metric, not an error: the full snapshot is valid. Does not belong here: applying snapshots (`normalise`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, Signal
from warehouse.history.history import MarketHistory

CODE: Final = "missed_by_feed"
_EXAMPLES: Final = 5


class FeedGapMetric:
    """Companies changed by full snapshots of one instant, until the feed's companies are known."""

    def __init__(self, jurisdiction: Jurisdiction, history: MarketHistory) -> None:
        self._jurisdiction, self._history = jurisdiction, history
        self._changed: dict[str, list[pl.Series]] = {}
        self._since: dict[str, datetime] = {}

    def note(self, dataset: Dataset, companies: pl.Series) -> None:
        """Records companies that a full snapshot has changed or deleted.

        Nothing is recorded for the first snapshot, which changes everything, or before the feed began.
        """
        before = self._history.high_water(dataset.key)
        began = self._history.baseline(dataset.named_by) if dataset.named_by is not None else None
        if before is not None and began is not None and began <= before:
            self._changed.setdefault(dataset.key, []).append(companies)
            self._since[dataset.key] = before

    def told(self) -> Iterator[Signal]:
        """One signal per dataset; call once all snapshots of the instant are applied."""
        for key, found in self._changed.items():
            companies = pl.concat(found).unique().sort()
            missed = companies.filter(~companies.is_in(self._announced_companies(key, companies).implode()))
            if missed.len():
                feed = str(self._jurisdiction.dataset(key).named_by)
                yield Signal(key, CODE, feed, missed.len(), tuple(missed.head(_EXAMPLES)))
        self._changed.clear()

    def _announced_companies(self, key: str, companies: pl.Series) -> pl.Series:
        """Those of the companies that the feed has named since the last full snapshot."""
        feed = self._jurisdiction.dataset(str(self._jurisdiction.dataset(key).named_by))
        rows = self._history.rows_of(feed.staged.values(), companies).values()
        since = pl.col("_observed_at") >= self._since[key]
        frames = [frame.filter(since).select("_company_id") for frame in rows]
        return pl.concat(frames).collect().to_series().unique()
