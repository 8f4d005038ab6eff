"""What an operator can do about a quarantined dataset: the file and the reason behind a guard's figure, and a command.

Reads the batch that STAGED keeps in quarantine. Does not belong here: guards (`pipelines.steps.guards`), printing.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.pieces import NOT_A_COMPANY
from pipelines.runtime.counted_words import counted
from warehouse.staged.store import StagedIndex, StagedStore
from warehouse.storage.layout import Layout

_LONGEST: Final = 160  # characters of a reason
_REREAD: Final = "correct the file or its reader, and ingest it again"
_ACCEPT: Final = "if the source has really changed, add --accept-shrink {dataset} to the next ingest"


def quarantine_advice(layout: Layout, dataset: str) -> str | None:
    """One line about the newest quarantined batch of a dataset: its file, why, what to do; None if there is none."""
    store = StagedStore(layout)
    found = store.quarantined_indexes(dataset)
    if not found:
        return None
    cause = _unread_file(found[-1]) or _rejected_records(store, found[-1])
    names = ", ".join(sorted({piece["name"] for piece in found[-1].pieces})[:3])
    what = cause or f"{names}: all records were read, and the figures differ from those of the last accepted file"
    return f"{dataset}: {what}; {_REREAD if cause else _ACCEPT.format(dataset=dataset)}"


def _unread_file(index: StagedIndex) -> str | None:
    piece = next((piece for piece in index.pieces if piece["rejected"] is not None), None)
    return None if piece is None else f"{piece['name']} cannot be read: {_shortened(piece['rejected'])}"


def _rejected_records(store: StagedStore, index: StagedIndex) -> str | None:
    """The file with the most rejected records, and the most frequent reason in it."""
    rejects = store.rejects(index.dataset, index.batch).filter(~pl.col("reason").str.starts_with(NOT_A_COMPANY))
    if rejects.is_empty():
        return None
    by_file = rejects.group_by("piece").agg(pl.len(), pl.col("reason").mode().sort().first())
    name, count, reason = by_file.sort("len", "piece", descending=[True, False]).row(0)
    return f"{name}: {counted(count, 'record')} rejected, most of them: {_shortened(reason)}"


def _shortened(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
