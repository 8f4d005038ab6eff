"""Freshness of each dataset after a run: whether its source was fully checked, and since when it is quarantined.

Does not belong here: why a dataset is quarantined (`guards`), or how that is stored (`warehouse.freshness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from connectors.declare import Dataset
from pipelines.resources import Workspace
from pipelines.stages import held, raw
from warehouse import freshness
from warehouse.freshness import Seen
from warehouse.reading import DatasetState


def seen(workspace: Workspace, market: str, batch: str) -> dict[str, Seen]:
    """Freshness of a market's datasets after a run."""
    known = freshness.read(workspace.layout).datasets
    at = workspace.receipts.facts(batch).at
    return {
        dataset.key: replace(
            _seen(workspace, dataset, batch, known.get(dataset.key, Seen(None)), at),
            stale_after_hours=dataset.cadence.stale_after_hours,
        )
        for dataset in workspace.jurisdiction(market).datasets
    }


def known(workspace: Workspace, market: str) -> dict[str, Seen]:
    """Stored freshness of a market's datasets."""
    noted = freshness.read(workspace.layout).datasets
    return {
        dataset.key: noted.get(dataset.key, Seen(None)) for dataset in workspace.jurisdiction(market).datasets
    }


def with_seen(states: Mapping[str, DatasetState], seen: Mapping[str, Seen]) -> dict[str, DatasetState]:
    """The states of datasets, updated with their freshness."""
    return {
        key: replace(state, checked_at=seen[key].checked_at, held_since=seen[key].held_since)
        for key, state in states.items()
    }


def _seen(workspace: Workspace, dataset: Dataset, batch: str, former: Seen, at: datetime) -> Seen:
    """Freshness of one dataset; `held_since` is the first run with a failed fetch or a quarantined snapshot."""
    receipt = raw.RawReceipt.of(workspace.receipts.read(batch, raw.receipt_name(dataset.key)), dataset.key)
    if receipt.failure is not None or held.held_of(workspace, dataset) is not None:
        return Seen(former.checked_at, former.held_since or at)
    if not receipt.asked:
        return former
    return Seen(max(at, former.checked_at or at))
