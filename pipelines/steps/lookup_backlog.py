"""Look-up backlog: staged rows for which a dataset that looks up single subjects has not made its requests yet.

A run killed, or cut off by its registry, between staging the rows that name subjects and looking them up
leaves a backlog: the next run gets the same rows again. A batch is marked as processed once every answer is
in RAW, not before. Does not belong here: which subjects a row names (`Dataset.wants`), or the look-ups
(`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, Scope
from warehouse.schema.types import Table
from warehouse.staged.store import StagedStore


@dataclass(frozen=True, slots=True)
class _StagedInput:
    """Batches of one dataset that hold rows of one table."""

    dataset: str
    table: Table
    batches: tuple[str, ...]


class LookupBacklog(Mapping[str, pl.DataFrame]):
    """Backlog rows by staged table, loaded on access: most datasets read one table of many."""

    def __init__(self, lake: StagedStore, sources: Iterable[_StagedInput], seen: Mapping[str, str]) -> None:
        self._lake = lake
        self._sources: dict[str, list[_StagedInput]] = {}
        for source in sources:
            self._sources.setdefault(source.table.name, []).append(source)
        self.seen: Final = dict(seen)

    def __getitem__(self, name: str) -> pl.DataFrame:
        frames = [
            self._lake.rows(source.dataset, batch, source.table)
            for source in self._sources[name]
            for batch in source.batches
        ]
        return pl.concat(frames).collect()

    def __contains__(self, name: object) -> bool:
        """True if a table has rows, without loading them as `Mapping` would."""
        return name in self._sources

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def find_lookup_backlog(lake: StagedStore, jurisdiction: Jurisdiction, dataset: Dataset) -> LookupBacklog:
    """Rows of the market's other datasets that `dataset` has not processed; oldest batch first."""
    asked = lake.asked(dataset.key)
    since = max(lake.batches(dataset.key), default="")  # data root from before any progress was recorded
    sources: list[_StagedInput] = []
    seen: dict[str, str] = {}
    for other in jurisdiction.datasets:
        if other.key == dataset.key:
            continue
        after = asked.get(other.key, "" if asked else since)
        batches, noted = _batches_to_look_up(lake, other, after)
        if not batches:
            continue
        seen[other.key] = noted
        indexes = [index for batch in batches if (index := lake.index(other.key, batch)) is not None]
        for table in other.staged.values():
            holding = tuple(index.batch for index in indexes if index.tables.get(table.name))
            if holding:
                sources.append(_StagedInput(other.key, table, holding))
    return LookupBacklog(lake, sources, asked | seen)


def _batches_to_look_up(lake: StagedStore, other: Dataset, after: str) -> tuple[list[str], str]:
    """Batches after `after`, from the last full snapshot on, which supersedes all before it.

    Also the last batch to mark as processed: none after a quarantined batch, which would be skipped once it
    is lifted.
    """
    found: list[str] = []
    held: str | None = None
    for batch in reversed(lake.batches(other.key)):
        if batch <= after:
            break
        index = lake.index(other.key, batch)
        if index is None:
            continue
        if index.held is not None:
            held = batch
            continue
        found.insert(0, batch)
        if any(edition["scope"] == Scope.FULL for edition in index.editions):
            break
    return found, max((batch for batch in found if held is None or batch < held), default=after)
