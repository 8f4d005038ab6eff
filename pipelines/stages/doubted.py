"""What a complete edition lacks that was there before: whom to ask about before absence counts as an end.

Asked between staging the edition and taking it in, so that answers and edition are one state. Does not belong
here: what absence means in a market (`Dataset.doubts`), or the asking (`raw`).
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from connectors.declare import Dataset, Jurisdiction, Scope
from pipelines.resources import Workspace
from pipelines.stages.editions import KEPT


def doubted(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset) -> Iterator[str]:
    """Subjects that `dataset` doubts are gone; none where no complete edition waits to be taken in."""
    complete = dict(_complete(workspace, jurisdiction))
    path = workspace.layout.history_file(jurisdiction.code)
    if dataset.doubts is None or not complete or not path.exists():
        return
    tables = {name: table for made in jurisdiction.datasets for name, table in made.staged.items()}
    with workspace.history(jurisdiction.code) as history:
        present = {name: history.present(tables[name]) for name in {*complete, *dataset.staged}}
    yield from dataset.doubts(present, complete)


def _complete(workspace: Workspace, jurisdiction: Jurisdiction) -> Iterator[tuple[str, pl.LazyFrame]]:
    """Keys of the newest staged edition of each table, where that is complete and no guard holds it.

    One that repeats bodies of an earlier batch is left out: their keys are not in it.
    """
    for made in jurisdiction.datasets:
        index = next(
            (workspace.lake.index(made.key, one) for one in workspace.lake.batches(made.key)[-1:]), None
        )
        if index is None or index.held is not None or index.figures.get(KEPT):
            continue
        for table in made.staged.values():
            if index.tables.get(table.name) and any(e["scope"] == Scope.FULL for e in index.editions):
                yield table.name, workspace.lake.rows(made.key, index.batch, table).select(table.key)
