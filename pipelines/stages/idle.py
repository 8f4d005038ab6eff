"""Skips the steps of datasets for which a folder has nothing to do.

A market has up to a dozen datasets and a folder has files for a few; empty steps would dominate the run time.
Does not belong here: what the steps do (`raw`, `staged`).
"""

from __future__ import annotations

from dataclasses import asdict

from connectors.declare import Dataset, Jurisdiction
from pipelines.origins import Opened
from pipelines.resources import Workspace
from pipelines.stages import mended, raw, staged


def told_of(workspace: Workspace, jurisdiction: Jurisdiction, opened: Opened, batch: str) -> list[Dataset]:
    """The datasets with files in a folder, pending bodies, or a guard override.

    For the others an empty result is written: a run is complete only with a result for every dataset.
    """
    raw.list_files(workspace, jurisdiction, opened, batch)
    named = {entry.dataset for entry in opened.files(jurisdiction)}
    named |= workspace.receipts.facts(batch).accept_shrink
    busy = [made for made in jurisdiction.datasets if made.key in named or _has_pending(workspace, made)]
    for dataset in jurisdiction.datasets:
        if dataset not in busy:
            _note(workspace, dataset, batch)
    return busy


def _has_pending(workspace: Workspace, dataset: Dataset) -> bool:
    """True if a killed run left something unparsed, or a damaged body is intact again."""
    return bool(mended.pending(workspace, dataset))


def _note(workspace: Workspace, dataset: Dataset, batch: str) -> None:
    came, read = raw.RawReceipt(dataset.key), staged.StagedReceipt(dataset.key)
    workspace.receipts.write(batch, raw.receipt_name(dataset.key), asdict(came))
    workspace.receipts.write(batch, staged.receipt_name(dataset.key), asdict(read))
