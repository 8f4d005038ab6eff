"""A PSC snapshot to staged rows, beside DuckDB's `read_json` of the same lines into a table.

Ours reads every record strictly and counts unknown codes and impossible dates, the parts of the snapshot in worker
processes as pipelines read them, as many as cores; DuckDB uses as many threads. Both read the lines as they are
sent, with births and addresses: DuckDB makes columns of them, ours knows and leaves them. Compared is the time that
passes, alternated, with the workers started before; processor time is shown beside it, and what it costs to take
births and addresses out once, at the door.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import duckdb

from benchmarks.uk_bulk_files import write_psc
from connectors.contract.dataset import ArchiveMember, Scope
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import parse_bodies, redact
from pipelines.runtime.parser_pool import ParserPool

INSTANT = datetime(2026, 11, 20, tzinfo=UTC)
ASKED = 2.5
MOST_MB = 4096
DAY, PARTS = "2026-11-20", 32  # as many as Companies House publishes
CORES = os.cpu_count() or 1


class _Taken(NamedTuple):
    """Seconds that passed, and of the processors, those of workers included."""

    passed: float
    processor: float


def run(lines: int = 1_600_000, rounds: int = 3) -> list[dict[str, object]]:
    """Medians of both, alternated, and the memory of ours: of this process and its largest workers."""
    with tempfile.TemporaryDirectory() as folder, closing(ParserPool(CORES, 2)) as readers:
        parts = _parts(Path(folder), lines)
        ours, peer = [_timed(lambda: _ours(readers, parts))], []
        peak = _peak()  # before DuckDB was here
        for _ in range(rounds):
            peer.append(_timed(lambda: _duckdb(Path(folder))))
            ours.append(_timed(lambda: _ours(readers, parts)))
        door = _timed(lambda: sum(map(_redacted, parts)))
    pairs = list(zip(ours[1:], peer, strict=True))
    ratio = median(one.passed / other.passed for one, other in pairs)
    what = f"PSC snapshot, {lines:,} lines in {PARTS} parts"
    return [
        {
            "name": f"{what}, staged, against DuckDB read_json",
            "ours_s": round(median(one.passed for one, _ in pairs), 3),
            "peer_s": round(median(other.passed for _, other in pairs), 3),
            "ratio": round(ratio, 2),
            "asked": f"<= {ASKED:g}, under {MOST_MB} MB",
            "met": ratio <= ASKED and peak < MOST_MB,
            "unit": "s",
            "peak_mb": peak,
        },
        {
            "name": f"{what}, the same, births and addresses taken out at the door, processor time",
            "ours_s": round(door.processor, 3),
            "peer_s": round(median(other.processor for _, other in pairs), 3),
            "ratio": round(door.processor / median(other.processor for _, other in pairs), 2),
            "asked": "shown",
            "unit": "s",
        },
    ]


def _parts(folder: Path, lines: int) -> list[Path]:
    """The lines, cut into parts as published: the statements and the trailer stand in the last."""
    whole = folder / "whole"
    write_psc(whole, lines)
    each = whole.stat().st_size // PARTS + 1
    paths = [folder / f"psc-snapshot-{DAY}_{part}of{PARTS}.txt" for part in range(1, PARTS + 1)]
    with whole.open("rb") as file:
        for path in paths:
            path.write_bytes(file.read(each) + file.readline())
    whole.unlink()
    return paths


def _timed(work: Callable[[], int]) -> _Taken:
    began, spent = time.perf_counter(), time.process_time()
    work()
    return _Taken(time.perf_counter() - began, time.process_time() - spent)


def _peak() -> int:
    """MB: of this process, and as much as the largest worker needed for each of them."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (own + CORES * max(map(_held, Path("/proc").iterdir()), default=0)) // 1024


def _held(process: Path) -> int:
    """KB that a worker of this process has held at most; 0 for all others."""
    try:
        told = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    except (OSError, ValueError):
        return 0
    return int(told["VmHWM"].split()[0]) if told.get("PPid", "").strip() == str(os.getpid()) else 0


def _duckdb(folder: Path) -> int:
    with duckdb.connect() as connection:
        connection.execute(
            "create table psc as select * from read_json(?, format = 'newline_delimited', ignore_errors = true)",
            [str(folder / "psc-snapshot-*.txt")],
        )
        return connection.execute("select count(*) from psc").fetchall()[0][0]


def _redacted(path: Path) -> int:
    with path.open("rb") as sent, redact.redact(sent) as kept:
        return sum(map(len, iter(lambda: kept.read(4 << 20), b"")))


def _ours(readers: ParserPool, parts: list[Path]) -> int:
    pieces = [_piece(path) for path in parts]
    size = sum(path.stat().st_size for path in parts)
    rows = 0
    for outcome in readers.parse_members(parse_bodies.read_batches, pieces, size):
        if outcome.reason is not None:
            raise ValueError(outcome.reason)
        rows += sum(batch.rows.height for batch in outcome.batches)
    return rows


def _piece(path: Path) -> ArchiveMember:
    return ArchiveMember(
        psc_dataset.DATASET.key, path.name, "0" * 64, INSTANT, Scope.FULL, "1", partial(path.open, "rb")
    )
