"""Where bodies come from: a folder of files, or the registries themselves.

Belongs here: turning a place into arrivals, each with the instant it was observed and what absence means.
Does not belong here: how a folder's files are told apart (`folders`), a registry's addresses and formats
(`connectors`), or keeping the bodies (`stages.raw`).
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
    """A place at one instant, and what it holds that no dataset reads."""

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        """The files of a jurisdiction, read or not; none where bodies do not come as files."""
        ...


class Origin(Protocol):
    """A place to ingest from."""

    @property
    def asks(self) -> bool:
        """Whether subjects can be asked for one by one."""
        ...

    def rounds(self) -> Iterable[Origin]:
        """The ingests this place is made of, in order: usually itself alone."""
        ...

    def open(self, at: datetime) -> Opened:
        """The place as it is at an instant."""
        ...


@dataclass(frozen=True)
class Folder:
    """Files laid out `<cc>/<dataset>/…`, as if just fetched; or folders of these by day, each a round.

    groups: source groups whose folders are taken too. own: whether the markets' own folders are.
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
            raise ValueError(f"{self.directory} holds several days: ingest its rounds, one by one")
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
        """What was found is kept: every step of a run opens the day, and they all mean the same files."""
        if at not in self._opened:
            self._opened[at] = _OpenDay(self, at)
        return self._opened[at]


class _OpenDay:
    def __init__(self, place: _OneDay, at: datetime) -> None:
        self._place = place
        self._at = at
        self._plans: dict[str, Plan] = {}

    def plan_for(self, jurisdiction: Jurisdiction) -> Plan:
        """Which dataset reads which file of a jurisdiction."""
        if jurisdiction.code not in self._plans:
            place = self._place
            self._plans[jurisdiction.code] = plan(
                place.day, jurisdiction, self._at, place.groups, own=place.own
            )
        return self._plans[jurisdiction.code]

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        return self.plan_for(jurisdiction).entries

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
        del after, subjects  # a folder has no memory and answers no questions
        for made in self._plans.values():
            for entry in made.of(dataset.key):
                with entry.path.open("rb") as body:
                    yield Arrival(entry.name, body, entry.scope, entry.observed_at)


@dataclass(frozen=True)
class Live:
    """The registries, or whatever answers at the addresses that `http` puts in their place."""

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
            # known since the fetch, whatever the file says of its own age; one fetch is one instant, so
            # that what arrives together is known together
            yield replace(arrival, observed_at=self.at)
