"""A year of nights: five registers taken in one after the other, each by a process of its own, and what grows.

The files of a night are written while the one before is taken in, and removed after it. One result for a
stretch of nights: the middle and the longest night, the most memory, and what a night adds to each store.
Releases are those that an operator keeps. A year takes hours: one that is ended goes on behind its last whole
night (BENCH_FOLDER), over the data folder that it left. Does not belong here: what the registers say
(`universe_files`), or ten million companies (`bench_universe`).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import universe_files
from benchmarks.api_world import written
from benchmarks.bench_universe import Steps, kept, size, stage_accounts
from connectors.sandbox.world import FIRST_DAY
from warehouse.paths import Layout

STRETCH: Final = 30  # nights of one result
_STORES: Final = ("archive", "staged", "history", "ledger", "releases")


@dataclass(frozen=True, slots=True)
class _Night:
    seconds: float
    worked: float  # seconds of processor time
    megabytes: int
    stores: Mapping[str, int]  # bytes after it


def run(companies: int = 10_000, days: int = 20, stretch: int = STRETCH) -> list[dict[str, object]]:
    """One result a stretch of nights after the first load: seconds of the middle one, memory, bytes a night."""
    place = kept(f"year-{companies}-{days}")
    found = list(_nights(place, companies, days))
    shutil.rmtree(place)
    return [
        _stretch(companies, first, found[first - 1], found[first : first + stretch])
        for first in range(1, days, stretch)
    ]


def _nights(place: Path, companies: int, days: int) -> Iterator[_Night]:
    """All nights, those of an earlier run first; each is noted once it is whole."""
    data, notes = place / "data", place / "nights.jsonl"
    found = _noted(notes)
    yield from found
    if not found:
        shutil.rmtree(place, ignore_errors=True)
        stage_accounts(data, companies)
    steps = Steps(data, companies)
    markets = [market.lower() for market in universe_files.SHARES]
    for day, folder in enumerate(_folders(place / "files", len(found), companies, days), len(found)):
        at = f"{FIRST_DAY + timedelta(days=day)}T05:00:00"
        ingest = ["-m", "firm", "ingest", *markets, "--from", str(folder), "--at", at]
        step = steps.run(f"night {day}", ingest, minutes=10, gigabytes=8)
        stores = {name: size(getattr(Layout(data), name)) for name in _STORES}
        seconds, worked = float(str(step["ours_s"])), float(str(step["worked_s"]))
        night = _Night(seconds, worked, int(str(step["peak_mb"])), stores)
        with notes.open("a") as file:
            file.write(json.dumps(asdict(night)) + "\n")
        if day % STRETCH == 0:
            print(f"night {day}: {night}", file=sys.stderr, flush=True)
        yield night


def _noted(notes: Path) -> list[_Night]:
    """The nights that an earlier run took in."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    return [_Night(**json.loads(line)) for line in lines]


def _folders(files: Path, first: int, companies: int, days: int) -> Iterator[Path]:
    """The files of each night from one on: the next are being written while the caller has these, which go then."""
    shutil.rmtree(files, ignore_errors=True)
    with ThreadPoolExecutor(1) as writer:
        begun = [writer.submit(universe_files.write_day, files, first, companies, days)]
        for day in range(first, days):
            folder = begun.pop().result()
            if day + 1 < days:
                begun.append(writer.submit(universe_files.write_day, files, day + 1, companies, days))
            yield folder
            shutil.rmtree(folder)


def _stretch(companies: int, first: int, before: _Night, nights: list[_Night]) -> dict[str, object]:
    last = nights[-1].stores
    return {
        "name": f"{written(companies)} companies, nights {first} to {first + len(nights) - 1}",
        "ours_s": round(median(night.seconds for night in nights), 1),
        "longest_s": max(night.seconds for night in nights),
        "worked_s": round(median(night.worked for night in nights), 1),
        "peak_mb": max(night.megabytes for night in nights),
        "bytes_a_night": {name: (last[name] - before.stores[name]) // len(nights) for name in _STORES},
        "stores_bytes": dict(last),
        "asked": "a night costs reading, a copy and its change, however many there were",
    }
