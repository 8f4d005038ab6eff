"""What a publish costs after a day of few changes, and after one of many: seconds, bytes written and fetched, memory.

Each day is a process of its own (`publish_day`) over histories of generated companies. Does not belong here: ingesting
(`bench_universe`), serving (`bench_api`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.api_world import written

_FULL: Final = 10_000_000
_LIMITS: Final = {"few": (10, 200, 1_024, 250), "many": (300, None, 6_144, None)}  # s, MB written, MiB, MB fetched


def run(companies: int = 1_000_000, changed: int = 1_000, days: int = 3) -> list[dict[str, object]]:
    """Days of `changed` companies, then one on which one in a hundred changed; judged at ten million companies."""
    with tempfile.TemporaryDirectory(prefix="bench-publish-") as folder:
        found = [_result("all companies", companies, _day(folder, companies, changed, 0))]
        for day in range(1, days + 1):
            name = f"day {day}, {changed:,} companies changed"
            found.append(_result(name, companies, _day(folder, companies, changed, day), "few"))
        name = f"day {days + 1}, one company in a hundred changed"
        found.append(_result(name, companies, _day(folder, companies, companies // 100, days + 1), "many"))
    return found


def _day(folder: str, companies: int, changed: int, day: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.publish_day", folder, *map(str, (companies, changed, day))]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    return json.loads(done.stdout.splitlines()[-1])


def _result(name: str, companies: int, found: dict[str, Any], limit: str | None = None) -> dict[str, object]:
    result = {
        "name": f"{written(companies)} companies, {name}",
        "ours_s": found["seconds"],
        "worked_s": found["processor_s"],
        "peak_mb": found["peak_mib"],
        "merge_peak_mb": found["merge_peak_mib"],
        "written_mb": found["written_mb"],
        "fetched_mb": found["fetched_mb"],
        "segments": found["segments"],
        "lookup_us": max(found["changed_us"], found["unchanged_us"]),
        "list_ms": found["list_ms"],
        **{key: found[key] for key in found if key.startswith("past_")},
    }
    if limit is None:
        return result
    seconds, wrote, memory, fetched = _LIMITS[limit]
    asked = [f"<= {seconds} s", f"{memory} MiB", *([f"{wrote} MB written, {fetched} MB fetched"] if wrote else [])]
    result["asked"] = ", ".join(asked) + " at 10 M"
    if companies >= _FULL:
        limits = zip(
            (seconds, wrote, memory, fetched), ("seconds", "written_mb", "peak_mib", "fetched_mb"), strict=True
        )
        result["met"] = all(most is None or found[what] <= most for most, what in limits)
    return result


if __name__ == "__main__":
    for one in run(*map(int, sys.argv[1:])):
        print(json.dumps(one))
