"""Staged batches in a market's index: the folders of a dataset are listed when one may have come, each index read once.

Whoever changes the index of a batch that is staged has the index forget it before (`forget_batch`). Does not belong
here: writing batches (`staged.store`).
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from warehouse.market_index.tables import SeenFiles, compare_all, dataset_id
from warehouse.storage import atomic_files
from warehouse.storage.derived_database import transaction

INDEX: Final = "index.json"  # of a batch
RETRACTED: Final = "retracted.json"  # next to a dataset's batches
FULL: Final = "full"  # the scope of a complete snapshot, which supersedes all before it
_BATCHES_AT_A_TIME: Final = 500
# A folder changed less than this before it was listed may change again without a newer time: file systems tell times
# to 10 ms or finer.
SETTLED_NANOSECONDS: Final = 100_000_000


def is_current(seen: SeenFiles, folder: str) -> bool:
    """True if no batch can have come, gone or been retracted since the folder of a dataset was listed."""
    return seen.folder_changed_at == _changed_at(folder)


def _changed_at(folder: str | Path) -> int | None:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - asked before every question
    except FileNotFoundError:
        return None


def catch_up(connection: sqlite3.Connection, dataset: str, folder: Path) -> None:
    """Adds the batches that the index lacks, and forgets those that are gone."""
    changed_at = _changed_at(folder)
    is_settled = changed_at is None or time.time_ns() - changed_at > SETTLED_NANOSECONDS
    found = _batch_names(folder)
    query = "SELECT batch FROM batches JOIN datasets ON dataset = id WHERE key = ?"
    known = {name for (name,) in connection.execute(query, (dataset,))}
    added = sorted(found - known)
    retracted = _retracted_text(folder)
    seen = changed_at if is_settled else -1
    told = connection.execute("SELECT retracted, folder_changed_at FROM datasets WHERE key = ?", (dataset,)).fetchone()
    if known == found and told == (retracted, seen):
        return  # nothing to write
    unused = _retracted_batches(retracted)
    for start in range(0, len(added), _BATCHES_AT_A_TIME):
        with transaction(connection, "IMMEDIATE"):
            for batch in added[start : start + _BATCHES_AT_A_TIME]:
                number = dataset_id(connection, dataset)
                _add_batch(connection, number, folder / batch, is_retracted=batch in unused)
    with transaction(connection, "IMMEDIATE"):
        number = dataset_id(connection, dataset)
        for batch in known - found:
            _remove_batch(connection, number, batch)
        if _set_retracted(connection, number, retracted) or known - found:
            compare_all(connection, number)
        connection.execute("UPDATE datasets SET folder_changed_at = ? WHERE id = ?", (seen, number))


def _batch_names(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            return {one.name for one in entries if not one.name.endswith(atomic_files.TEMPORARY) and one.is_dir()}
    except FileNotFoundError:
        return set()


def _add_batch(connection: sqlite3.Connection, dataset: int, folder: Path, *, is_retracted: bool) -> None:
    """Adds what later runs ask about a batch; one without an index does not exist."""
    try:
        index: Mapping[str, Any] = json.loads((folder / INDEX).read_bytes())
    except FileNotFoundError:
        return
    batch, editions = folder.name, index["editions"]
    instants = {utc_text(one["observed_at"]) for one in editions}
    full = max((utc_text(one["observed_at"]) for one in editions if one["scope"] == FULL), default=None)
    values = (dataset, batch, max(instants, default=None), full, index["cursor"], index["held"] is not None)
    connection.execute("INSERT OR REPLACE INTO batches VALUES (?, ?, ?, ?, ?, ?, ?)", (*values, is_retracted))
    for table, keys in (
        ("pieces", {(piece["sha256"], piece["name"]) for piece in index["pieces"]}),
        ("snapshots", {(instant,) for instant in instants}),
        ("figures", {(name,) for name in index["figures"]}),
    ):
        marks = ", ".join("?" * (len(_KEYS[table]) + 2))
        rows = [(dataset, *key, batch) for key in sorted(keys)]
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)
    if not is_retracted:
        named = "dataset = ? AND name = ? AND sha256 = ? AND batch <= ?"
        connection.executemany(
            f"UPDATE lines INDEXED BY unstaged_bodies SET is_unstaged = 0 WHERE is_unstaged AND {named}",
            [(dataset, piece["name"], piece["sha256"], batch) for piece in index["pieces"]],
        )


_KEYS: Final = {"pieces": ("sha256", "name"), "snapshots": ("observed_at",), "figures": ("name",)}


def utc_text(instant: str | datetime) -> str:
    """An instant in the form of the tables: UTC with fixed width, so that text order is time order."""
    moment = datetime.fromisoformat(instant) if isinstance(instant, str) else instant
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _remove_batch(connection: sqlite3.Connection, dataset: int, batch: str) -> None:
    for table in ("batches", *_KEYS):
        connection.execute(f"DELETE FROM {table} WHERE dataset = ? AND batch = ?", (dataset, batch))


def forget_batch(connection: sqlite3.Connection, dataset: str, batch: str) -> None:
    """Forgets a batch whose own index is about to change otherwise than in its pieces: the next question reads it."""
    with transaction(connection, "IMMEDIATE"):
        number = dataset_id(connection, dataset)
        connection.execute("DELETE FROM batches WHERE dataset = ? AND batch = ?", (number, batch))
        connection.execute("UPDATE datasets SET folder_changed_at = -1 WHERE id = ?", (number,))


def _retracted_text(folder: Path) -> str:
    try:
        return (folder / RETRACTED).read_text()
    except FileNotFoundError:
        return ""


def _retracted_batches(text: str) -> set[str]:
    return {batch for one in json.loads(text or "[]") for batch in one["retracted"]}


def _set_retracted(connection: sqlite3.Connection, dataset: int, text: str) -> bool:
    """Takes retracted batches out of use; returns whether others were retracted before."""
    [former] = connection.execute("SELECT retracted FROM datasets WHERE id = ?", (dataset,)).fetchone()
    if former == text:
        return False
    connection.execute("UPDATE batches SET is_retracted = 0 WHERE dataset = ? AND is_retracted", (dataset,))
    out = "UPDATE batches SET is_retracted = 1 WHERE dataset = ? AND batch = ?"
    connection.executemany(out, [(dataset, batch) for batch in _retracted_batches(text)])
    connection.execute("UPDATE datasets SET retracted = ? WHERE id = ?", (text, dataset))
    return True
