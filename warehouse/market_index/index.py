"""The index of a market: a SQLite file that answers what was archived and staged from what has come since.

The manifests of RAW and the indexes of staged batches are the record; the file is derived from them and caught up by
every question, whoever has written them meanwhile (docs/architecture.md 1). Does not belong here: what is asked
(`raw.archive`, `staged.store`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Flag, auto
from pathlib import Path
from typing import Any, Final, TypeVar

from warehouse.market_index import batches, manifests
from warehouse.market_index.manifests import ManifestPosition
from warehouse.market_index.tables import SCHEMA, SeenFiles
from warehouse.storage.derived_database import DerivedDatabase, transaction
from warehouse.storage.layout import Layout

Result = TypeVar("Result")
FEW_ROWS: Final = 100  # are read at once; of more rows, each when it is requested, by a connection of its own
Work = Callable[[sqlite3.Connection, int], Result]  # receives the id of the dataset, 0 if nothing is known of it


class Part(Flag):
    """What a question is about, and must be current for it."""

    RAW = auto()
    STAGED = auto()


class MarketIndex:
    """The indexes of the markets of one data root. A dataset's market is what its key begins with (`no.enheter`)."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._databases: dict[str, DerivedDatabase] = {}
        self._known_paths: dict[str, tuple[str, str]] = {}

    def ask(self, dataset: str, part: Part, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, where they are few; `?1` is the dataset, `?2` the first value."""
        return self._run(
            dataset, part, lambda connection, number: connection.execute(query, (number, *values)).fetchall()
        )

    def _run(self, dataset: str, part: Part, work: Work[Result]) -> Result:
        """The result of `work` in a transaction that sees everything that was written before.

        `work` may be called again; raises ManifestLineError, and OSError if the disk is full or fails.
        """

        def asked(connection: sqlite3.Connection) -> Result:
            with self._current(connection, dataset, part) as number:
                return work(connection, number)

        return self._database(dataset).run(asked)

    def rows(self, dataset: str, part: Part, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Rows of a query one by one, all of the state at the first; `?1` is the dataset, `?2` the first value."""
        database = self._database(dataset)

        def first(connection: sqlite3.Connection, number: int) -> list[tuple[Any, ...]]:
            found = connection.execute(query, (number, *values))
            return found.fetchall() if database.is_temporary else found.fetchmany(FEW_ROWS + 1)

        rows = self._run(dataset, part, first)
        if database.is_temporary or len(rows) <= FEW_ROWS:
            yield from rows
            return
        with database.reader() as connection, self._current(connection, dataset, part) as number:
            yield from connection.execute(query, (number, *values))

    @contextmanager
    def _current(self, connection: sqlite3.Connection, dataset: str, part: Part) -> Iterator[int]:
        """A transaction that sees all that was written before it began; yields the id of the dataset, 0 if unknown.

        Staged batches are listed once: a folder that has just changed cannot be told from one that will.
        """
        path, folder = self._paths(dataset)
        is_listed = Part.STAGED not in part
        while True:
            with transaction(connection):
                seen = SeenFiles.read(connection, dataset)
                is_listed = is_listed or batches.is_current(seen, folder)
                is_read = Part.RAW not in part or manifests.is_current(seen, path)
                if is_listed and is_read:
                    yield seen.dataset
                    return
            if not is_listed:
                batches.catch_up(connection, dataset, Path(folder))
                is_listed = True
            elif not is_read:
                manifests.catch_up(connection, dataset, Path(path))

    def manifest_position(self, dataset: str) -> ManifestPosition:
        """The complete lines that a dataset's manifest has now."""
        return self._run(dataset, Part.RAW, lambda connection, _: manifests.read_position(connection, dataset))

    def forget_batch(self, dataset: str, batch: str) -> None:
        """Forgets a staged batch, whose index is about to change."""
        self._database(dataset).run(lambda connection: batches.forget_batch(connection, dataset, batch))

    def clear(self, market: str) -> None:
        """Empties a market's index: what it was built from was rewritten."""
        self._database(market.lower()).clear()

    def manifest_path(self, dataset: str) -> Path:
        """The manifest of a dataset, which RAW writes."""
        return self._layout.raw_folder / "manifest" / f"{dataset}.jsonl"

    def _paths(self, dataset: str) -> tuple[str, str]:
        """Manifest and staged folder of a dataset, composed once."""
        if dataset not in self._known_paths:
            self._known_paths[dataset] = str(self.manifest_path(dataset)), str(self._layout.staged_folder / dataset)
        return self._known_paths[dataset]

    def _database(self, dataset: str) -> DerivedDatabase:
        market = dataset.partition(".")[0]
        if market not in self._databases:
            self._databases[market] = DerivedDatabase(self._layout.market_index_file(market), SCHEMA)
        return self._databases[market]
