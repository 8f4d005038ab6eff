"""`python -m tests.fuzz [words…]`: hunts every target whose key holds one of the words, for an hour by the clock.

FUZZ_SECONDS sets another time, of which each of the targets hunted at once has as much of a processor; FUZZ_CHANCE the
seed of chance (printed, else a new one), FUZZ_JOBS how many targets at once. Ctrl-C ends with what was found so far;
FUZZ_RESUME=1 goes on with the targets that are left, for the time that each was given. Exit code 1 where something was
found: it lies below `found/`; 130 where it ended early.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.fuzz import seeds
from tests.fuzz.running import ROOT, Hunt
from tests.fuzz.session import Plan, Record, Session, chosen
from tests.fuzz.targets import targets

HOUR: Final = 3600.0
RECORD: Final = ROOT / "build" / "fuzz.jsonl"


def main(words: Sequence[str]) -> int:
    """Runs the session; the exit code."""
    record, jobs = Record(RECORD), int(os.environ.get("FUZZ_JOBS") or os.cpu_count() or 1)
    if os.environ.get("FUZZ_RESUME"):
        plan = record.plan()
    else:
        plan = _planned(chosen(list(targets()), words), jobs)
        record.begin(plan)
    if plan is None or not plan.targets:
        print(f"no target is named {' or '.join(words)}" if plan else f"no session to go on with: {RECORD}")
        return 1
    for ending in (signal.SIGINT, signal.SIGTERM):  # or the processes under way would go on alone
        signal.signal(ending, signal.default_int_handler)
    print(f"{len(plan.targets)} targets, {plan.each:.1f} s each, {jobs} at once, FUZZ_CHANCE={plan.chance}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        try:
            made = seeds.gathered()
        except KeyboardInterrupt:
            print("\nended before it began")
            return 130
        session = Session(Hunt(Path(folder)), record)
        session.go_on(plan, lambda key: seeds.of(key, made), jobs)
    print(session.table())
    return session.code


def _planned(keys: tuple[str, ...], jobs: int) -> Plan:
    seconds = float(os.environ.get("FUZZ_SECONDS") or HOUR)
    chance = int(os.environ.get("FUZZ_CHANCE") or random.randrange(1 << 32))
    return Plan(max(1.0, seconds * jobs / max(1, len(keys))), chance, keys)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
