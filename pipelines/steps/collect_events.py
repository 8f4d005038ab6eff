"""EVENTS of a market: the content of its outbox, as a file of the run.

Does not belong here: numbering them (`warehouse.ledger.ledger`, when a release is made).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.workspace import Workspace
from warehouse import schema_render
from warehouse.schema.tables import EVENTS
from warehouse.storage import atomic_files


@dataclass(frozen=True, slots=True)
class CollectResult:
    """Number of events pending for the next release."""

    market: str
    events: int


def collect_events(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> CollectResult:
    """Writes the outbox: this run's events, and those of runs killed before their release."""
    with workspace.open_history(jurisdiction.code) as history:
        events = history.outbox_events()
    path = _events_path(workspace, jurisdiction.code, batch)
    built = atomic_files.temporary_path(path)
    events.write_parquet(built)
    atomic_files.publish_file(built, path)
    result = CollectResult(jurisdiction.code, events.height)
    workspace.step_results.write(batch, f"events-{jurisdiction.code}", asdict(result))
    return result


def load_collected(workspace: Workspace, market: str, batch: str) -> pl.DataFrame:
    """The events of one market and batch; none if the run did not get that far."""
    path = _events_path(workspace, market, batch)
    return pl.read_parquet(path) if path.exists() else schema_render.empty_frame(EVENTS)


def _events_path(workspace: Workspace, market: str, batch: str) -> Path:
    return workspace.step_results.folder(batch) / f"events-{market}.parquet"
