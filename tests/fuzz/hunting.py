"""One target hunted in this process: cases made, judged, and kept where they show something new.

Does not belong here: judging one (`held`), making one of another (`mutating`).
"""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.fuzz.case import LIMITS, MILESTONES, Case, Features, Finding, Limits, Target, UnderWay
from tests.fuzz.found import as_json
from tests.fuzz.held import judged
from tests.fuzz.mutating import changed
from tests.fuzz.tracing import Lines

UNDER_WAY: Final = "under-way"  # file in the folder of a hunt
_LARGEST: Final = 64 << 10  # bytes of a case that is gone on from
_FRUITFUL: Final = 0.75  # of the cases: changed from one that gave rows
_RECENT: Final = 40  # cases kept last, of which every other one is taken
_OF_A_KIND: Final = 3  # findings of one signature that are told
_WHOLLY: Final = 0.02  # of the cases that show nothing new
_SPOKEN: Final = 0.15  # of the cases: put together with texts that the code compares with
_WORDS: Final = 12  # of them in one case


@dataclass(slots=True)
class Corpus:
    """Cases worth going on from, and those among them that gave rows: a file of another market gives none."""

    kept: list[Case]
    read: list[Case] = field(default_factory=list)

    def add(self, case: Case, *, is_read: bool) -> None:
        """Another one; a seed is there already. A large one would be all that there is time for."""
        if len(case.body) > _LARGEST:
            return
        if case not in self.kept:
            self.kept.append(case)
        if is_read:
            self.read.append(case)

    def chosen(self, chance: Random) -> Case:
        """One of them: of those that gave rows more often, and of the newest."""
        cases = self.read if self.read and chance.random() < _FRUITFUL else self.kept
        return chance.choice(cases[-_RECENT:] if chance.random() < 0.5 else cases)


@dataclass(slots=True)
class Progress:
    """What a hunt has done and seen."""

    cases: int = 0
    began: float = field(default_factory=time.process_time)
    lines: Lines = field(default_factory=Lines)
    features: set[str] = field(default_factory=set)
    reached: Counter[str] = field(default_factory=Counter)
    told: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def seconds(self) -> float:
        """Of processor time, since the target was there: what a busy machine or a pause takes does not count."""
        return time.process_time() - self.began

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(self.reached[milestone] for milestone in MILESTONES)

    @property
    def known(self) -> int:
        return len(self.lines.seen) + len(self.features)

    def shown(self, judge: Callable[[Case], Features], key: str, case: Case, limits: Limits) -> Finding | Features:
        """What came of a case, and the lines that it went through."""
        with self.lines.followed():
            found = judged(judge, key, case, limits)
        if not isinstance(found, Finding):
            self.features |= found
        return found


def hunt(
    target: Target, seeds: list[Case], out: Path, seconds: float, chance: Random, limits: Limits = LIMITS
) -> Iterator[dict[str, Any]]:
    """Findings as they are made, and a summary."""
    done, corpus, is_spent = Progress(), Corpus(list(seeds)), False
    for case in _cases(corpus, seeds, done, chance):
        if done.cases >= len(seeds) and done.seconds > seconds:
            break
        under_way = UnderWay(done.cases, done.seconds, done.counts, case)
        (out / UNDER_WAY).write_bytes(pickle.dumps(under_way))
        known = done.known
        found = _looked_at(target, case, done, chance, limits)
        done.cases += 1
        if isinstance(found, Finding):
            done.told[found.signature] += 1
            if done.told[found.signature] <= _OF_A_KIND:
                yield as_json(found)
            is_spent = found.kind == "memory"  # what it left behind counts against the next case
            if is_spent:
                break
            continue
        done.reached.update(found & frozenset(MILESTONES))
        if done.known > known or case in seeds:
            corpus.add(case, is_read="read" in found)
    yield {
        "cases": done.cases, "seconds": done.seconds, "steps": len(done.lines.seen), "reached": done.counts,
        "is_spent": is_spent,
    }  # fmt: skip


def _looked_at(target: Target, case: Case, done: Progress, chance: Random, limits: Limits) -> Finding | Features:
    """A case judged quickly; wholly if that shows something new, and now and then."""
    if target.quickly is None:
        return done.shown(target.judge, target.key, case, limits)
    known = done.known
    found = done.shown(target.quickly, target.key, case, limits)
    if isinstance(found, Finding) or (done.known == known and chance.random() > _WHOLLY):
        return found
    return done.shown(target.judge, target.key, case, limits)


def _cases(corpus: Corpus, seeds: list[Case], done: Progress, chance: Random) -> Iterator[Case]:
    """The seeds themselves, then changes of what is kept, with what the readers look for."""
    yield from seeds
    while True:
        words = done.lines.words if chance.random() < _SPOKEN else ()
        other = Case("", "\n".join(chance.sample(words, min(len(words), _WORDS))).encode()) if words else None
        yield changed(chance, corpus.chosen(chance), other or chance.choice(corpus.kept))
