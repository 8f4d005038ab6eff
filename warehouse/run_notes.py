"""What runs of ingest tell of themselves, for who operates the service: one small file per run beside releases.

It stands with `freshness` beside the pointer, so that whoever reads releases reads it too, and a run that publishes
nothing is told of. Figures and reasons, no content: examples of signals and rejected records stay where they were
staged, because what stands here outlasts an erasure. Does not belong here: what a run tells (`pipelines.noting`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from warehouse import files
from warehouse.paths import Layout

KEPT: Final = 50
"""Runs; older ones are forgotten."""

Outcome = Literal["published", "unchanged", "held", "failed", "unfinished"]


@dataclass(frozen=True, slots=True)
class ReadNote:
    """What a run read of one dataset: records, those rejected, and things that a person should look at."""

    dataset: str
    rows: int
    rejected: int
    signals: int


@dataclass(frozen=True, slots=True)
class HeldNote:
    """A dataset that was not taken in: the guard, what it saw (figure or words) and what it allows."""

    dataset: str
    guard: str
    seen: float | str
    allowed: float | None


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """What stopped a market, or `release`, though nothing was held."""

    market: str
    message: str


@dataclass(frozen=True, slots=True)
class SignalNote:
    """So many occurrences of one thing that a person should look at, as a code that no list has."""

    dataset: str
    code: str
    subject: str
    count: int


@dataclass(frozen=True, slots=True)
class RunNote:
    """One run. `ended_at` None: it is under way, or its process ended without finishing it.

    seconds: by market, what its steps took from RAW to events; none of a run that Dagster started by itself.
    """

    batch: str
    markets: tuple[str, ...]
    began_at: datetime
    ended_at: datetime | None = None
    release: int | None = None
    events: Mapping[str, int] = field(default_factory=dict)
    read: tuple[ReadNote, ...] = ()
    held: tuple[HeldNote, ...] = ()
    errors: tuple[ErrorNote, ...] = ()
    signals: tuple[SignalNote, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """The one word for it: what asks for a person comes first."""
        if self.errors:
            return "failed"
        if self.ended_at is None:
            return "unfinished"
        if self.held:
            return "held"
        return "unchanged" if self.release is None else "published"


def write(layout: Layout, note: RunNote) -> None:
    """Notes a run, in place of what was noted of it before; the oldest runs beyond those kept are forgotten."""
    value = asdict(note)
    value["began_at"] = note.began_at.isoformat()
    value["ended_at"] = None if note.ended_at is None else note.ended_at.isoformat()
    files.write_json(layout.run_notes / f"{note.batch}.json", value)
    for path in sorted(layout.run_notes.glob("*.json"))[:-KEPT]:
        path.unlink(missing_ok=True)  # another run may be forgetting it too


def read(layout: Layout) -> list[RunNote]:
    """The runs that are noted, newest first."""
    notes = []
    for path in sorted(layout.run_notes.glob("*.json"), reverse=True):
        try:
            notes.append(_note(json.loads(path.read_bytes())))
        except FileNotFoundError:  # a run has just forgotten it
            continue
    return notes


def _note(value: dict[str, Any]) -> RunNote:
    ended_at = value["ended_at"]
    return RunNote(
        batch=value["batch"],
        markets=tuple(value["markets"]),
        began_at=datetime.fromisoformat(value["began_at"]),
        ended_at=None if ended_at is None else datetime.fromisoformat(ended_at),
        release=value["release"],
        events=value["events"],
        read=tuple(ReadNote(**one) for one in value["read"]),
        held=tuple(HeldNote(**one) for one in value["held"]),
        errors=tuple(ErrorNote(**one) for one in value["errors"]),
        signals=tuple(SignalNote(**one) for one in value["signals"]),
        seconds=value.get("seconds", {}),  # earlier editions noted none
    )
