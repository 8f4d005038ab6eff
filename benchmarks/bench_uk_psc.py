"""A PSC snapshot to staged rows, beside DuckDB's `read_json` of the same lines into a table.

Ours reads every record strictly, counts unknown codes and impossible dates and holds the count against the
trailer. Both read the lines as they are sent, with births and addresses: DuckDB makes columns of them, ours knows
and leaves them. Compared is processor time, alternated in one process. What it costs to take them out once, at the
door, is shown beside it.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import duckdb

from benchmarks.uk_bulk_files import write_psc
from connectors.declare import Piece, Scope
from connectors.uk import psc, psc_records, psc_redact

INSTANT = datetime(2026, 11, 20, tzinfo=UTC)
ASKED = 2.5
MOST_MB = 4096
NAME = "persons-with-significant-control-snapshot-2026-11-20.txt"


def run(lines: int = 1_600_000, rounds: int = 3) -> list[dict[str, object]]:
    """One result: median processor seconds of both, alternated, and the memory that ours needs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        write_psc(path, lines)
        ours, peer = [_timed(lambda: _ours(path))], []
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024  # before DuckDB was here
        for _ in range(rounds):
            peer.append(_timed(lambda: _duckdb(path)))
            ours.append(_timed(lambda: _ours(path)))
        door = _timed(lambda: _redacted(path))
    ratio = median(one / other for one, other in zip(ours[1:], peer, strict=True))
    return [
        {
            "name": f"PSC snapshot, {lines:,} lines, births and addresses taken out at the door, processor time",
            "ours_s": round(door, 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(door / median(peer), 2),
            "asked": "shown",
            "unit": "s",
        },
        {
            "name": f"PSC snapshot, {lines:,} lines, staged, against DuckDB read_json, processor time",
            "ours_s": round(median(ours[1:]), 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(ratio, 2),
            "asked": f"<= {ASKED:g}, under {MOST_MB} MB",
            "met": ratio <= ASKED and peak < MOST_MB,
            "unit": "s",
            "peak_mb": peak,
        },
    ]


def _timed(work: Callable[[], int]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _duckdb(path: Path) -> int:
    with duckdb.connect() as connection:
        connection.execute(
            "create table psc as select * from read_json(?, format = 'newline_delimited', ignore_errors = true)",
            [str(path)],
        )
        return connection.execute("select count(*) from psc").fetchall()[0][0]


def _redacted(path: Path) -> int:
    with path.open("rb") as sent, psc_redact.redact(sent) as kept:
        return sum(map(len, iter(lambda: kept.read(4 << 20), b"")))


def _ours(path: Path) -> int:
    piece = Piece(psc.DATASET.key, NAME, "0" * 64, INSTANT, Scope.FULL, "1", lambda: path.open("rb"))
    return sum(batch.rows.height for batch in psc_records.read(piece))
