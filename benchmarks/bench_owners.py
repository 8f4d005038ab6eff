"""Reconciling holdings to one line per holder, against the barest thing that reads the same rows.

Both sides read the same Parquet files, as the lake writes them. Ours:
`pipelines.transforms.ownership.owners.build_owners` of a first load (ids, names, precedence, sources as text,
sorted by key), file by file, as images are. The peer: a polars group-by of the rows by company and record, which
takes of each column that a line has one value and the sum of the shares. Most companies have one register; of one
in seventy a second one tells, half of it of the same holders under other spellings.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

from pipelines.transforms.ownership.owners import SourcePrecedence, build_owners
from warehouse import schema_render
from warehouse.schema.tables import HOLDINGS, OWNERS
from warehouse.storage import parquet

ASKED = 4.0
SEEN = datetime(2026, 11, 1, tzinfo=UTC)
BANDED, LISTED = "uk.psc", "uk.nsm"
SOURCES = SourcePrecedence((LISTED, BANDED), (LISTED,))
PER_COMPANY = 2  # records of the large register
SECOND_EVERY = 70  # companies of which another register tells: issuers, and those in a group or a yearly list
FILE = 500_000  # rows
_STEMS = (
    "Fjord",
    "Ash",
    "Brook",
    "Sønder",
    "Åker",
    "Granit",
    "Havn",
    "Lilje",
    "Myr",
    "Nordal",
    "Oak",
    "Pil",
    "Ros",
    "Salt",
)
_PERCENT = pl.Decimal(9, 4)
_FIRST = [f"{one}{two}" for one in _STEMS for two in ("berg", "sund", "dahl", "field", "ström", "vik", "mäki", "ford")]
_SECOND = [
    f"{one}{two}" for one in _STEMS for two in ("bygg", "shipping", "invest", "drift", "kraft", "service", "mat")
]


def holdings(rows: int, first: int = 0) -> pl.DataFrame:
    """Invented records of one register, and of another one for some of its companies."""
    number = pl.int_range(first, first + rows, eager=True).to_frame("number")
    company = pl.col("number") // PER_COMPANY
    large = number.with_columns(_company=company, _register=pl.lit(BANDED), _name=_name("Ltd"))
    told = pl.col("_company") % SECOND_EVERY == 0
    half = large.filter(told & (pl.col("number") % PER_COMPANY == 0))
    other = pl.col("_company") % (2 * SECOND_EVERY) == 0
    name = pl.when(other).then(_name("plc")).otherwise(_name("LIMITED"))
    return _records(pl.concat([large, half.with_columns(_register=pl.lit(LISTED), _name=name)]))


def _name(form: str) -> pl.Expr:
    """Two words and a legal form; holders of one company seldom share a word."""
    first, second = (pl.lit(pl.Series(told)) for told in (_FIRST, _SECOND))
    begins = first.gather(pl.col("number") * 7919 % len(_FIRST))
    ends = second.gather(pl.col("number") * 104_729 // 7 % len(_SECOND))
    return pl.concat_str(begins, pl.lit(" "), ends, pl.lit(f" {form}"))


def _records(rows: pl.DataFrame) -> pl.DataFrame:
    banded = pl.col("_register") == BANDED
    figure = (pl.col("number") % 7000 + 2600).cast(_PERCENT) / pl.lit(Decimal(100)).cast(_PERCENT)
    low = pl.when(banded).then(pl.lit(25).cast(_PERCENT)).otherwise(figure.cast(_PERCENT))
    given: dict[str, Any] = {
        "company_id": pl.format("firm:UK:{}", pl.col("_company") + 10_000_000),
        "register": pl.col("_register"),
        "native_id": pl.format("record-{}", pl.col("number") * 2_654_435_761 % 4_294_967_296),
        "holder_name": pl.col("_name"),
        "holder_type": pl.lit("company"),
        "holder_country": pl.lit("GB"),
        "pct": pl.when(~banded).then(low),
        "pct_min": low,
        "pct_max": pl.when(banded).then(pl.lit(50).cast(_PERCENT)).otherwise(low),
        "basis": pl.when(banded).then(pl.lit("band")).otherwise(pl.lit("exact")),
        "controls": pl.lit([], pl.List(pl.String)),
        "valid_from": pl.date(2016, 4, 6) + pl.duration(days=pl.col("number") % 3000),
        "url": pl.format("https://example.test/company/{}", pl.col("_company")),
        "observed_at": pl.lit(SEEN),
    }
    absent = [pl.lit(None).alias(name) for name in HOLDINGS.names if name not in given]
    made = rows.select(*(value.alias(name) for name, value in given.items()), *absent)
    return schema_render.conform_frame(HOLDINGS, made)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def write(folder: Path, rows: int) -> int:
    """Files of the lake's layout; how many records they hold."""
    count = 0
    for place, start in enumerate(range(0, rows, FILE)):
        made = holdings(min(FILE, rows - start), start)
        parquet.write_parquet(made, folder / f"{place:04d}.parquet")
        count += made.height
    return count


def reconciled(folder: Path) -> int:
    nobody = schema_render.empty_frame(OWNERS)
    return sum(build_owners(pl.read_parquet(path), nobody, SEEN, SOURCES).height for path in files(folder))


def grouped(folder: Path) -> int:
    """A line per record: of every column one value, the share summed."""
    kept = [name for name in HOLDINGS.names if name not in ("company_id", "native_id", "pct", "controls")]
    rows = pl.scan_parquet(files(folder)).group_by("company_id", "native_id")
    return rows.agg(pl.col("pct").sum(), *(pl.col(name).first() for name in kept)).collect().height


def run(rows: int = 1_500_000, rounds: int = 3) -> list[dict[str, object]]:
    """One result: medians over alternated rounds, each side in processes of its own for its memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write(folder, rows)
        sides: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
        for place in range(rounds):
            order: Sequence[int] = (0, 1) if place % 2 else (1, 0)
            for side in order:
                sides[side].append(_alone(("reconciled", "grouped")[side], folder))
    ours, peer = sides
    ratio = median(mine["s"] / bare["s"] for mine, bare in zip(ours, peer, strict=True))
    return [
        {
            "name": f"reconciliation of {count:,} holdings, against a bare polars group-by of the same rows",
            "ours_s": round(median(one["s"] for one in ours), 3),
            "peer_s": round(median(one["s"] for one in peer), 3),
            "ratio": round(ratio, 2),
            "asked": f"<= {ASKED:g}",
            "met": ratio <= ASKED,
            "unit": "s",
            "lines": int(ours[0]["count"]),
            "memory_mb": int(max(one["mb"] for one in ours)),
            "peer_memory_mb": int(max(one["mb"] for one in peer)),
        }
    ]


def _alone(work: str, folder: Path) -> dict[str, float]:
    """One side in a process of its own: seconds without the start, lines, peak memory."""
    code = f"from benchmarks.bench_owners import measured; measured({work!r}, {str(folder)!r})"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def measured(work: str, folder: str) -> None:
    sides: dict[str, Callable[[Path], int]] = {"reconciled": reconciled, "grouped": grouped}
    began = time.perf_counter()
    count = sides[work](Path(folder))
    taken = time.perf_counter() - began
    print(json.dumps({"s": taken, "count": count, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
