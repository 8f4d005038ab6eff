"""A year of nights: five registers taken in one after the other, each by a process of its own, and what grows.

The files of a night are written, taken in and removed. One result for a stretch of nights: the middle and the
longest night, the most memory, and what a night adds to each store. Releases are those that an operator keeps.
Does not belong here: what the registers say (`universe_files`), or ten million companies (`bench_universe`).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import universe_files
from benchmarks.api_world import written
from benchmarks.bench_universe import Steps, size, stage_accounts
from connectors.sandbox.world import FIRST_DAY
from warehouse.paths import Layout

STRETCH: Final = 30  # nights of one result
_STORES: Final = ("archive", "staged", "history", "ledger", "releases")


@dataclass(frozen=True, slots=True)
class _Night:
    seconds: float
    megabytes: int
    stores: Mapping[str, int]  # bytes after it


def run(companies: int = 10_000, days: int = 20, stretch: int = STRETCH) -> list[dict[str, object]]:
    """One result a stretch of nights after the first load: seconds of the middle one, memory, bytes a night."""
    with tempfile.TemporaryDirectory() as place:
        found = list(_nights(Path(place), companies, days))
    return [
        _told(companies, first, found[first - 1], found[first : first + stretch])
        for first in range(1, days, stretch)
    ]


def _nights(place: Path, companies: int, days: int) -> Iterator[_Night]:
    data, files = place / "data", place / "files"
    stage_accounts(data, companies)
    steps = Steps(data, companies)
    markets = [market.lower() for market in universe_files.SHARES]
    for day in range(days):
        folder = universe_files.write_day(files, day, companies, days)
        at = f"{FIRST_DAY + timedelta(days=day)}T05:00:00"
        ingest = ["-m", "firm", "ingest", *markets, "--from", str(folder), "--at", at]
        told = steps.run(f"night {day}", ingest, minutes=10, gigabytes=8)
        shutil.rmtree(folder)
        stores = {name: size(getattr(Layout(data), name)) for name in _STORES}
        night = _Night(float(str(told["ours_s"])), int(str(told["peak_mb"])), stores)
        if day % STRETCH == 0:
            print(f"night {day}: {night}", file=sys.stderr, flush=True)
        yield night


def _told(companies: int, first: int, before: _Night, nights: list[_Night]) -> dict[str, object]:
    last = nights[-1].stores
    return {
        "name": f"{written(companies)} companies, nights {first} to {first + len(nights) - 1}",
        "ours_s": round(median(night.seconds for night in nights), 1),
        "longest_s": max(night.seconds for night in nights),
        "peak_mb": max(night.megabytes for night in nights),
        "bytes_a_night": {name: (last[name] - before.stores[name]) // len(nights) for name in _STORES},
        "stores_bytes": dict(last),
        "asked": "a night costs reading, a copy and its change, however many there were",
    }
