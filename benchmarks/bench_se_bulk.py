"""Swedish bulk files, from their text to joined and normalised companies, beside a bare polars read of both.

Ours: the text behind the door → read and judged → the two registers joined → SHARED rows, in parts as pipelines
take companies. The peer: `pl.read_csv` of the same bytes into text columns, with the quotes taken off and the
Latin-1 decoded. Both files are written here as the registries document them, odd corners included; a bare read
merges rows at some of them, which nobody counts against it.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median

import polars as pl

from benchmarks.se_bulk_files import write_organisations, write_units
from connectors.contract.dataset import ArchiveMember, Dataset, Scope
from connectors.se import SWEDEN
from warehouse.storage.parallel import parallel_map

BATCH = "20261121T060000000Z"
INSTANT = datetime(2026, 11, 21, 6, tzinfo=UTC)
TODAY = date(2026, 11, 21)
ASKED = 3.0
PART = 150_000  # rows normalised at once in each lane, as pipelines do
ORGANISATIONS, UNITS, NUMBER = "se_bolagsverket", "se_scb", "organisationsnummer"
BULK, STATISTICS = SWEDEN.dataset("se.bolagsverket"), SWEDEN.dataset("se.scb")


def run(rows: int = 290_000, units: int = 180_000, rounds: int = 5) -> list[dict[str, object]]:
    """One result: median seconds of both, alternated."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        organisations, statistics = root / "bolagsverket_bulkfil.txt", root / "scb_bulkfil.txt"
        write_organisations(organisations, rows)
        write_units(statistics, units)
        parts = max(rows, units) // PART + 1
        ours, peer = [], []
        for _ in range(rounds):
            peer.append(_timed(lambda: _bare(organisations, statistics)))
            ours.append(_timed(lambda: _ours(organisations, statistics, parts)))
    ratio = median(one / other for one, other in zip(ours, peer, strict=True))
    return [
        {
            "name": f"Swedish bulk files, {rows:,} and {units:,} rows, joined, against pl.read_csv of both",
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


def _bare(organisations: Path, statistics: Path) -> int:
    rows = pl.read_csv(organisations, separator=";", infer_schema=False, truncate_ragged_lines=True).height
    return (
        rows
        + pl.read_csv(statistics, separator="\t", quote_char=None, infer_schema=False, encoding="iso-8859-1").height
    )


def _ours(organisations: Path, statistics: Path, parts: int) -> int:
    """All companies of both files, which are read at one time, a part of the numbers at a time."""
    with ThreadPoolExecutor(2) as readers:
        registered = readers.submit(_rows, BULK, organisations, parts)
        counted = readers.submit(_rows, STATISTICS, statistics, parts)
    found = {ORGANISATIONS: registered.result(), UNITS: counted.result()}
    return sum(
        parallel_map(_parts(found, parts), lambda part: SWEDEN.to_shared_tables(part, TODAY)["companies"].height)
    )


def _parts(found: dict[str, list[pl.DataFrame]], parts: int) -> Generator[dict[str, pl.LazyFrame], None, None]:
    """Present rows of a part of the companies at a time."""
    for part in range(parts):
        yield {name: _present(rows[part]) for name, rows in found.items()}


def _rows(dataset: Dataset, path: Path, parts: int) -> list[pl.DataFrame]:
    """The rows of each part of the numbers, put there while their batch is at hand."""
    piece = ArchiveMember(dataset.key, path.name, "0" * 64, INSTANT, Scope.FULL, BATCH, lambda: path.open("rb"))
    found: list[list[pl.DataFrame]] = [[] for _ in range(parts)]
    for batch in (batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)):
        numbered = batch.rows.with_columns(_part=pl.col(NUMBER).cast(pl.UInt64) % parts)
        for (part,), rows in numbered.partition_by("_part", as_dict=True, include_key=False).items():
            found[part].append(rows)
    return [pl.concat(rows) for rows in found]


def _present(rows: pl.DataFrame) -> pl.LazyFrame:
    """Staged rows as history gives them."""
    instant = pl.Datetime("us", "UTC")
    return rows.lazy().with_columns(
        _company_id=pl.lit(None, pl.String),
        _observed_at=pl.lit(INSTANT, instant),
        _raw=pl.lit("0" * 64),
        _retired_at=pl.lit(None, instant),
    )
