"""How fresh datasets are, as noted by every run, also by one that changed nothing and so made no release.

One small file beside the pointer (`Layout.checked`): per market when it was last looked at, per dataset that and
since when it is held. It stands beside releases, not in them: looking and finding nothing new changes no content.
Does not belong here: when a dataset is held (`pipelines.stages`), or how fresh its rows are (the manifest).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from warehouse import files
from warehouse.paths import Layout
from warehouse.reading import DatasetState, MarketState

_DATASETS: Final = "datasets"  # beside it stand market codes, which are two capitals


@dataclass(frozen=True, slots=True)
class Seen:
    """One dataset: when its source was last looked at in full, and the first run since which it is held.

    stale_after_hours: how long it may go without being looked at, as declared; null where no run has noted it.
    """

    checked_at: datetime | None
    held_since: datetime | None = None
    stale_after_hours: int | None = field(default=None, compare=False)  # declared, not seen


@dataclass(frozen=True, slots=True)
class Freshness:
    """What runs have noted, by market code and by dataset key."""

    markets: Mapping[str, datetime] = field(default_factory=dict)
    datasets: Mapping[str, Seen] = field(default_factory=dict)

    def of(self, state: MarketState) -> MarketState:
        """What a release says of a market, with what runs have noted since."""
        return replace(
            state, datasets={key: self._dataset(key, known) for key, known in state.datasets.items()}
        )

    def _dataset(self, key: str, known: DatasetState) -> DatasetState:
        seen = self.datasets.get(key)
        return (
            known if seen is None else replace(known, checked_at=seen.checked_at, held_since=seen.held_since)
        )


def read(layout: Layout) -> Freshness:
    """What has been noted; nothing before the first run."""
    try:
        values = json.loads(layout.checked.read_bytes())
    except FileNotFoundError:
        return Freshness()
    datasets = values.pop(_DATASETS, {})
    return Freshness(
        {market: datetime.fromisoformat(at) for market, at in values.items()},
        {
            # noted by runs of earlier editions it has no such hours
            key: Seen(
                _instant(seen["checked_at"]), _instant(seen["held_since"]), seen.get("stale_after_hours")
            )
            for key, seen in datasets.items()
        },
    )


def write(layout: Layout, freshness: Freshness) -> None:
    """Replaces what has been noted."""
    value: dict[str, Any] = {market: at.isoformat() for market, at in freshness.markets.items()}
    value[_DATASETS] = {
        key: {
            "checked_at": _text(seen.checked_at),
            "held_since": _text(seen.held_since),
            "stale_after_hours": seen.stale_after_hours,
        }
        for key, seen in freshness.datasets.items()
    }
    files.write_json(layout.checked, value)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
