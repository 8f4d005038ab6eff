"""Freshness of each dataset after a run: whether its source was fully checked, and since when it is quarantined.

Does not belong here: why a dataset is quarantined (`guards`), or how that is stored
(`warehouse.release.freshness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from connectors.contract.dataset import Dataset
from pipelines.steps import fetch, quarantine
from pipelines.workspace import Workspace
from warehouse.reader.types import DatasetState
from warehouse.release import freshness
from warehouse.release.freshness import DatasetCheck


def freshness_after_run(workspace: Workspace, market: str, batch: str) -> dict[str, DatasetCheck]:
    """Freshness of a market's datasets after a run."""
    known = freshness.read(workspace.layout).datasets
    at = workspace.receipts.facts(batch).at
    return {
        dataset.key: replace(
            _dataset_freshness(workspace, dataset, batch, known.get(dataset.key, DatasetCheck(None)), at),
            stale_after_hours=dataset.cadence.stale_after_hours,
        )
        for dataset in workspace.jurisdiction(market).datasets
    }


def previous_freshness(workspace: Workspace, market: str) -> dict[str, DatasetCheck]:
    """Stored freshness of a market's datasets."""
    noted = freshness.read(workspace.layout).datasets
    return {
        dataset.key: noted.get(dataset.key, DatasetCheck(None))
        for dataset in workspace.jurisdiction(market).datasets
    }


def with_freshness(
    states: Mapping[str, DatasetState], seen: Mapping[str, DatasetCheck]
) -> dict[str, DatasetState]:
    """The states of datasets, updated with their freshness."""
    return {
        key: replace(state, checked_at=seen[key].checked_at, held_since=seen[key].held_since)
        for key, state in states.items()
    }


def _dataset_freshness(
    workspace: Workspace, dataset: Dataset, batch: str, former: DatasetCheck, at: datetime
) -> DatasetCheck:
    """Freshness of one dataset; `held_since` is the first run with a failed fetch or a quarantined snapshot."""
    receipt = fetch.FetchResult.of(
        workspace.receipts.read(batch, fetch.result_name(dataset.key)), dataset.key
    )
    if receipt.failure is not None or quarantine.quarantine_of(workspace, dataset) is not None:
        return DatasetCheck(former.checked_at, former.held_since or at)
    if not receipt.asked:
        return former
    return DatasetCheck(max(at, former.checked_at or at))
