"""Run log for operators: one small report per ingest run, stored next to the releases.

It is stored next to the pointer, like `freshness`, so that every reader of releases can read it, and runs that
publish nothing are reported too. It has figures and reasons, but no content: signal examples and rejected
records stay in STAGED, because run reports outlast an erasure. Does not belong here: collecting the report of a
run (`pipelines.reporting.run_log`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from warehouse.release.incidents import incident_notes
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

KEPT: Final = 50
"""Runs; older ones are forgotten, unless an incident of the last days began or ended with them."""

Outcome = Literal["published", "unchanged", "held", "failed", "unfinished"]


@dataclass(frozen=True, slots=True)
class ReadNote:
    """What a run read of one dataset: number of records, rejects, and signals for manual review."""

    dataset: str
    rows: int
    rejected: int
    signals: int


@dataclass(frozen=True, slots=True)
class QuarantineNote:
    """A quarantined dataset: the guard, the measured value (figure or text) and the allowed value."""

    dataset: str
    guard: str
    seen: float | str
    allowed: float | None


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """An error that stopped a market, or `release`, other than a quarantine."""

    market: str
    message: str


@dataclass(frozen=True, slots=True)
class SignalNote:
    """Number of occurrences of one signal for manual review, such as an unknown code."""

    dataset: str
    code: str
    subject: str
    count: int


@dataclass(frozen=True, slots=True)
class RunNote:
    """One run. `ended_at` None: it is running, or its process died.

    seconds: by market, duration from RAW to events; empty for a run that was started by Dagster. late: by dataset,
    number of late-arriving files, which announce no new filings or news.
    """

    batch: str
    markets: tuple[str, ...]
    began_at: datetime
    ended_at: datetime | None = None
    release: int | None = None
    events: Mapping[str, int] = field(default_factory=dict)
    read: tuple[ReadNote, ...] = ()
    held: tuple[QuarantineNote, ...] = ()
    errors: tuple[ErrorNote, ...] = ()
    signals: tuple[SignalNote, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    late: Mapping[str, int] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """The result in one word; results that need attention take precedence."""
        if self.errors:
            return "failed"
        if self.ended_at is None:
            return "unfinished"
        if self.held:
            return "held"
        return "unchanged" if self.release is None else "published"


def write_run_note(layout: Layout, note: RunNote) -> None:
    """Writes a run's report, replacing earlier versions of it.

    Deletes the reports before the `KEPT` newest, but those that tell of incidents of the last days
    (`warehouse.release.incidents`).
    """
    atomic_files.write_json(layout.run_log_folder / f"{note.batch}.json", atomic_files.json_fields(note))
    if len(paths := sorted(layout.run_log_folder.glob("*.json"))) > KEPT:
        needed = incident_notes(read_run_log(layout))
        for path in paths[:-KEPT]:
            if path.stem not in needed:
                path.unlink(missing_ok=True)  # another run may be deleting it too


def read_run_log(layout: Layout) -> list[RunNote]:
    """The reports of all runs, newest first."""
    notes = []
    for path in sorted(layout.run_log_folder.glob("*.json"), reverse=True):
        try:
            notes.append(_parse_note(json.loads(path.read_bytes())))
        except FileNotFoundError:  # just deleted by another run
            continue
    return notes


def last_runs(layout: Layout) -> dict[str, RunNote]:
    """The report of each market's last run."""
    return {market: note for note in reversed(read_run_log(layout)) for market in note.markets}


def _parse_note(value: dict[str, Any]) -> RunNote:
    ended_at = value["ended_at"]
    return RunNote(
        batch=value["batch"],
        markets=tuple(value["markets"]),
        began_at=datetime.fromisoformat(value["began_at"]),
        ended_at=None if ended_at is None else datetime.fromisoformat(ended_at),
        release=value["release"],
        events=value["events"],
        read=tuple(ReadNote(**one) for one in value["read"]),
        held=tuple(QuarantineNote(**one) for one in value["held"]),
        errors=tuple(ErrorNote(**one) for one in value["errors"]),
        signals=tuple(SignalNote(**one) for one in value["signals"]),
        seconds=value.get("seconds", {}),  # this and the next are missing in reports of earlier versions
        late=value.get("late", {}),
    )
