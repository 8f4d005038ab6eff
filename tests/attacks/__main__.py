"""`python -m tests.attacks bystander | fuzz | doubling`; `--help` lists what each takes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.attacks.attacks import ATTACKS
from tests.attacks.bystander import Noticed, measure
from tests.attacks.doubling import KINDS, MOST_RATIO, doubling_of
from tests.attacks.fuzzing import fuzz
from tests.attacks.service import Target, make_world, serving

MOST_BYTES = 64 << 20
MOST_SLOWER = 3.0
MIB = 1 << 20


def main(words: list[str]) -> int:
    """Exit code 1 where a bound was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("command", choices=("bystander", "fuzz", "doubling"))
    parser.add_argument("--seconds", type=float, help="of each attack (5), or of fuzzing (300)")
    parser.add_argument("--data", type=Path, help="an ingested data folder; made where it is left out")
    parser.add_argument("--workers", type=int, help="processes that serve (bystander: 1, fuzz: 2)")
    parser.add_argument("--only", default="", help="attacks whose name holds this word")
    given = parser.parse_args(words)
    workers = given.workers or (2 if given.command == "fuzz" else 1)
    with served(given.data, workers, is_limited=given.command == "bystander") as (target, log):
        if given.command == "doubling":
            return print_doubling(target)
        if given.command == "fuzz":
            return fuzz(target, given.seconds or 300.0, log)
        chosen = [attack for attack in ATTACKS if given.only in attack.name]
        return print_noticed(list(measure(target, given.seconds or 5.0, chosen)))


@contextmanager
def served(data: Path | None, workers: int, is_limited: bool) -> Iterator[tuple[Target, Path]]:
    with tempfile.TemporaryDirectory(prefix="firm-attacks-") as folder:
        log = Path(folder) / "served.log"
        with serving(data or make_world(Path(folder)), log, workers, is_limited) as target:
            yield target, log


def print_noticed(noticed: list[Noticed]) -> int:
    table = Table("attack", "quiet p99 ms", "p99 ms", "ratio", "longest ms", "memory MiB", "bystander", "attacker")
    for one in noticed:
        table.add_row(
            one.attack,
            *(f"{seconds * 1000:.1f}" for seconds in (one.quiet_p99, one.p99)),
            f"{one.ratio:.1f}",
            f"{one.longest * 1000:.0f}",
            f"{one.added_bytes / MIB:+.0f}",
            *(
                ", ".join(f"{times} x {what}" for what, times in sorted(told.items(), key=str))
                for told in (one.answers, one.outcomes)
            ),
        )
    Console(width=180 if not sys.stdout.isatty() else None).print(table)
    return int(
        any(one.ratio > MOST_SLOWER or one.added_bytes > MOST_BYTES or set(one.answers) != {200} for one in noticed)
    )


def print_doubling(target: Target) -> int:
    table = Table("input", "length", "ms", "twice: times as long")
    ratios = [doubling_of(kind, target) for kind in KINDS]
    for kind, measured in zip(KINDS, ratios, strict=True):
        table.add_row(kind.name, f"{measured.length:,}", f"{measured.seconds * 1000:.2f}", f"{measured.ratio:.2f}")
    Console().print(table)
    return int(any(one.ratio > MOST_RATIO for one in ratios))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
