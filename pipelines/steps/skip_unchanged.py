"""Skips the steps of datasets for which a folder has nothing to do.

A market has up to a dozen datasets and a folder has files for a few; empty steps would dominate the run time.
Does not belong here: what the steps do (`fetch`, `stage`).
"""

from __future__ import annotations

from dataclasses import asdict

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.sources.source import OpenedSource
from pipelines.steps import fetch, repaired_bodies, stage
from pipelines.workspace import Workspace


def datasets_with_work(
    workspace: Workspace, jurisdiction: Jurisdiction, opened: OpenedSource, batch: str
) -> list[Dataset]:
    """The datasets with files in a folder, pending bodies, or a guard override.

    For the others an empty result is written: a run is complete only with a result for every dataset.
    """
    fetch.record_source_files(workspace, jurisdiction, opened, batch)
    named = {entry.dataset for entry in opened.files(jurisdiction)}
    named |= workspace.receipts.facts(batch).accept_shrink
    busy = [
        made for made in jurisdiction.datasets if made.key in named or _has_pending_bodies(workspace, made)
    ]
    for dataset in jurisdiction.datasets:
        if dataset not in busy:
            _record_idle(workspace, dataset, batch)
    return busy


def _has_pending_bodies(workspace: Workspace, dataset: Dataset) -> bool:
    """True if a killed run left something unparsed, or a damaged body is intact again."""
    return bool(repaired_bodies.pending_bodies(workspace, dataset))


def _record_idle(workspace: Workspace, dataset: Dataset, batch: str) -> None:
    came, read = fetch.FetchResult(dataset.key), stage.StageResult(dataset.key)
    workspace.receipts.write(batch, fetch.result_name(dataset.key), asdict(came))
    workspace.receipts.write(batch, stage.result_name(dataset.key), asdict(read))
