"""RAW of a world, and answers of its index: each is kept until something is written of its dataset.

A whole world asks the index anew each time. Does not belong here: STAGED (`plain_staged`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from warehouse.market_index.index import MarketIndex, Part
from warehouse.market_index.tables import SCHEMA
from warehouse.raw.archive import RawArchive
from warehouse.storage.derived_database import DerivedDatabase
from warehouse.storage.layout import Layout

Answer = list[tuple[Any, ...]]


class _InMemory(DerivedDatabase):
    """As a temporary file serves where none can be written; its tables are copied, as making them takes longer."""

    def __init__(self) -> None:
        super().__init__(Path(), SCHEMA)
        self.is_temporary = True

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.deserialize(_empty_index())
        return connection


@cache
def _empty_index() -> bytes:
    """A database with the tables and no rows."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return connection.serialize()


class RememberedIndex(MarketIndex):
    """The index of a data root that one process writes."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._answers: dict[str, dict[tuple[Part, str, Sequence[Any]], Answer]] = {}

    def ask(self, dataset: str, part: Part, query: str, values: Sequence[Any] = ()) -> Answer:
        if not any(map(os.path.exists, self._paths(dataset))):
            return []  # of a dataset of which there is nothing
        known, question = self._answers.setdefault(dataset, {}), (part, query, values)
        if question not in known:
            known[question] = super().ask(dataset, part, query, values)
        return known[question]

    def rows(self, dataset: str, part: Part, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        yield from self.ask(dataset, part, query, values)

    def _database(self, dataset: str) -> DerivedDatabase:
        market = dataset.partition(".")[0]
        if market not in self._databases:
            self._databases[market] = _InMemory()
        return self._databases[market]

    def forget_batch(self, dataset: str, batch: str) -> None:
        super().forget_batch(dataset, batch)
        self.forget_answers(dataset)

    def forget_answers(self, dataset: str) -> None:
        """To be called when something was written."""
        self._answers.pop(dataset, None)

    def forget_all(self) -> None:
        """To be called when a process has died: it may have written, and told nobody."""
        self._answers.clear()
        self._databases.clear()


class PlainArchive(RawArchive):
    """RAW whose index remembers its answers."""

    _index: RememberedIndex

    def append_line(self, dataset: str, line: dict[str, Any]) -> None:
        try:
            super().append_line(dataset, line)
        finally:
            self._index.forget_answers(dataset)
