"""Parquet as it is written between steps, and frames gathered into row groups by a thread beside the caller.

An archive of forty thousand members gives forty thousand frames of a few rows: each alone would be a row group
and a millisecond. Does not belong here: what is counted or told of the rows (`staging`).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import polars as pl
import pyarrow.parquet as pq

GROUP: Final = 60_000  # rows gathered before they are written
FRAMES: Final = 4_000  # or frames
LEVEL: Final = 1  # zstd; and no statistics: such files are read whole, once or twice


def write(frame: pl.DataFrame, path: Path) -> None:
    """A whole table at once."""
    frame.write_parquet(path, compression="zstd", compression_level=LEVEL, statistics=False)


class RowGroups:
    """Writes frames of one schema to one file; leaving the block by an error ends the file where it stands."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: list[pl.DataFrame] = []
        self._rows = 0
        self._file: pq.ParquetWriter | None = None
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._flush()
                self._wait()
        finally:
            self._thread.shutdown()
            if self._file is not None:
                self._file.close()

    def add(self, frame: pl.DataFrame) -> None:
        """Adds rows. An error of writing an earlier group is raised here or at the end."""
        self._held.append(frame)
        self._rows += frame.height
        if self._rows >= GROUP or len(self._held) >= FRAMES:
            self._flush()

    def _flush(self) -> None:
        """Hands over what is held once the group before is written, so that memory stays bounded."""
        if not self._held:
            return
        group = pl.concat(self._held, rechunk=False)
        self._held, self._rows = [], 0
        self._wait()
        self._writing = self._thread.submit(self._write, group)

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def _write(self, group: pl.DataFrame) -> None:
        arrow = group.to_arrow(compat_level=pl.CompatLevel.newest())
        if self._file is None:
            self._file = pq.ParquetWriter(
                self._path, arrow.schema, compression="zstd", compression_level=LEVEL, write_statistics=False
            )
        self._file.write_table(arrow)
