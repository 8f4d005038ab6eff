"""A dataset's JSON file to staged batches, beside DuckDB's own `read_json` of the same file.

Ours: the plain file → stretches of whole records → staged batches, rejects and signals included, in one process. The
peer: `CREATE TABLE … AS SELECT * FROM read_json(file)` in a memory database, all columns, schema detected by DuckDB,
with as many threads as there are cores. Belongs here: both, and their alternation. Does not belong here: what is in the
file (`bench_no_json`, `bench_dk_json`).
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import duckdb

from connectors.contract.dataset import ArchiveMember, Dataset, Scope

INSTANT = datetime(2026, 11, 21, 6, tzinfo=UTC)


class Taken(NamedTuple):
    """Seconds that passed, and of the processor, those of threads included."""

    passed: float
    processor: float


def timed(work: Callable[[], int]) -> Taken:
    """What a piece of work takes."""
    began, spent = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - began, time.process_time() - spent)


def archive_member(dataset: Dataset, path: Path) -> ArchiveMember:
    """A file as the archive hands it over, complete."""
    return ArchiveMember(dataset.key, path.name, "0" * 64, INSTANT, Scope.FULL, "bench", partial(path.open, "rb"))


def read_staged(dataset: Dataset, path: Path) -> int:
    """Ours: the number of staged rows."""
    member = archive_member(dataset, path)
    return sum(batch.rows.height for part in dataset.split_members(member) for batch in dataset.read_batches(part))


def read_json(path: Path) -> int:
    """The peer's: the number of rows."""
    with duckdb.connect() as database:
        database.execute("CREATE TABLE records AS SELECT * FROM read_json(?)", [str(path)])
        found = database.execute("SELECT count(*) FROM records").fetchone()
    return found[0] if found else 0


def alternate(ours: Callable[[], int], path: Path, rounds: int, asked: float, name: str) -> dict[str, object]:
    """The result of our reading and the peer's of a file by turns: medians of what passes, and of the processor's."""
    pairs: list[tuple[Taken, Taken]] = []
    for _ in range(rounds):
        peer = timed(partial(read_json, path))
        pairs.append((timed(ours), peer))
    return {
        "name": name,
        "against": "duckdb read_json",
        "ours_s": round(median(one.passed for one, _ in pairs), 3),
        "peer_s": round(median(other.passed for _, other in pairs), 3),
        "ratio": round(median(one.passed / other.passed for one, other in pairs), 2),
        "processor_s": round(median(one.processor for one, _ in pairs), 3),
        "peer_processor_s": round(median(other.processor for _, other in pairs), 3),
        "asked": f"<= {asked:g}",
        "unit": "s",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
