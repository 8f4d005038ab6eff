"""`python -m tests.fuzz [words…]`: hunts every target whose key holds one of the words, for an hour together.

FUZZ_SECONDS sets another sum, FUZZ_CHANCE the seed of chance (printed, else a new one), FUZZ_JOBS how many targets at
once. Ctrl-C ends with what was found so far. Exit code 1 where something was found: it lies below `found/`.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.fuzz import found, seeds
from tests.fuzz.case import Finding
from tests.fuzz.running import Account, Hunt
from tests.fuzz.targets import targets

HOUR: Final = 3600.0


def main(words: Sequence[str]) -> int:
    """Runs the hunt; the exit code."""
    chosen = [key for key in targets() if not words or any(word in key for word in words)]
    if not chosen:
        print(f"no target is named {' or '.join(words)}")
        return 1
    seconds = float(os.environ.get("FUZZ_SECONDS") or HOUR)
    chance = int(os.environ.get("FUZZ_CHANCE") or random.randrange(1 << 32))
    jobs = int(os.environ.get("FUZZ_JOBS") or os.cpu_count() or 1)
    ends = time.monotonic() + seconds
    print(f"{len(chosen)} targets, {seconds:g} s, {jobs} at once, FUZZ_CHANCE={chance}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        made = seeds.gathered()
        each = max(1.0, (ends - time.monotonic()) * jobs / len(chosen))
        hunt = Hunt(Path(folder))
        accounts, kept = hunted(hunt, chosen, made, each, chance, jobs)
    print(table(accounts, kept))
    return 1 if kept or any(account.trouble for account in accounts) else 0


def hunted(
    hunt: Hunt, chosen: Sequence[str], made: seeds.Seeds, each: float, chance: int, jobs: int
) -> tuple[list[Account], dict[tuple[str, str], list[Finding]]]:
    """Accounts of all targets that were hunted, and their findings by what they are."""
    accounts: list[Account] = []
    kept: dict[tuple[str, str], list[Finding]] = {}
    pool = ThreadPoolExecutor(jobs)
    waiting: list[Future[Account]] = [
        pool.submit(hunt.of, key, seeds.of(key, made), each, chance + 1_000 * place)
        for place, key in enumerate(chosen)
    ]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or the processes under way would go on alone
    try:
        for done in as_completed(waiting):
            account = done.result()
            accounts.append(account)
            print(
                f"{account.target:<24}{account.cases:>8} cases {len(account.findings):>4} findings",
                flush=True,
            )
            keep(hunt, account, kept)
    except KeyboardInterrupt:
        print("\nended before the time", flush=True)
        hunt.stop()
        for future in waiting:
            future.cancel()
    with suppress(KeyboardInterrupt):
        pool.shutdown(wait=True, cancel_futures=True)
    return accounts, kept


def keep(hunt: Hunt, account: Account, kept: dict[tuple[str, str], list[Finding]]) -> None:
    """Saves what is found for the first time, small, if a process of its own and untraced finds it too."""
    for finding in account.findings:
        if finding.signature in kept:
            kept[finding.signature].append(finding)
            continue
        again = hunt.judged(finding)
        if again is None:
            print(f"  not again: {finding.kind} at {finding.place}: {finding.told}", flush=True)
            continue
        is_new = again.signature not in kept
        kept.setdefault(again.signature, []).append(again)
        if is_new:
            path = found.saved(hunt.small(again))
            print(f"  {again.kind}: {again.told}\n    at {again.place}, kept as {path}", flush=True)


def table(accounts: Sequence[Account], kept: dict[tuple[str, str], list[Finding]]) -> str:
    """What was done, by target."""
    rows = [f"\n{'target':<24}{'seconds':>8}{'cases':>9}{'a second':>10}{'steps':>8}{'findings':>10}"]
    for account in sorted(accounts, key=lambda one: one.target):
        of_it = sum(1 for findings in kept.values() if any(one.target == account.target for one in findings))
        speed = account.cases / account.seconds if account.seconds else 0.0
        trouble = f"  {account.trouble}" if account.trouble else ""
        rows.append(
            f"{account.target:<24}{account.seconds:>8.0f}{account.cases:>9}{speed:>10.0f}{account.steps:>8}{of_it:>10}{trouble}"
        )
    cases, spent = sum(one.cases for one in accounts), sum(one.seconds for one in accounts)
    rows.append(f"{len(accounts)} targets, {spent:.0f} s, {cases} cases, {len(kept)} defects")
    return "\n".join(rows)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
