"""`python -m benchmarks`: every benchmark, as a table on the terminal and as JSON in bench-results.json."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

# Sizes by scale; "default" ends within ten minutes on two cores.
BENCHES: dict[str, dict[str, dict[str, int]]] = {
    "bench_ixbrl": {"default": {}, "full": {}, "quick": {"rounds": 1}},
    "bench_no_csv": {
        "default": {"rows": 1_000_000},
        "full": {"rows": 1_000_000},
        "quick": {"rows": 50_000, "rounds": 1},
    },
    "bench_diff": {
        "default": {"rows": 1_000_000},
        "full": {"rows": 12_000_000, "rounds": 3},
        "quick": {"rows": 50_000, "rounds": 1},
    },
    "bench_api": {"default": {}, "full": {}, "quick": {"rounds": 1}},
}


def _one(name: str, arguments: dict[str, int]) -> list[dict[str, object]]:
    """Each benchmark in a process of its own, so that its peak memory is its own."""
    code = (
        f"import json; from benchmarks.{name} import run\n"
        f"if __name__ == '__main__': print('RESULT ' + json.dumps(run(**{arguments!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    raise SystemExit(f"{name} failed:\n{done.stdout}\n{done.stderr}")


def _table(results: list[dict[str, object]]) -> Table:
    table = Table(title="Ours beside the peer in the same run (medians of alternated rounds)")
    for column in ("what", "ours", "peer", "ratio", "asked", "peak MB"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in results:
        ours = row.get("ours_s", row.get("ours_rps"))
        peer = row.get("peer_s", row.get("peer_rps"))
        unit = "s" if "ours_s" in row else "/s"
        table.add_row(
            str(row["name"]),
            f"{ours:,.3g} {unit}",
            f"{peer:,.3g} {unit}",
            f"{row['ratio']:.2f}",
            str(row["asked"]),
            str(row.get("peak_mb") or ""),
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", choices=("quick", "default", "full"), default="default")
    parser.add_argument("--only", choices=tuple(BENCHES), action="append")
    parser.add_argument("--json", type=Path, default=Path("bench-results.json"))
    chosen = parser.parse_args()
    console = Console()
    started, results = time.monotonic(), []
    for name in chosen.only or BENCHES:
        importlib.import_module(f"benchmarks.{name}")
        console.print(f"{name} …")
        results += _one(name, BENCHES[name][chosen.scale])
    console.print(_table(results))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    report = {
        "at": datetime.now(UTC).isoformat(),
        "scale": chosen.scale,
        "machine": machine,
        "results": results,
    }
    chosen.json.write_text(json.dumps(report, indent=2) + "\n")
    console.print(f"{machine}; {time.monotonic() - started:.0f} s; written to {chosen.json}")


if __name__ == "__main__":
    main()
