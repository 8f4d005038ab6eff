"""Companies that a full snapshot changed without an entry in the change feed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl

from connectors.contract.dataset import Signal
from pipelines.steps.normalise_plan import FEED_GAP, feed_gap_signals
from tests.pipelines.invented import MARKET

SINCE = datetime(2026, 11, 3, tzinfo=UTC)
NAMED = replace(MARKET.datasets[0], change_feed_key="fi.accounts")


def announced(*rows: tuple[str, int]) -> pl.LazyFrame:
    """Rows of the feed: company, and hours after the full snapshot before."""
    return pl.LazyFrame(
        [(company, SINCE + timedelta(hours=hours)) for company, hours in rows],
        schema={"_company_id": pl.String, "_observed_at": pl.Datetime("us", "UTC")},
        orient="row",
    )


def test_feed_gap_counts_companies_that_the_feed_has_not_named_since() -> None:
    changed = pl.Series(["a", "b", "c"])
    feed = [announced(("a", 0), ("b", -1)), announced(("d", 1))]
    assert list(feed_gap_signals(NAMED, changed, feed, SINCE)) == [
        Signal(NAMED.key, FEED_GAP, "fi.accounts", 2, ("b", "c"))
    ]
    assert list(feed_gap_signals(NAMED, changed, [announced(("a", 1), ("b", 1), ("c", 2))], SINCE)) == []
