"""One target judged in a process of its own, held to limits: `python -m tests.fuzz.child hunt|judge …`.

`hunt TARGET SEEDS OUT SECONDS CHANCE` looks for findings and writes a JSON line for each, and one at the end with
what was done; the case under way stands in OUT, for whoever finds this process dead. `judge TARGET NAME FILE` judges one
case and writes what came of it; `reduce TARGET NAME FILE` writes it with a smaller case.

Does not belong here: watching over this process, or what becomes of findings (`running`).
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final

from tests.fuzz.case import LIMITS, Broken, Case, Features, Finding, Limits, Target
from tests.fuzz.mutating import changed
from tests.fuzz.reducing import reduced
from tests.fuzz.tracing import Lines

UNDER_WAY: Final = "under-way"  # file in OUT
_OURS: Final = ("/connectors/", "/tests/fuzz/planted")
_RECENT: Final = 40  # cases kept last, of which every other one is taken
_REDUCING: Final = 20.0  # seconds
_OF_A_KIND: Final = 3  # findings of one signature that are told


class Hung(BaseException):
    """A case that takes more processor time than it may: not to be caught by what is judged."""


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Lets the block have its seconds of processor time, then raises Hung in it."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Hung

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def hold(limits: Limits) -> None:
    """Bounds the address space of this process by what it has and what a case may take."""
    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + limits.space, has + limits.space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judged(target: Target, case: Case, limits: Limits = LIMITS) -> Finding | Features:
    """What came of one case."""
    try:
        with within(limits):
            return target.judge(case)
    except Hung as error:
        return _finding(target, case, "hang", f"more than {limits.seconds:g} s of processor time", error)
    except MemoryError as error:
        return _finding(target, case, "memory", f"more than {limits.space >> 20} MiB", error)
    except Broken as error:
        return _finding(target, case, error.kind, str(error), error)
    except Exception as error:  # noqa: BLE001 - whatever a reader raises beside Unreadable is what is looked for
        return _finding(target, case, "crash", f"{type(error).__name__}: {error}"[:200], error)


def _finding(target: Target, case: Case, kind: str, told: str, error: BaseException) -> Finding:
    frames = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if any(part in one.filename for part in _OURS)
    ]
    last = frames[-1] if frames else None
    place = (
        "nowhere"
        if last is None
        else f"{last.filename.rpartition('/connectors/')[2].rpartition('/tests/')[2]}:{last.name}"
    )
    name = type(error).__name__ if kind == "crash" else told if kind in ("schema", "privacy") else ""
    return Finding(target.key, kind, told, f"{place} {name}".strip(), case)


def hunt(
    target: Target, seeds: list[Case], out: Path, seconds: float, chance: Random, limits: Limits = LIMITS
) -> Iterator[dict[str, Any]]:
    """Findings as they are made, and a summary."""
    lines, told, cases = Lines(), dict[tuple[str, str], int](), 0
    corpus, features, is_spent = list(seeds), set[str](), False
    began = time.monotonic()
    ends = began + seconds
    for case in _cases(corpus, seeds, chance):
        if cases >= len(seeds) and time.monotonic() > ends:
            break
        (out / UNDER_WAY).write_bytes(pickle.dumps(case))
        known = len(lines.seen) + len(features)
        with lines.followed():
            found = judged(target, case, limits)
        cases += 1
        if isinstance(found, Finding):
            told[found.signature] = told.get(found.signature, 0) + 1
            if told[found.signature] <= _OF_A_KIND:
                yield _as_json(found)
            is_spent = found.kind == "memory"  # what it left behind counts against the next case
            if is_spent:
                break
            continue
        features |= found
        if len(lines.seen) + len(features) > known and case not in seeds:
            corpus.append(case)
    yield {
        "cases": cases, "seconds": time.monotonic() - began, "steps": len(lines.seen), "is_spent": is_spent,
    }  # fmt: skip


def _cases(corpus: list[Case], seeds: list[Case], chance: Random) -> Iterator[Case]:
    """The seeds themselves, then changes of what is kept, of the newest more often."""
    yield from seeds
    while True:
        one = chance.choice(corpus[-_RECENT:] if chance.random() < 0.5 else corpus)
        yield changed(chance, one, chance.choice(corpus))


def _as_json(found: Finding) -> dict[str, Any]:
    return {
        "target": found.target, "kind": found.kind, "told": found.told, "place": found.place, "name": found.case.name,
        "body": base64.b64encode(found.case.body).decode(),
    }  # fmt: skip


def as_finding(told: dict[str, Any]) -> Finding:
    """A finding from its line."""
    case = Case(told["name"], base64.b64decode(told["body"]))
    return Finding(told["target"], told["kind"], told["told"], told["place"], case)


def target_of(key: str) -> Target:
    """A target by its key; planted ones are the harness's own tests'."""
    if key.startswith("planted."):
        from tests.fuzz.planted import PLANTED

        return PLANTED[key]
    from tests.fuzz.targets import targets

    return targets()[key]


def reduced_finding(target: Target, case: Case, limits: Limits) -> Finding | None:
    """The finding that a case shows, with as little of it as shows the same."""
    first = judged(target, case, limits)
    if not isinstance(first, Finding):
        return None
    ends = time.monotonic() + _REDUCING

    def shows(body: bytes) -> bool:
        if time.monotonic() > ends:
            return False
        again = judged(target, Case(case.name, body), limits)
        return isinstance(again, Finding) and again.signature == first.signature

    return replace(first, case=Case(case.name, reduced(case.body, shows)))


def main(words: list[str]) -> int:
    """What the module says."""
    how, key, *rest = words
    warnings.simplefilter("ignore")
    seconds, space = os.environ.get("FUZZ_LIMITS", f"{LIMITS.seconds} {LIMITS.space}").split()
    limits = Limits(float(seconds), int(space))
    target = target_of(key)
    hold(limits)
    if how == "hunt":
        seeds, out, time_of_it, chance = rest
        made: list[Case] = pickle.loads(Path(seeds).read_bytes())
        for told in hunt(target, made, Path(out), float(time_of_it), Random(int(chance)), limits):
            print(json.dumps(told), flush=True)
        return 0
    case = Case(rest[0], Path(rest[1]).read_bytes())
    found = reduced_finding(target, case, limits) if how == "reduce" else judged(target, case, limits)
    print(json.dumps(_as_json(found) if isinstance(found, Finding) else {}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
