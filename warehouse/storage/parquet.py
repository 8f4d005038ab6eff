"""Parquet files between pipeline steps; collects small frames into row groups, written by a background thread.

An archive of forty thousand members gives forty thousand frames of a few rows: each alone would be a row group
and take a millisecond. Does not belong here: row counts and reports (`staged.writer`).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import polars as pl
import pyarrow.parquet as pq

from warehouse.storage import atomic_files

GROUP: Final = 60_000  # rows collected before writing
FRAMES: Final = 4_000  # or frames
LEVEL: Final = 1  # zstd; no statistics, as these files are read in full, once or twice


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Writes a whole table at once."""
    frame.write_parquet(path, compression="zstd", compression_level=LEVEL, statistics=False)


def replace_parquet(path: Path, rows: pl.DataFrame) -> None:
    """Replaces a file atomically, with polars' own settings."""
    built = atomic_files.temporary_path(path)
    rows.write_parquet(built)
    atomic_files.publish_file(built, path)


class RowGroupWriter:
    """Writes frames of one schema to one file; if the block fails, the file is closed incomplete."""

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
                self._await_write()
                if self._held:  # nothing is collected meanwhile: no thread is needed
                    self._write_group(self._taken())
        finally:
            self._thread.shutdown()
            if self._file is not None:
                self._file.close()

    def add(self, frame: pl.DataFrame) -> None:
        """Adds rows. An error from writing an earlier group is raised here or at the end of the block."""
        self._held.append(frame)
        self._rows += frame.height
        if self._rows >= GROUP or len(self._held) >= FRAMES:
            self._flush()

    def _flush(self) -> None:
        """Starts writing the collected rows after the previous group is written, so that memory stays bounded."""
        group = self._taken()
        self._await_write()
        self._writing = self._thread.submit(self._write_group, group)

    def _taken(self) -> pl.DataFrame:
        """The collected rows, of which none are held any more."""
        group = pl.concat(self._held, rechunk=False)
        self._held, self._rows = [], 0
        return group

    def _await_write(self) -> None:
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def _write_group(self, group: pl.DataFrame) -> None:
        arrow = group.to_arrow(compat_level=pl.CompatLevel.newest())
        if self._file is None:
            self._file = pq.ParquetWriter(
                self._path, arrow.schema, compression="zstd", compression_level=LEVEL, write_statistics=False
            )
        self._file.write_table(arrow)
