"""Freshness of datasets, recorded by every run, also by one that changed nothing and published no release.

One small file next to the pointer (`Layout.freshness_file`): per market the time of the last check; per dataset the
same, and since when it has been quarantined. It is stored outside releases, as a check without news changes no
content. Does not belong here: when a dataset is quarantined (`pipelines.steps`), or the age of its rows (the
manifest).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from warehouse.release.manifest import optional_instant
from warehouse.schema.market_state import DatasetState, MarketState
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

CLOCK_SLACK: Final = timedelta(minutes=5)  # between machines
_DATASETS: Final = "datasets"  # all other keys are market codes, which are two capitals


@dataclass(frozen=True, slots=True)
class CountedRows:
    """What was counted of a dataset since its market was released: as in `Reconciliation`."""

    unlinked_rows: int
    changed_subjects: int


@dataclass(frozen=True, slots=True)
class DatasetCheck:
    """One dataset: when its source was last checked completely, and the first run since which it is quarantined.

    stale_after_hours: the declared maximum time between checks; None if no run has recorded it. counted: None if the
    market keeps its former part of the release, whose figures then are those of what is served. out_of_reach: why its
    source cannot be fetched any more, so that an old check is not mistaken for a quiet source.
    """

    checked_at: datetime | None
    held_since: datetime | None = None
    stale_after_hours: int | None = field(default=None, compare=False)  # declared, not observed
    counted: CountedRows | None = field(default=None, compare=False)  # of the data, not of the check
    out_of_reach: str | None = field(default=None, compare=False)  # declared, not observed


@dataclass(frozen=True, slots=True)
class Freshness:
    """What runs have recorded, by market code and by dataset key."""

    markets: Mapping[str, datetime] = field(default_factory=dict)
    dataset_checks: Mapping[str, DatasetCheck] = field(default_factory=dict)

    def of(self, state: MarketState) -> MarketState:
        """The release's state of a market, updated with what runs have recorded since.

        Rows counted since replace those of the release: staged rows that link to no company change nothing that is
        served, and make no release.
        """
        datasets = {key: self.update(key, one) for key, one in state.datasets.items()}
        figures = state.reconciliation
        if figures is None:
            return replace(state, datasets=datasets)
        counted = {
            key: seen.counted
            for key, seen in self.dataset_checks.items()
            if key in datasets and seen.counted is not None
        }
        newer = replace(
            figures,
            unlinked_rows={**figures.unlinked_rows, **{key: one.unlinked_rows for key, one in counted.items()}},
            changed_subjects={
                **figures.changed_subjects,
                **{key: one.changed_subjects for key, one in counted.items()},
            },
        )
        return replace(state, datasets=datasets, reconciliation=newer)

    def update(self, key: str, state: DatasetState) -> DatasetState:
        """The state of a dataset, updated with what runs have recorded."""
        seen = self.dataset_checks.get(key)
        return state if seen is None else replace(state, checked_at=seen.checked_at, held_since=seen.held_since)


def check_age(checked_at: datetime, now: datetime) -> timedelta | None:
    """How long ago a check was; None of one in the future, by a clock that was ahead: then it is unknown."""
    return None if checked_at > now + CLOCK_SLACK else max(now - checked_at, timedelta())


def read_freshness(layout: Layout) -> Freshness:
    """Reads the recorded freshness; empty before the first run."""
    try:
        values = json.loads(layout.freshness_file.read_bytes())
    except FileNotFoundError:
        return Freshness()
    datasets = values.pop(_DATASETS, {})
    return Freshness(
        {market: datetime.fromisoformat(at) for market, at in values.items()},
        {
            # missing in files written by earlier versions
            key: DatasetCheck(
                optional_instant(seen["checked_at"]),
                optional_instant(seen["held_since"]),
                seen.get("stale_after_hours"),
                CountedRows(**counted) if (counted := seen.get("counted")) else None,
                seen.get("out_of_reach"),
            )
            for key, seen in datasets.items()
        },
    )


def write_freshness(layout: Layout, freshness: Freshness) -> None:
    """Replaces the recorded freshness."""
    value: dict[str, Any] = {market: at.isoformat() for market, at in freshness.markets.items()}
    value[_DATASETS] = {key: atomic_files.json_fields(seen) for key, seen in freshness.dataset_checks.items()}
    atomic_files.write_json(layout.freshness_file, value)
