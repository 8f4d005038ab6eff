"""Manifests of RAW in a market's index: caught up line by line from where they were left.

A manifest only grows. One that does not begin with the lines that the index has (an erasure has rewritten it, an older
copy was restored) is read again as a whole. Does not belong here: writing manifests (`raw.archive`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from warehouse.market_index.tables import SeenFiles, clear_staged, dataset_id
from warehouse.storage.derived_database import LOGGER, transaction
from warehouse.storage.file_version import FileVersion

_LINES_AT_A_TIME: Final = 10_000
_STATE: Final = 'inode, size, changed_at, "end", lines, chain, last_line, chain_before'


@dataclass(frozen=True, slots=True)
class ManifestPosition:
    """The complete lines of a manifest: where they end in bytes, their number, and a digest over all of them."""

    end: int = 0
    lines: int = 0
    chain: bytes = b""

    def followed_by(self, line: bytes) -> Self:
        """The position after one more line."""
        chain = hashlib.sha256(self.chain + line).digest()
        return type(self)(self.end + len(line), self.lines + 1, chain)


class ManifestLineError(ValueError):
    """A manifest line that is not JSON: the manifest is damaged. number: of the line, from 1."""

    def __init__(self, path: Path, number: int) -> None:
        super().__init__(f"{path}: line {number} is not JSON")
        self.path = path
        self.number = number


@dataclass(frozen=True, slots=True)
class _State:
    """How far a manifest is in the index.

    version: of the file when it was last read. end: of the last complete line in bytes. lines: their number. chain: a
    digest of each line over that of those before; chain_before: without the last line, which begins at last_line.
    """

    version: FileVersion | None = None
    end: int = 0
    lines: int = 0
    chain: bytes = b""
    last_line: int = 0
    chain_before: bytes = b""

    @classmethod
    def read(cls, connection: sqlite3.Connection, dataset: str) -> Self:
        row = connection.execute(f"SELECT {_STATE} FROM datasets WHERE key = ?", (dataset,)).fetchone()
        if row is None or row[0] is None:
            return cls()
        inode, size, changed_at, *rest = row
        return cls(FileVersion(inode, size, changed_at, 0), *rest)

    def followed_by(self, line: bytes) -> Self:
        chain = hashlib.sha256(self.chain + line).digest()
        return type(self)(self.version, self.end + len(line), self.lines + 1, chain, self.end, self.chain)

    def write(self, connection: sqlite3.Connection, dataset: int, version: FileVersion | None) -> None:
        seen = (None, None, None) if version is None else (version.inode, version.size, version.changed_at)
        values = (*seen, self.end, self.lines, self.chain, self.last_line, self.chain_before, dataset)
        assigned = ", ".join(f"{name} = ?" for name in _STATE.split(", "))
        connection.execute(f"UPDATE datasets SET {assigned} WHERE id = ?", values)

    def is_in(self, handle: BinaryIO) -> bool:
        """True if a manifest begins with these lines: by its last one if it is the same file, by all if not."""
        now = FileVersion.of(handle)
        if now.size < self.end:
            return False
        if self.version is not None and now.inode == self.version.inode:
            handle.seek(self.last_line)
            line = handle.read(self.end - self.last_line)
            return hashlib.sha256(self.chain_before + line).digest() == self.chain if self.end else True
        found = type(self)()
        handle.seek(0)
        while found.end < self.end:
            found = found.followed_by(handle.readline())
        return found.chain == self.chain


def read_position(connection: sqlite3.Connection, dataset: str) -> ManifestPosition:
    """How far a manifest is in the index."""
    state = _State.read(connection, dataset)
    return ManifestPosition(state.end, state.lines, state.chain)


def is_current(seen: SeenFiles, path: str) -> bool:
    """True if the index has all that a manifest says, as the versions of the file tell."""
    try:
        now = os.stat(path)  # noqa: PTH116 - asked before every question: three times as fast as by a path
    except FileNotFoundError:
        return seen.manifest is None
    return seen.manifest == (now.st_ino, now.st_size, now.st_mtime_ns)


def catch_up(connection: sqlite3.Connection, dataset: str, path: Path) -> None:
    """Adds what a manifest says beyond what the index has; raises ManifestLineError.

    Whatever follows the last newline was left by a kill: it is ignored, and overwritten by the next line.
    """
    try:
        handle = path.open("rb")
    except FileNotFoundError:
        with transaction(connection, "IMMEDIATE"):
            _forget(connection, dataset)
        return
    with handle:
        is_whole = False
        while not is_whole:
            with transaction(connection, "IMMEDIATE"):
                state = _State.read(connection, dataset)
                if not state.is_in(handle):
                    LOGGER.warning("%s does not begin with the lines that were read before: read again", path)
                    state = _forget(connection, dataset)
                version = FileVersion.of(handle)
                handle.seek(state.end)
                is_whole = _add_lines(connection, dataset, path, state, islice(handle, _LINES_AT_A_TIME), version)


def _forget(connection: sqlite3.Connection, dataset: str) -> _State:
    number = dataset_id(connection, dataset)
    for table in ("lines", "cursors", "erased", "retractions"):
        connection.execute(f"DELETE FROM {table} WHERE dataset = ?", (number,))
    connection.execute("UPDATE datasets SET mark_key = NULL WHERE id = ?", (number,))
    _State().write(connection, number, None)
    return _State()


def _add_lines(
    connection: sqlite3.Connection,
    dataset: str,
    path: Path,
    state: _State,
    found: Iterator[bytes],
    version: FileVersion,
) -> bool:
    """Adds lines, and the version of the file with the last of them; returns whether it was among these."""
    number, above = dataset_id(connection, dataset), _last_place(connection)
    filled = _LineWriter(connection, number)
    before = state.lines
    is_whole = True
    for raw in found:
        if not raw.endswith(b"\n"):
            break
        state = state.followed_by(raw)
        try:
            filled.add(json.loads(raw))
        except ValueError:
            raise ManifestLineError(path, state.lines) from None
        is_whole = state.lines - before < _LINES_AT_A_TIME
    filled.flush()
    clear_staged(connection, number, above)
    # until then no version of the file is that of the index
    seen = version if is_whole else FileVersion(version.inode, -1, 0, 0)
    state.write(connection, number, seen)
    return is_whole


def _last_place(connection: sqlite3.Connection) -> int:
    [found] = connection.execute("SELECT max(place) FROM lines").fetchone()
    return found or 0


class _LineWriter:
    """Writes lines of one dataset to the tables, bodies in bulk."""

    def __init__(self, connection: sqlite3.Connection, dataset: int) -> None:
        self._connection = connection
        self._dataset = dataset
        self._bodies: list[Sequence[Any]] = []
        self._cursors: list[Sequence[Any]] = []

    def add(self, line: Mapping[str, Any]) -> None:
        if "retracted" in line:
            self.flush()
            self._retract(line)
        if "erased" in line:
            values = (self._dataset, line["erased"], line.get("became"), line.get("bytes"))
            self._connection.execute("INSERT OR REPLACE INTO erased VALUES (?, ?, ?, ?)", values)
        if "sha256" in line:
            self._bodies.append(self._body(line))
        if line.get("cursor") is not None:
            self._cursors.append((self._dataset, line["batch"], line["cursor"]))
        if "mark_key" in line:
            self._connection.execute("UPDATE datasets SET mark_key = ? WHERE id = ?", (line["mark_key"], self._dataset))

    def _body(self, line: Mapping[str, Any]) -> Sequence[Any]:
        told = ("name", "sha256", "batch", "observed_at", "scope", "fetched_at", "bytes", "replaces", "cursor")
        return (self._dataset, *(line[key] for key in told), line["new"], line["new"])

    def flush(self) -> None:
        self._connection.executemany(
            "INSERT INTO lines (dataset, name, sha256, batch, observed_at, scope, fetched_at, bytes, replaces, cursor, "
            "is_new, is_unstaged) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._bodies,
        )
        self._connection.executemany("INSERT INTO cursors (dataset, batch, cursor) VALUES (?, ?, ?)", self._cursors)
        self._bodies, self._cursors = [], []

    def _retract(self, line: Mapping[str, Any]) -> None:
        """Takes bodies out of use; those that come again after the line are in use again."""
        run, dataset, batches = self._connection.execute, self._dataset, line["retracted"]
        run("INSERT INTO retractions (dataset, line) VALUES (?, ?)", (dataset, json.dumps(line)))
        retracted = "SET is_retracted = 1 WHERE dataset = ? AND is_new"
        for batch in batches:
            run(f"UPDATE lines INDEXED BY lines_by_batch {retracted} AND batch = ?", (dataset, batch))
        named = f"UPDATE lines INDEXED BY bodies_by_name {retracted} AND name = ? AND sha256 = ? AND batch <= ?"
        for name, sha256 in line["bodies"]:
            run(named, (dataset, name, sha256, max(batches)))
        marks = ", ".join("?" * len(batches))
        own = f"SELECT 1 FROM cursors WHERE dataset = ? AND batch IN ({marks}) LIMIT 1"
        if run(own, (dataset, *batches)).fetchone():
            run("DELETE FROM cursors WHERE dataset = ? AND batch >= ?", (dataset, min(batches)))
