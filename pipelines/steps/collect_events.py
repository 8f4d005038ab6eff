"""EVENTS of a market: the content of its outbox, as a file of the run.

Does not belong here: numbering them (`warehouse.ledger.ledger`, when a release is made).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.workspace import Workspace
from warehouse.storage import atomic_files


@dataclass(frozen=True, slots=True)
class CollectResult:
    """Number of events pending for the next release."""

    market: str
    events: int


def events_path(workspace: Workspace, market: str, batch: str) -> Path:
    """Path of the events file of one market and batch."""
    return workspace.receipts.folder(batch) / f"events-{market}.parquet"


def collect(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> CollectResult:
    """Writes the outbox: this run's events, and those of runs killed before their release."""
    with workspace.history(jurisdiction.code) as history:
        rows = history.outbox()
    path = events_path(workspace, jurisdiction.code, batch)
    built = atomic_files.temporary_path(path)
    rows.write_parquet(built)
    atomic_files.publish_file(built, path)
    receipt = CollectResult(jurisdiction.code, rows.height)
    workspace.receipts.write(batch, f"events-{jurisdiction.code}", asdict(receipt))
    return receipt


def read_collected(workspace: Workspace, market: str, batch: str) -> pl.DataFrame | None:
    """The events of one market and batch; None if the run did not get that far."""
    path = events_path(workspace, market, batch)
    return pl.read_parquet(path) if path.exists() else None
