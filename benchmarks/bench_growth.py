"""What a day costs after years of days: 1,000 bodies fetched and staged over a past of many manifest lines.

The past is a manifest and the indexes of staged batches, as three years of monthly look-ups leave them: one in ten
answers is new, the others are lines that found a body unchanged. Compared with the same day over an empty past, each in
a process of its own (`growth_day`). Does not belong here: releases and histories (`bench_year`).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from benchmarks.growth_day import FIRST_DAY, KEY, TABLE
from pipelines.runtime.batch_ids import batch_name
from warehouse.storage.layout import Layout

DAYS: Final = 1_095
_NEW: Final = 10  # one in so many lines is of a new body
_SHARE_ASKED: Final = 1.2


def run(lines: int = 500_000, bodies: int = 1_000, rounds: int = 3) -> list[dict[str, object]]:
    """The day over the past beside the same day over none: opening, seconds and processor seconds, memory."""
    with tempfile.TemporaryDirectory(prefix="bench-growth-") as folder:
        full, empty = Path(folder) / "full", Path(folder) / "empty"
        write_past(Layout(full), lines)
        first = _day(full, DAYS, bodies)
        _day(empty, DAYS, bodies)
        ours = [_day(full, DAYS + number, bodies) for number in range(1, rounds + 1)]
        peers = [_day(empty, DAYS + number, bodies) for number in range(1, rounds + 1)]
    told = f"{lines:,} lines, {bodies:,} bodies"
    return [
        _result(f"first opening of a past of {told}", [first], [], "open_processor_s"),
        _result(f"opening it again, {told}", ours, peers, "open_processor_s"),
        _result(f"fetch over a past of {told}", ours, peers, "fetch_processor_s", _SHARE_ASKED),
        _result(f"stage over a past of {told}", ours, peers, "stage_processor_s", _SHARE_ASKED),
    ]


def _day(data: Path, day: int, bodies: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.growth_day", str(data), str(day), str(bodies)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _result(
    name: str, ours: list[dict[str, float]], peers: list[dict[str, float]], what: str, asked: float | None = None
) -> dict[str, object]:
    own = statistics.median(one[what] for one in ours)
    found: dict[str, object] = {"name": name, "ours_s": own, "asked": asked or "", "against": "an empty past"}
    found["memory_mb"] = round(max(one["peak_mib"] for one in ours))
    if peers:
        other = statistics.median(one[what] for one in peers)
        found |= {"peer_s": other, "ratio": own / other, "peer_memory_mb": round(max(one["peak_mib"] for one in peers))}
        if asked is not None:
            found["met"] = own <= asked * other
    return found


def write_past(layout: Layout, lines: int, days: int = DAYS) -> None:
    """Writes manifest and staged indexes of days that had as many lines together, without the bodies themselves."""
    manifest = layout.raw_folder / "manifest" / f"{KEY}.jsonl"
    manifest.parent.mkdir(parents=True)
    per_day = lines // days
    with manifest.open("w") as target:
        for day in range(days):
            found = list(_day_lines(day, per_day))
            target.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in found)
            _write_index(layout, day, [line for line in found if line["new"]])


def _day_lines(day: int, count: int) -> Iterator[dict[str, Any]]:
    at = (FIRST_DAY + timedelta(days=day)).isoformat(timespec="microseconds")
    for place in range(count):
        number = 1_000_000 + (day % 30) * count + place  # each company once a month
        digest = sha256(f"{number} {day // 300}".encode()).hexdigest()
        yield {
            "dataset": KEY,
            "name": f"{number:09d}.json",
            "batch": batch_name(FIRST_DAY + timedelta(days=day)),
            "fetched_at": at,
            "version": "",
            "url": f"https://registry.example/companies/{number}/accounts",
            "status": 200,
            "headers": {"content-type": "application/json", "date": "Sun, 01 Jan 2023 04:00:00 GMT"},
            "sha256": digest,
            "received_sha256": digest,
            "bytes": 1_000,
            "observed_at": at,
            "scope": "part",
            "cursor": None,
            "replaces": None,
            "new": place % _NEW == 0,
        }


def _write_index(layout: Layout, day: int, lines: list[dict[str, Any]]) -> None:
    batch = batch_name(FIRST_DAY + timedelta(days=day))
    folder = layout.staged_folder / KEY / batch
    folder.mkdir(parents=True)
    at, rows = (FIRST_DAY + timedelta(days=day)).isoformat(timespec="microseconds"), {TABLE.name: len(lines)}
    pieces = [
        {"name": one["name"], "sha256": one["sha256"], "rows": 1, "rejects": 0, "rejected": None} for one in lines
    ]
    index = {"dataset": KEY, "batch": batch, "tables": rows, "rejects": 0, "pieces": pieces, "cursor": None}
    snapshot = {"observed_at": at, "scope": "part", "rows": rows, "records": rows}
    (folder / "index.json").write_text(json.dumps(index | {"editions": [snapshot], "held": None, "figures": {}}))


if __name__ == "__main__":
    for found in run(*map(int, sys.argv[1:])):
        print(json.dumps(found))
