"""What a run has seen of each dataset: whether its source was looked at in full, and since when it is held.

Does not belong here: why a dataset is held (`guards`), or how that is stored (`warehouse.freshness`).
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
    """What is to be noted of a market's datasets after a run."""
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
    """What was noted of a market's datasets before."""
    noted = freshness.read(workspace.layout).datasets
    return {
        dataset.key: noted.get(dataset.key, Seen(None)) for dataset in workspace.jurisdiction(market).datasets
    }


def with_seen(states: Mapping[str, DatasetState], seen: Mapping[str, Seen]) -> dict[str, DatasetState]:
    """The states of datasets with what a run has seen of them."""
    return {
        key: replace(state, checked_at=seen[key].checked_at, held_since=seen[key].held_since)
        for key, state in states.items()
    }


def _seen(workspace: Workspace, dataset: Dataset, batch: str, former: Seen, at: datetime) -> Seen:
    """A source that could not be read, or whose newest edition is refused, is held; the first such run counts."""
    receipt = raw.RawReceipt.of(workspace.receipts.read(batch, raw.receipt_name(dataset.key)), dataset.key)
    if receipt.failure is not None or held.held_of(workspace, dataset) is not None:
        return Seen(former.checked_at, former.held_since or at)
    if not receipt.asked:
        return former
    return Seen(max(at, former.checked_at or at))
