"""Incidents, derived from the notes of runs: a dataset that was quarantined, a market whose runs failed.

An incident begins with the first run that reports it, and ends with the next complete run of its market that does not.
Belongs here: which notes an incident needs, so that the run log keeps them. Does not belong here: reading and writing
notes (`warehouse.release.run_log`), or what the public is shown of them (`api.public_pages.status_report`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from warehouse.release.run_log import RunNote

INCIDENT_DAYS: Final = 90
"""Days for which incidents can be shown after their end."""

_RELEASE: Final = "release"  # market of an error that stopped the publishing of all markets of a run
_Subject = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident of a market. `dataset` None: its run failed. `ended_at` None: it lasts.

    began_at, ended_at: when the first run with it began, and when the first complete run without it ended. first_batch,
    last_batch: those two runs.
    """

    market: str
    dataset: str | None
    began_at: datetime
    first_batch: str
    ended_at: datetime | None = None
    last_batch: str | None = None


def find_incidents(notes: Iterable[RunNote]) -> list[Incident]:
    """The incidents in notes of runs, in whatever order these come; those that began last come first.

    A run without an end (it is running, or its process died) and without an error says nothing.
    """
    lasting: dict[_Subject, Incident] = {}
    found: list[Incident] = []
    for note in sorted(notes, key=lambda one: one.batch):
        if note.ended_at is None and not note.errors:
            continue
        reported = _reported_subjects(note)
        for subject in reported - lasting.keys():
            lasting[subject] = Incident(*subject, note.began_at, note.batch)
        complete = set(note.markets) - _failed_markets(note)
        ended = [one for one in lasting if one not in reported and one[0] in complete]
        found += [replace(lasting.pop(one), ended_at=note.ended_at, last_batch=note.batch) for one in ended]
    found += lasting.values()
    return sorted(found, key=lambda one: (one.began_at, one.market, one.dataset or ""), reverse=True)


def incident_notes(notes: Sequence[RunNote]) -> set[str]:
    """Batches of the notes without which incidents of the last days would be lost, or begin or end at another time.

    With them one earlier note: the newest that is older than those days, or the oldest of all. Since that run the
    record of incidents is complete.
    """
    if not notes:
        return set()
    ordered = sorted(notes, key=lambda one: one.batch)
    since = ordered[-1].began_at - timedelta(days=INCIDENT_DAYS)
    earlier = [note for note in ordered if note.began_at <= since]
    kept = {(earlier or ordered[:1])[-1].batch}
    for incident in find_incidents(ordered):
        if incident.ended_at is None or incident.ended_at >= since:
            kept |= {incident.first_batch} | ({incident.last_batch} if incident.last_batch else set())
    return kept


def _reported_subjects(note: RunNote) -> set[_Subject]:
    reported: set[_Subject] = {(one.dataset.partition(".")[0].upper(), one.dataset) for one in note.held}
    reported.update((market, None) for market in _failed_markets(note))
    return reported


def _failed_markets(note: RunNote) -> set[str]:
    named = {error.market for error in note.errors}
    return set(note.markets) if _RELEASE in named else named & set(note.markets)
