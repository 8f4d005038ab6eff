"""Sources of an ingest: a folder of files, or the live registries.

Belongs here: turning a source into arrivals, each with the instant it was observed and its scope (what
absence means). Does not belong here: assigning a folder's files to datasets (`folders`), a registry's
addresses and formats (`connectors`), or storing the bodies (`stages.raw`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from connectors import declare
from connectors.declare import Arrival, Cursor, Dataset, Jurisdiction
from connectors.groups import Group
from connectors.kit.http import Http
from pipelines.folders import Day, FileEntry, Plan, days, plan


class Opened(declare.Origin, Protocol):
    """A source opened at one instant, including files that no dataset reads."""

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        """The files of a jurisdiction, read or not; empty if bodies do not come as files."""
        ...


class Origin(Protocol):
    """A source to ingest from."""

    @property
    def asks(self) -> bool:
        """True if subjects can be requested one by one."""
        ...

    def rounds(self) -> Iterable[Origin]:
        """The ingests this source consists of, in order: usually itself alone."""
        ...

    def open(self, at: datetime) -> Opened:
        """Opens the source as of an instant."""
        ...


@dataclass(frozen=True)
class Folder:
    """Files laid out `<cc>/<dataset>/…`, as if just fetched; or folders of these by day, each a round.

    groups: source groups to ingest too. own: whether the markets' own folders are.
    """

    directory: Path
    groups: tuple[Group, ...] = ()
    own: bool = True

    @property
    def asks(self) -> bool:
        return False

    def rounds(self) -> Iterable[Origin]:
        return [_OneDay(day, self.groups, self.own) for day in days(self.directory)]

    def open(self, at: datetime) -> Opened:
        first, *more = days(self.directory)
        if more:
            raise ValueError(f"{self.directory} holds several days: ingest them one by one")
        return _OneDay(first, self.groups, self.own).open(at)


@dataclass(frozen=True)
class _OneDay:
    day: Day
    groups: tuple[Group, ...]
    own: bool
    _opened: dict[datetime, _OpenDay] = field(default_factory=dict, compare=False, repr=False)

    @property
    def asks(self) -> bool:
        return False

    def rounds(self) -> Iterable[Origin]:
        return [self]

    def open(self, at: datetime) -> Opened:
        """Cached, so that every step of a run sees the same files."""
        if at not in self._opened:
            self._opened[at] = _OpenDay(self, at)
        return self._opened[at]


class _OpenDay:
    def __init__(self, place: _OneDay, at: datetime) -> None:
        self._place = place
        self._at = at
        self._plans: dict[str, Plan] = {}

    def plan_for(self, jurisdiction: Jurisdiction) -> Plan:
        """Assignment of a jurisdiction's files to datasets."""
        if jurisdiction.code not in self._plans:
            place = self._place
            self._plans[jurisdiction.code] = plan(
                place.day, jurisdiction, self._at, place.groups, own=place.own
            )
        return self._plans[jurisdiction.code]

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        return self.plan_for(jurisdiction).entries

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
        del after, subjects  # a folder has no cursor and cannot look up subjects
        for made in self._plans.values():
            for entry in made.of(dataset.key):
                with entry.path.open("rb") as body:
                    yield Arrival(entry.name, body, entry.scope, entry.observed_at)


@dataclass(frozen=True)
class Live:
    """The live registries, or whatever answers at the addresses that `http` substitutes for them."""

    http: Http

    @property
    def asks(self) -> bool:
        return True

    def rounds(self) -> Iterable[Origin]:
        return [self]

    def open(self, at: datetime) -> Opened:
        return _OpenLive(self.http, at)


@dataclass(frozen=True)
class _OpenLive:
    http: Http
    at: datetime

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        del jurisdiction
        return ()

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
        if dataset.fetch is None:
            return
        for arrival in dataset.fetch(self.http, after, subjects):
            # known since the fetch, whatever the age of the file; one fetch is one instant, so that records
            # arriving together are known together
            yield replace(arrival, observed_at=self.at)
