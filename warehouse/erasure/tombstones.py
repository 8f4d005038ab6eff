"""Tombstones (suppression list): one permanent entry per erased subject, so that it never comes back.

See docs/architecture.md 1.
A company is identified by its id, and by salted hashes of the keys by which links lead to it. A holder is
identified by salted hashes of the texts that identify its records, so that a tombstone reveals nothing about a
person. Each entry lists the completed steps of its erasure: steps left open by a kill are completed by the next
run. A lifted entry keeps nothing out, but stays: what the register announced before that erases nothing again. Does
not belong here: the erasure (`files`).
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from warehouse.serving.past_db import ErasedSubjects
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import exclusive_lock

RAW: Final = "raw"
STAGED: Final = "staged"
IMAGES: Final = "images"
RUNS: Final = "runs"
HISTORY: Final = "history"
LEDGER: Final = "ledger"
RELEASE: Final = "release"
EXPORTS: Final = "exports"
CONTROL: Final = "control"
# In this order: data that locates a subject is erased after the data found through it.
STEPS: Final = (RAW, STAGED, IMAGES, RUNS, HISTORY, LEDGER, RELEASE, EXPORTS, CONTROL)
_WAIT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One erased subject.

    subject: the id of a company or of a holder. company_id: that company, or the one the holder has shares in.
    traces: hashes of the texts that identify a holder's records, or of the keys of links to a company. clean:
    the first release without the subject; older ones have yet to be deleted. by_register: the register itself
    removed the company's content, and its replacement stays. lifted_at: since then it keeps nothing out.
    rules: the rules that the erasure followed (`event_redaction.RULES`); where others hold now, it is done again.
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
    lifted_at: datetime | None = None
    lift_reason: str = ""
    rules: str = ""

    @property
    def is_company(self) -> bool:
        return self.subject == self.company_id

    @property
    def is_finished(self) -> bool:
        return set(STEPS) <= set(self.done)

    def trace(self, text: str) -> str:
        """The hash of a text with this tombstone's salt, ignoring case, accents, punctuation and blanks."""
        plain = (hashed_form(text) or text).encode()
        return hashlib.sha256(self.salt.encode() + b":" + plain).hexdigest()[:32]


def hashed_form(text: str) -> str:
    """The form that stored hashes were made from: it stays, whatever names are compared by (`name_matching`)."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o").replace("æ", "ae"))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return re.sub(r"[^\w]+", " ", letters).strip()


class TombstoneStore:
    """The tombstones of one data root, in one small file."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def list_tombstones(self, market: str | None = None) -> tuple[Tombstone, ...]:
        """Tombstones in force, or those of one market, oldest first."""
        return tuple(stone for stone in self.all_tombstones(market) if stone.lifted_at is None)

    def all_tombstones(self, market: str | None = None) -> tuple[Tombstone, ...]:
        """Like `list_tombstones`, with lifted ones."""
        try:
            entries = json.loads(self._layout.tombstones_file.read_bytes())["erased"]
        except FileNotFoundError:
            return ()
        return tuple(made for entry in entries if (made := _parse_tombstone(entry)).market == (market or made.market))

    def add(self, tombstones: Iterable[Tombstone]) -> tuple[Tombstone, ...]:
        """Adds tombstones; an existing one is kept, with new traces added, unless it was lifted.

        If its releases were already cleaned, its erasure starts again, as data may have come back since.
        Returns the resulting tombstones of these subjects.
        """
        tombstones = tuple(tombstones)
        with self._locked_update() as known:
            for stone in tombstones:
                former = known.get(stone.subject)
                if former is None or former.lifted_at is not None:
                    known[stone.subject] = stone
                else:
                    known[stone.subject] = _merge_tombstones(former, stone)
            return tuple(known[stone.subject] for stone in tombstones)

    def lift(self, subjects: Iterable[str], at: datetime, reason: str) -> tuple[Tombstone, ...]:
        """Lifts tombstones: records of these subjects are accepted again. Returns them."""
        with self._locked_update() as known:
            for subject in (subjects := tuple(subjects)):
                known[subject] = replace(known[subject], lifted_at=at, lift_reason=reason)
            return tuple(known[subject] for subject in subjects)

    def restart_outdated(self, rules: str, market: str | None = None) -> tuple[Tombstone, ...]:
        """Starts erasures again that followed other rules than these: an upgrade erases what it has learned to erase.

        Returns their tombstones.
        """
        with self._locked_update() as known:
            outdated = [stone for stone in known.values() if _is_outdated(stone, rules, market)]
            for stone in outdated:
                known[stone.subject] = replace(stone, rules=rules, done=(), clean=None)
            return tuple(known[stone.subject] for stone in outdated)

    def record_step(self, subjects: Iterable[str], step: str) -> None:
        """Records that a step is done for some subjects."""
        with self._locked_update() as known:
            for subject in subjects:
                if step not in known[subject].done:
                    known[subject] = replace(known[subject], done=(*known[subject].done, step))

    def record_clean_release(self, subjects: Iterable[str], release: int) -> None:
        """Records the first release without some subjects, unless one is recorded."""
        with self._locked_update() as known:
            for subject in subjects:
                if known[subject].clean is None:
                    known[subject] = replace(known[subject], clean=release)

    def unfinished_tombstones(self, market: str | None = None) -> tuple[Tombstone, ...]:
        """Tombstones with unfinished steps."""
        return tuple(stone for stone in self.list_tombstones(market) if not stone.is_finished)

    def unreleased_subjects(self) -> ErasedSubjects:
        """Subjects that releases may still contain: the next one is written without them, and so is its past."""
        stones = [stone for stone in self.unfinished_tombstones() if RELEASE not in stone.done]
        return ErasedSubjects(
            frozenset(stone.subject for stone in stones if stone.is_company),
            frozenset(stone.subject for stone in stones if not stone.is_company),
        )

    def export_records(self, market: str) -> list[dict[str, Any]]:
        """The tombstones of a market as JSON, for replication."""
        return [atomic_files.json_fields(stone) for stone in self.all_tombstones(market)]

    def replace_records(self, market: str, records: Iterable[dict[str, Any]]) -> None:
        """Replaces the tombstones of a market by those of another machine."""
        with self._locked_update() as known:
            for subject in [stone.subject for stone in known.values() if stone.market == market]:
                del known[subject]
            known.update({stone.subject: stone for stone in map(_parse_tombstone, records)})

    @contextmanager
    def _locked_update(self) -> Iterator[dict[str, Tombstone]]:
        with exclusive_lock(self._layout, "erased", "the list of erased subjects", _WAIT_SECONDS):
            known = {stone.subject: stone for stone in self.all_tombstones()}
            before = dict(known)
            yield known
            if known != before:
                entries = [atomic_files.json_fields(stone) for stone in known.values()]
                atomic_files.write_json(self._layout.tombstones_file, {"erased": entries})


def _is_outdated(stone: Tombstone, rules: str, market: str | None) -> bool:
    return stone.lifted_at is None and stone.rules != rules and market in (None, stone.market)


def _merge_tombstones(former: Tombstone, stone: Tombstone) -> Tombstone:
    more = tuple(sorted({*former.traces, *stone.traces}))
    if RELEASE not in former.done:
        return replace(former, traces=more)
    return replace(former, traces=more, done=(), clean=None, rules=stone.rules)


def _parse_tombstone(entry: dict[str, Any]) -> Tombstone:
    instants = {name: datetime.fromisoformat(entry[name]) for name in ("at", "lifted_at") if entry.get(name)}
    lists = {name: tuple(entry[name]) for name in ("traces", "done")}
    return Tombstone(**{**entry, **instants, **lists})
