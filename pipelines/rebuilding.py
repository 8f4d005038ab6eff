"""A market's history made anew from STAGED, beside the one that counts: batch by batch, as runs once did.

It is done in a data root of its own, into which the staged batches come one after the other, so that each step
sees what the run of then saw: what came late is late again. Judgements are followed where they were made. Does not
belong here: comparing, and putting it in the place of the other (`rebuild`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from connectors.declare import Jurisdiction
from pipelines.batches import batch_instant, next_batch
from pipelines.resources import Workspace, silent
from pipelines.stages import history, normalised
from warehouse import files
from warehouse.judgements import Judgements
from warehouse.lake import DOUBTS

_BREAK = b"\n"


class Incomplete(RuntimeError):  # noqa: N818 - named for what it says
    """What a history is made of is not all there any more; the message names it."""

    def __init__(self, market: str, missing: list[str]) -> None:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")  # noqa: PLR2004
        super().__init__(
            f"{market} cannot be rebuilt: rows of {shown} are gone from STAGED (pruned, or a disk lost them); "
            "restore them from a copy, or go on with the history that is there"
        )
        self.missing = missing


@dataclass(frozen=True)
class Replay:
    """One market's history, anew. `workspace` is that of the data root whose market it is."""

    workspace: Workspace
    jurisdiction: Jurisdiction

    @property
    def root(self) -> Path:
        return self.workspace.layout.rebuilt(self.jurisdiction.code)

    @cached_property
    def own(self) -> Workspace:
        """The workspace of the data root that it is made in."""
        kept = self.workspace
        settings = replace(kept.settings, data=self.root, object_store=None)
        return Workspace(settings, kept.jurisdictions, kept.clock, silent, kept.on_step)

    def run(self) -> int:
        """Makes it; gives the number of batches. Incomplete before anything is made."""
        batches = self._batches()
        if missing := list(self._missing()):
            raise Incomplete(self.jurisdiction.code, missing)
        self.discard()
        files.make_folder(self.root)
        if self.workspace.layout.erased.exists():
            files.write_bytes(self.own.layout.erased, self.workspace.layout.erased.read_bytes())
        for place, batch in enumerate(batches, 1):
            self._take(batch)
            self.workspace.tell(f"{self.jurisdiction.code}: {place} of {len(batches)} batches")
        self._follow_the_rest(batches)
        return len(batches)

    def discard(self) -> None:
        """Takes away what was made."""
        files.discard(self.root)

    def _batches(self) -> list[str]:
        """Every staged batch of the market, oldest first."""
        found = (self.workspace.lake.batches(dataset.key) for dataset in self.jurisdiction.datasets)
        return sorted({batch for batches in found for batch in batches})

    def _missing(self) -> Iterator[str]:
        for dataset in self.jurisdiction.datasets:
            for index in self.workspace.lake.indexes(dataset.key):
                folder = self.workspace.layout.staged / dataset.key / index.batch
                for name, rows in index.tables.items():
                    if rows and not (folder / f"{name}.parquet").exists():
                        yield f"{dataset.key}/{index.batch}"

    def _take(self, batch: str) -> None:
        """What the run of this batch took in, as it took it in."""
        for dataset in self.jurisdiction.datasets:
            self._link(self.workspace.layout.staged / dataset.key, batch)
        self._judge_until(batch_instant(batch))
        self._step(batch)

    def _link(self, there: Path, batch: str) -> None:
        here = self.own.layout.staged / there.name
        for name in (batch, DOUBTS):
            if (there / name).exists() and not (here / name).exists():
                files.make_folder(here)
                (here / name).symlink_to(there / name)

    def _judge_until(self, instant: datetime | None) -> None:
        """Judgements that were made by then; None: all."""
        layout = self.workspace.layout
        rows = [row for row in Judgements(layout).all() if instant is None or row.at <= instant]
        if rows:
            lines = layout.judgements.read_bytes().split(_BREAK)[: rows[-1].number]
            files.write_bytes(self.own.layout.judgements, _BREAK.join(lines) + _BREAK)

    def _follow_the_rest(self, batches: list[str]) -> None:
        """What was judged after the newest batch: runs without files followed it."""
        self._judge_until(None)
        if batches and self.own.layout.judgements.exists():
            self._step(next_batch(self.workspace.clock(), batches))

    def _step(self, batch: str) -> None:
        self.own.receipts.begin(batch, self.workspace.receipts.facts(batch))
        normalised.normalise(self.own, self.jurisdiction, batch)
        history.apply(self.own, self.jurisdiction, batch)
