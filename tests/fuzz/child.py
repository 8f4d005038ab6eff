"""One target judged in a process of its own, held to limits: `python -m tests.fuzz.child hunt|judge …`.

`hunt TARGET SEEDS OUT SECONDS CHANCE` looks for findings for so many seconds of processor time and writes a JSON line
for each, and one at the end with what was done; how far it is stands in OUT, for whoever finds this process dead. `judge
TARGET NAME FILE` judges one case and writes what came of it; `reduce TARGET NAME FILE` writes it with a smaller case.

Does not belong here: watching over this process, or what becomes of findings (`running`).
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

from tests.fuzz.case import LIMITS, Case, Finding, Limits, Target
from tests.fuzz.found import as_json
from tests.fuzz.held import hold, judged
from tests.fuzz.hunting import hunt
from tests.fuzz.reducing import reduced

_REDUCING: Final = 20.0  # seconds


def target_of(key: str) -> Target:
    """A target by its key; planted ones are the harness's own tests'."""
    if key.startswith("planted."):
        from tests.fuzz.planted import PLANTED

        return PLANTED[key]
    from tests.fuzz.targets import targets

    return targets()[key]


def reduced_finding(target: Target, case: Case, limits: Limits) -> Finding | None:
    """The finding that a case shows, with as little of it as shows the same."""
    first = judged(target.judge, target.key, case, limits)
    if not isinstance(first, Finding):
        return None
    ends = time.monotonic() + _REDUCING

    def shows(body: bytes) -> bool:
        if time.monotonic() > ends:
            return False
        again = judged(target.judge, target.key, Case(case.name, body), limits)
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
    found = reduced_finding(target, case, limits) if how == "reduce" else judged(target.judge, key, case, limits)
    print(json.dumps(as_json(found) if isinstance(found, Finding) else {}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
