"""STAGED with rows in memory: what the same file states is the same frame in all worlds, so that steps remember it.

The indexes of batches are on disk, where the index of the market finds them. Does not belong here: what is remembered
of the steps after it (`remembered`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import polars as pl

from connectors.contract.pieces import ArchiveMember
from pipelines.runtime.parser_pool import ParseOutcome, ParserPool, Read, parse_member
from tests.model.plain_history import PlainStores
from tests.model.remembering import Remembered
from warehouse.schema.types import Table
from warehouse.staged.store import INDEX, StagedIndex, StagedStore
from warehouse.staged.writer import ArchiveMemberLike, StagedWriter, raw_pointer
from warehouse.storage.layout import Layout

Identity = tuple[int, int]
Key = tuple[Any, ...]

_parsed: Final = Remembered(parse_member, lambda read, member: (read, member.dataset, member.sha256), lambda *_: None)
_united: Final = Remembered(lambda *frames: pl.concat(frames, rechunk=True), lambda *frames: tuple(map(id, frames)))
_lazy: Final = Remembered(pl.DataFrame.lazy, id)
_keys: Final = Remembered(
    lambda names, rows: frozenset(rows.select(names).iter_rows()), lambda names, rows: (names, id(rows))
)


class PlainPool(ParserPool):
    """Parses in this process, each body once."""

    def parse_members(self, read: Read, members: Iterable[ArchiveMember], size: int = 0) -> Iterator[ParseOutcome]:
        del size
        return (replace(_parsed(read, member), member=member) for member in members)


@dataclass
class _PlainRows:
    """`RowGroupWriter`, with the rows in memory: its file is empty."""

    path: Path
    stores: PlainStores
    frames: list[pl.DataFrame] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.path.touch()
            identity = _identity(self.path)
            assert identity is not None
            self.stores.rows[identity] = self.frames[0] if len(self.frames) == 1 else _united(*self.frames)

    def add(self, frame: pl.DataFrame) -> None:
        self.frames.append(frame)


class PlainStagedWriter(StagedWriter):
    """Collects one batch, of which no record is rejected."""

    def __init__(self, dataset: str, batch: str, folder: Path, stores: PlainStores) -> None:
        super().__init__(dataset, batch, folder)
        self._stores = stores
        self._distinct: dict[tuple[str, str, str], frozenset[Key]] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        assert kind is not None or not (self._rejects or self._signals)  # nothing reads them, and nothing is written

    def _rows_writer(self, path: Path) -> _PlainRows:  # type: ignore[override]  # of the same shape
        return _PlainRows(path, self._stores)

    def with_staged_columns(self, table: Table, piece: ArchiveMemberLike, rows: pl.DataFrame) -> pl.DataFrame:
        return _with_columns(super().with_staged_columns, table, piece, rows)

    def _collect_keys(self, table: Table, piece: ArchiveMemberLike, rows: pl.DataFrame) -> None:
        edition = self._snapshot_entry(piece)
        where = (edition["observed_at"], edition["scope"], table.name)
        self._distinct[where] = self._distinct.get(where, frozenset()) | _keys(table.key, rows)

    def _distinct_record_counts(self, instant: str, scope: str) -> dict[str, int]:
        found = self._distinct.items()
        return {table: len(keys) for (*edition, table), keys in found if edition == [instant, scope]}


_with_columns: Final = Remembered(
    lambda made, table, piece, rows: made(table, piece, rows),
    lambda made, table, piece, rows: (
        table.name,
        id(rows),
        raw_pointer(piece),
        piece.name,
        piece.observed_at,
        str(piece.scope),
    ),
    lambda made, table, piece, rows: rows,
)


_NO_REJECTS: Final = pl.DataFrame(schema=dict.fromkeys(("piece", "raw", "record", "reason", "excerpt"), pl.String()))


class PlainStaged(StagedStore):
    """STAGED with rows in memory, and indexes that are read once."""

    def __init__(self, stores: PlainStores, layout: Layout, on_step: Callable[[str], None], index: Any) -> None:
        super().__init__(layout, on_step, index)
        self._folder = layout.staged_folder
        self._stores = stores

    def _writer(self, dataset: str, batch: str, folder: Path) -> PlainStagedWriter:
        return PlainStagedWriter(dataset, batch, folder, self._stores)

    def rejects(self, dataset: str, batch: str) -> pl.DataFrame:
        return _NO_REJECTS

    def all_batches(self, dataset: str) -> list[str]:
        folder = self._folder / dataset
        names = [path.name for path in folder.iterdir()] if folder.exists() else []
        return sorted(name for name in names if name.endswith("Z"))

    def index(self, dataset: str, batch: str) -> StagedIndex | None:
        identity = _identity(self._folder / dataset / batch / INDEX)
        if identity is None:
            return None
        if identity not in self._stores.indexes:
            found = super().index(dataset, batch)
            assert found is not None
            self._stores.indexes[identity] = found
        return self._stores.indexes[identity]

    def _replace_index(self, dataset: str, batch: str, index: StagedIndex) -> None:
        raise NotImplementedError(f"{dataset}: batch {batch} is quarantined, in a market without guards")

    def read_rows(self, dataset: str, batch: str, table: Table) -> pl.LazyFrame:
        identity = _identity(self._folder / dataset / batch / f"{table.name}.parquet")
        return super().read_rows(dataset, batch, table) if identity is None else _lazy(self._stores.rows[identity])


def _identity(path: Path) -> Identity | None:
    """Of a file as it is, whatever leads to it: another one in its place has another. None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
