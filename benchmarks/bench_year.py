"""A year of nights: five registers taken in one after the other, each by a process of its own, and what grows.

The files of a night are written while the one before is taken in, and removed after it. One result for a
stretch of nights: the middle and the longest night, the most memory, and what a night adds to each store.
Releases are those that an operator keeps. A year takes hours: one that is ended goes on behind its last whole
night (`kept`), over the data folder that it left. Does not belong here: what the registers say
(`universe_files`), or ten million companies (`bench_universe`).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import kept, universe_files
from benchmarks.api_world import written
from benchmarks.bench_universe import Steps, size, stage_accounts
from sandbox.world import FIRST_DAY
from warehouse.storage.atomic_files import write_json
from warehouse.storage.layout import Layout
from warehouse.storage.parallel import prefetch

STRETCH: Final = 30  # nights of one result


@dataclass(frozen=True, slots=True)
class _Night:
    seconds: float
    worked: float  # seconds of processor time
    megabytes: int
    stores: Mapping[str, int]  # bytes after it


def run(companies: int = 10_000, days: int = 20, stretch: int = STRETCH) -> list[dict[str, object]]:
    """One result a stretch of nights after the first load: seconds of the middle one, memory, bytes a night."""
    place = kept.folder() / f"year-{companies}-{days}"
    found = _nights(place, companies, days)
    shutil.rmtree(place)
    return [
        _stretch(companies, first, found[first - 1], found[first : first + stretch])
        for first in range(1, days, stretch)
    ]


def _nights(place: Path, companies: int, days: int) -> list[_Night]:
    """All nights, those of an earlier run first; each is noted once it is whole."""
    data, files, notes = place / "data", place / "files", place / "nights.json"
    found = _noted(notes)
    if not found:
        shutil.rmtree(place, ignore_errors=True)
        stage_accounts(data, companies)
    steps = Steps(data, companies)
    markets = [market.lower() for market in universe_files.SHARES]
    shutil.rmtree(files, ignore_errors=True)
    folders = (universe_files.write_day(files, day, companies, days) for day in range(len(found), days))
    for day, folder in enumerate(prefetch(folders), len(found)):
        at = f"{FIRST_DAY + timedelta(days=day)}T05:00:00"
        ingest = ["-m", "firm", "ingest", *markets, "--from", str(folder), "--at", at]
        step = steps.run(f"night {day}", ingest, minutes=10, gigabytes=8)
        shutil.rmtree(folder)
        stores = {name: size(path) for name, path in _store_folders(Layout(data)).items()}
        seconds, worked = float(str(step["ours_s"])), float(str(step["worked_s"]))
        night = _Night(seconds, worked, int(str(step["peak_mb"])), stores)
        found.append(night)
        write_json(notes, [asdict(one) for one in found])
        if day % STRETCH == 0:
            print(f"night {day}: {night}", file=sys.stderr, flush=True)
    return found


def _noted(notes: Path) -> list[_Night]:
    """The nights that an earlier run took in."""
    return [_Night(**one) for one in json.loads(notes.read_text())] if notes.exists() else []


def _stretch(companies: int, first: int, before: _Night, nights: list[_Night]) -> dict[str, object]:
    last = nights[-1].stores
    return {
        "name": f"{written(companies)} companies, nights {first} to {first + len(nights) - 1}",
        "ours_s": round(median(night.seconds for night in nights), 1),
        "longest_s": max(night.seconds for night in nights),
        "worked_s": round(median(night.worked for night in nights), 1),
        "peak_mb": max(night.megabytes for night in nights),
        "bytes_a_night": {name: (last[name] - before.stores[name]) // len(nights) for name in last},
        "stores_bytes": dict(last),
        "asked": "a night costs reading and its change, however many there were",
    }


def _store_folders(layout: Layout) -> dict[str, Path]:
    return {
        "raw": layout.raw_folder,
        "staged": layout.staged_folder,
        "history": layout.history_folder,
        "ledger": layout.ledger_folder,
        "releases": layout.releases_folder,
    }
