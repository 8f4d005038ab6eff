"""BasicCompanyData, from its text to normalised companies, beside a bare polars read of the same bytes.

Ours: read and judged, then SHARED rows, in parts as pipelines take companies. The peer: `pl.read_csv` into text
columns, over all cores. Compared is the time that passes, alternated in one process.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median

import polars as pl

from benchmarks.uk_bulk_files import write_companies
from connectors.contract.dataset import ArchiveMember, Scope
from connectors.uk import UNITED_KINGDOM
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset

INSTANT = datetime(2026, 11, 1, tzinfo=UTC)
TODAY = date(2026, 11, 21)
ASKED = 3.0
PART = 150_000  # rows normalised at once, as pipelines do in each of their lanes
TABLE = basic_company_data_dataset.COMPANIES.name
NAME = "BasicCompanyDataAsOneFile-2026-11-01.csv"


def run(rows: int = 550_000, rounds: int = 5) -> list[dict[str, object]]:
    """One result: median seconds of both, alternated."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        write_companies(path, rows)
        ours, peer = [], []
        for _ in range(rounds):
            peer.append(_timed(lambda: _bare(path)))
            ours.append(_timed(lambda: _ours(path)))
    ratio = median(one / other for one, other in zip(ours, peer, strict=True))
    return [
        {
            "name": f"BasicCompanyData, {rows:,} rows, normalised, against pl.read_csv",
            "ours_s": round(median(ours), 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(ratio, 2),
            "asked": f"<= {ASKED:g}",
            "met": ratio <= ASKED,
            "unit": "s",
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
    ]


def _timed(work: Callable[[], int]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _bare(path: Path) -> int:
    return pl.read_csv(path, infer_schema=False).height


def _ours(path: Path) -> int:
    """All companies of the file, a part of them at a time."""
    made, held, rows = 0, list[pl.DataFrame](), 0
    for frame in _batches(path):
        held.append(frame)
        rows += frame.height
        if rows >= PART:
            made += _normalised(held)
            held, rows = [], 0
    return made + (_normalised(held) if held else 0)


def _batches(path: Path) -> Iterator[pl.DataFrame]:
    piece = ArchiveMember(
        basic_company_data_dataset.KEY, NAME, "0" * 64, INSTANT, Scope.FULL, "1", lambda: path.open("rb")
    )
    for part in basic_company_data_dataset.split_members(piece):
        yield from (batch.rows for batch in basic_company_data_dataset.read_batches(part) if batch.table == TABLE)


def _normalised(frames: list[pl.DataFrame]) -> int:
    present = {TABLE: _present(pl.concat(frames))}
    return UNITED_KINGDOM.to_shared_tables(present, TODAY)["companies"].height


def _present(rows: pl.DataFrame) -> pl.LazyFrame:
    """Staged rows as history gives them."""
    instant = pl.Datetime("us", "UTC")
    return rows.lazy().with_columns(
        _company_id=pl.lit(None, pl.String),
        _observed_at=pl.lit(INSTANT, instant),
        _raw=pl.lit("0" * 64),
        _retired_at=pl.lit(None, instant),
    )
