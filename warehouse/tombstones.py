"""Who has been erased: one tombstone per subject, kept for ever, so that nothing brings it back.

See docs/architecture.md 1.

A company is told by its id, and by salted hashes of the keys by which links lead to it. A holder is told by salted
hashes of the texts its records are known by, so that a tombstone says nothing of a person. Beside them stands which
steps of each erasure are done: what a kill leaves undone is taken up by the next run. Does not belong here: taking
anything away (`erasing`).
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from warehouse import files
from warehouse.folding import comparable
from warehouse.locks import exclusive
from warehouse.paths import Layout

RAW: Final = "raw"
STAGED: Final = "staged"
IMAGES: Final = "images"
RUNS: Final = "runs"
HISTORY: Final = "history"
LEDGER: Final = "ledger"
RELEASE: Final = "release"
EXPORTS: Final = "exports"
CONTROL: Final = "control"
# In this order: what tells where a subject stands is taken away after what is found by it.
STEPS: Final = (RAW, STAGED, IMAGES, RUNS, HISTORY, LEDGER, RELEASE, EXPORTS, CONTROL)
_WAIT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One erased subject.

    subject: the id of a company or of a holder. company_id: that company, or the one the holder holds.
    traces: the hashes that a holder's records are known by, or what links lead to a company by. clean: the first
    release that says nothing of it; older ones are still to go. by_register: the register itself took the
    company's content away, and what it says instead stays.
    """

    subject: str
    market: str
    company_id: str
    at: datetime
    reason: str
    by_register: bool = False
    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    traces: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    clean: int | None = None

    @property
    def is_company(self) -> bool:
        return self.subject == self.company_id

    @property
    def is_finished(self) -> bool:
        return set(STEPS) <= set(self.done)

    def trace(self, text: str) -> str:
        """The hash of a text in this tombstone; case, accents, signs and blanks do not count."""
        plain = (comparable(text) or text).encode()  # as records of one holder are joined
        return hashlib.sha256(self.salt.encode() + b":" + plain).hexdigest()[:32]


class Tombstones:
    """The tombstones below one data root, in one small file."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def all(self, market: str | None = None) -> tuple[Tombstone, ...]:
        """Every tombstone, oldest first, or those of one market."""
        try:
            entries = json.loads(self._layout.erased.read_bytes())["erased"]
        except FileNotFoundError:
            return ()
        return tuple(made for entry in entries if (made := _parsed(entry)).market == (market or made.market))

    def add(self, stones: Iterable[Tombstone]) -> tuple[Tombstone, ...]:
        """Sets tombstones; a subject that has one keeps it, with what is new of its traces.

        One whose releases were done with is to be done from the start: somebody asks again, as something of it
        may have come since. Gives those of these subjects as they stand.
        """
        stones = tuple(stones)
        with self._changing() as known:
            for stone in stones:
                former = known.get(stone.subject)
                known[stone.subject] = stone if former is None else _again(former, stone)
            return tuple(known[stone.subject] for stone in stones)

    def note(self, subjects: Iterable[str], step: str) -> None:
        """Notes that a step is done for some subjects."""
        with self._changing() as known:
            for subject in subjects:
                if step not in known[subject].done:
                    known[subject] = replace(known[subject], done=(*known[subject].done, step))

    def note_clean(self, subjects: Iterable[str], release: int) -> None:
        """Notes the first release that says nothing of some subjects, where none is noted."""
        with self._changing() as known:
            for subject in subjects:
                if known[subject].clean is None:
                    known[subject] = replace(known[subject], clean=release)

    def unfinished(self, market: str | None = None) -> tuple[Tombstone, ...]:
        """Tombstones of which something is still to be done."""
        return tuple(stone for stone in self.all(market) if not stone.is_finished)

    def told(self, market: str) -> list[dict[str, Any]]:
        """Those of a market, to be told to another machine."""
        return [_as_json(stone) for stone in self.all(market)]

    def adopt(self, market: str, told: Iterable[dict[str, Any]]) -> None:
        """Puts what another machine told of a market in the place of what is known of it here."""
        with self._changing() as known:
            for subject in [stone.subject for stone in known.values() if stone.market == market]:
                del known[subject]
            known.update({stone.subject: stone for stone in map(_parsed, told)})

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Tombstone]]:
        with exclusive(self._layout, "erased", "the list of what is erased", _WAIT_SECONDS):
            known = {stone.subject: stone for stone in self.all()}
            before = dict(known)
            yield known
            if known != before:
                files.write_json(
                    self._layout.erased, {"erased": [_as_json(stone) for stone in known.values()]}
                )


def _again(former: Tombstone, stone: Tombstone) -> Tombstone:
    more = tuple(sorted({*former.traces, *stone.traces}))
    if RELEASE not in former.done:
        return replace(former, traces=more)
    return replace(former, traces=more, done=(), clean=None)


def _as_json(stone: Tombstone) -> dict[str, Any]:
    return {**asdict(stone), "at": stone.at.isoformat()}


def _parsed(entry: dict[str, Any]) -> Tombstone:
    told = {"at": datetime.fromisoformat(entry["at"])}
    lists = {name: tuple(entry[name]) for name in ("traces", "done")}
    return Tombstone(**{**entry, **told, **lists})
