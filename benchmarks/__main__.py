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
    "bench_se_bulk": {
        "default": {},
        "full": {"rows": 2_900_000, "units": 1_800_000, "rounds": 3},
        "quick": {"rows": 20_000, "units": 12_000, "rounds": 1},
    },
    "bench_se_ixbrl": {"default": {}, "full": {}, "quick": {"rounds": 1}},
    "bench_no_json": {
        "default": {"rows": 110_000},
        "full": {"rows": 1_100_000, "rounds": 3},
        "quick": {"rows": 20_000, "rounds": 1},
    },
    "bench_dk_json": {"default": {}, "full": {"rows": 2_300_000, "rounds": 1}, "quick": {"rows": 5_000, "rounds": 1}},
    "bench_uk_companies": {
        "default": {},
        "full": {"rows": 5_500_000, "rounds": 3},
        "quick": {"rows": 20_000, "rounds": 1},
    },
    "bench_uk_psc": {
        "default": {},
        "full": {"lines": 16_000_000, "rounds": 1},
        "quick": {"lines": 20_000, "rounds": 1},
    },
    "bench_us_facts": {"default": {}, "full": {"issuers": 2_000}, "quick": {"rounds": 1, "issuers": 20}},
    "bench_diff": {
        "default": {"rows": 1_000_000},
        "full": {"rows": 12_000_000, "rounds": 3},
        "quick": {"rows": 50_000, "rounds": 1},
    },
    "bench_identity": {
        "default": {},
        "full": {"leis": 2_700_000, "companies": 12_000_000},
        "quick": {"leis": 10_000, "companies": 50_000, "rounds": 1},
    },
    "bench_owners": {
        "default": {"rows": 1_500_000},
        "full": {"rows": 15_000_000},
        "quick": {"rows": 20_000, "rounds": 1},
    },
    "bench_group": {"default": {}, "full": {"companies": 1_000_000}, "quick": {"companies": 8_000, "requests": 20}},
    "bench_api": {
        "default": {"companies": 1_000_000},
        "full": {"companies": 10_000_000},
        "quick": {"companies": 20_000, "rounds": 1},
    },
    "bench_publish": {
        "default": {},
        "full": {"companies": 10_000_000},
        "quick": {"companies": 20_000, "changed": 100, "days": 1},
    },
    "bench_search": {
        "default": {"companies": 1_000_000},
        "full": {"companies": 10_000_000},
        "quick": {"companies": 20_000, "searches": 200},
    },
    "bench_lookup": {
        "default": {"companies": 1_000_000},
        "full": {"companies": 10_000_000},
        "quick": {"companies": 20_000, "requests": 5, "typed": 200},
    },
    "bench_webhooks": {
        "default": {},
        "full": {"backlog": 1_000_000},
        "quick": {"events": 30, "rounds": 1, "releases": 1, "backlog": 5_000},
    },
    "bench_webhook_matching": {
        "default": {},
        "full": {},
        "quick": {"events": 200, "rows": 20_000, "subscriptions": 500},
    },
    "bench_webhook_filters": {"default": {}, "full": {}, "quick": {"events": 100, "subscriptions": 400}},
    "bench_universe": {"default": {}, "full": {"companies": 10_000_000, "days": 3}, "quick": {"companies": 5_000}},
    "bench_growth": {
        "default": {},
        "full": {"lines": 5_000_000},
        "quick": {"lines": 20_000, "bodies": 100, "rounds": 1},
    },
    "bench_exports": {"default": {}, "full": {"companies": 10_000_000}, "quick": {"companies": 5_000}},
    "bench_year": {
        "default": {},
        "full": {"companies": 100_000, "days": 366},
        "quick": {"companies": 2_000, "days": 3},
    },
    "bench_event_streams": {"default": {}, "full": {}, "quick": {"streams": 100}},
    "bench_overload": {
        "default": {"companies": 1_000_000},
        "full": {"companies": 10_000_000},
        "quick": {"companies": 20_000, "rounds": 1},
    },
}


_QUICK_SECONDS = 600


def _one(name: str, scale: str) -> list[dict[str, object]] | None:
    """Each benchmark in a process of its own, so that its peak memory is its own; None where it failed.

    At its smallest it has ten minutes, so that one that waits for ever is noticed.
    """
    arguments, most = BENCHES[name][scale], _QUICK_SECONDS if scale == "quick" else None
    code = (
        f"import json; from benchmarks.{name} import run\n"
        f"if __name__ == '__main__': print('RESULT ' + json.dumps(run(**{arguments!r})))"
    )
    command = [sys.executable, "-c", code]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, timeout=most)
    except subprocess.TimeoutExpired:
        print(f"{name}: not at its end after {most} s", file=sys.stderr)
        return None
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    return None  # it has told why on standard error


def _table(results: list[dict[str, object]]) -> Table:
    table = Table(title="Ours beside the peer in the same run (medians of alternated rounds)")
    for column in ("what", "ours", "against", "peer", "ratio", "asked", "met", "MB", "peer MB"):
        table.add_column(column, justify="left" if column in ("what", "against") else "right")
    for row in results:
        met = row.get("met")
        table.add_row(
            str(row["name"]),
            _figure(row, "ours"),
            str(row.get("against", "")),
            _figure(row, "peer"),
            f"{row['ratio']:.2f}" if "ratio" in row else "",
            str(row.get("asked", "")),
            "" if met is None else ("yes" if met else "NO"),
            str(row.get("memory_mb") or row.get("peak_mb") or ""),
            str(row.get("peer_memory_mb") or ""),
        )
    return table


def _figure(row: dict[str, object], side: str) -> str:
    """A figure with the unit that its name ends in; nothing where there is none."""
    for ending, unit in (
        ("s", "s"),
        ("rps", "/s"),
        ("ms", "ms"),
        ("us", "µs"),
        ("mb", "MiB"),
        ("kib", "KiB"),
        ("bytes", "B"),
    ):
        value = row.get(f"{side}_{ending}")
        if value is not None:
            return f"{value:,.3g} {unit}" if isinstance(value, float) else f"{value:,} {unit}"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="BENCH_FOLDER in the environment: where worlds of companies are kept between runs."
    )
    parser.add_argument("--scale", choices=("quick", "default", "full"), default="default")
    parser.add_argument("--only", choices=tuple(BENCHES), action="append")
    parser.add_argument("--json", type=Path, default=Path("bench-results.json"))
    chosen = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 160)
    started, results, failed = time.monotonic(), [], []
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    for name in chosen.only or BENCHES:
        importlib.import_module(f"benchmarks.{name}")
        console.print(f"{name} …")
        told = _one(name, chosen.scale)
        results += told or []
        failed += [name] if told is None else []
        report = {"at": datetime.now(UTC).isoformat(), "scale": chosen.scale, "machine": machine, "results": results}
        chosen.json.write_text(json.dumps(report, indent=2) + "\n")  # after each: an interrupt loses one benchmark
    console.print(_table(results))
    console.print(f"{machine}; {time.monotonic() - started:.0f} s; written to {chosen.json}")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
