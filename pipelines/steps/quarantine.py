"""Quarantine state of a market, and the dataset states that a release publishes.

Does not belong here: when a dataset is quarantined (`guards`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.workspace import Workspace, profile_dataset, staged_tables
from warehouse.history.history import MarketHistory
from warehouse.schema.market_state import DatasetState, LicenceTerms, QuarantineReason

FETCH_GUARD = "fetch"


def dataset_quarantine(workspace: Workspace, dataset: Dataset) -> QuarantineReason | None:
    """The guard of the newest quarantined batch of a dataset, which need not be its last batch; None if none."""
    found = workspace.staged_store.quarantined_indexes(dataset.key)
    return found[-1].held if found else None


def _accepted_guard(workspace: Workspace, dataset: Dataset) -> QuarantineReason | None:
    index = next(workspace.staged_store.newest_indexes(dataset.key), None)
    return None if index is None else index.accepted


def is_market_quarantined(workspace: Workspace, jurisdiction: Jurisdiction) -> bool:
    """True if the whole market is stopped: its profile dataset is quarantined."""
    return dataset_quarantine(workspace, profile_dataset(jurisdiction)) is not None


def dataset_states(workspace: Workspace, jurisdiction: Jurisdiction, history: MarketHistory) -> dict[str, DatasetState]:
    """Per dataset: watermark, batches, and quarantine."""
    taken = history.recorded_keys("staged")
    rows = history.present_counts(staged_tables(jurisdiction).values())
    return {
        dataset.key: DatasetState(
            observed_at=history.high_watermark(dataset.key),
            batches=tuple(
                batch
                for batch in [workspace.staged_store.newest_batch_in_use(dataset.key)]
                if f"{dataset.key}/{batch}" in taken
            ),
            rows=sum(rows[table.name] for table in dataset.staged_tables.values()),
            held=dataset_quarantine(workspace, dataset),
            accepted=_accepted_guard(workspace, dataset),
            terms=LicenceTerms(dataset.licence.name, dataset.licence.url, dataset.licence.attribution),
        )
        for dataset in jurisdiction.datasets
    }


def newest_instant(states: Mapping[str, DatasetState]) -> datetime | None:
    """The newest watermark of a market."""
    return max((state.observed_at for state in states.values() if state.observed_at), default=None)
