"""Sources of an ingest: a folder of files, or the live registries.

Belongs here: turning a source into arrivals, each with the instant it was observed and its scope (what
absence means). Does not belong here: assigning a folder's files to datasets (`folder`), a registry's
addresses and formats (`connectors`), or storing the bodies (`steps.fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

import connectors
from connectors.contract import dataset as contract_dataset
from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import Cursor, FetchedFile
from connectors.contract.shared_folders import SharedFolder
from connectors.kit.http.client import HttpClient
from pipelines.sources.folder import (
    DayFolder,
    FileEntry,
    FolderPlan,
    has_files_of,
    list_day_folders,
    plan_files,
    require_known_names,
    stray_folders,
)


class OpenedSource(contract_dataset.FileSource, Protocol):
    """A source opened at one instant, including files that no dataset reads."""

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        """The files of a jurisdiction, read or not; empty if bodies do not come as files."""
        ...


class IngestSource(Protocol):
    """A source to ingest from."""

    @property
    def supports_lookups(self) -> bool:
        """True if subjects can be requested one by one."""
        ...

    @property
    def is_shareable(self) -> bool:
        """True if several processes may read it in parallel: each gets a copy."""
        ...

    def validate(self, jurisdictions: Iterable[Jurisdiction]) -> None:
        """Raises FolderError if it names what neither these markets nor the connectors declare."""
        ...

    def sub_sources(self) -> Iterable[IngestSource]:
        """The ingests this source consists of, in order: usually itself alone."""
        ...

    def open(self, at: datetime) -> OpenedSource:
        """Opens the source as of an instant."""
        ...


@dataclass(frozen=True)
class FolderSource:
    """Files laid out `<cc>/<dataset>/…`, as if just fetched; or folders of these by day, each a round.

    groups: source groups to ingest too. includes_market_folders: whether the markets' own folders are.
    """

    directory: Path
    groups: tuple[SharedFolder, ...] = ()
    includes_market_folders: bool = True

    @property
    def supports_lookups(self) -> bool:
        return False

    @property
    def is_shareable(self) -> bool:
        return True

    def validate(self, jurisdictions: Iterable[Jurisdiction]) -> None:
        known = [*jurisdictions, *connectors.JURISDICTIONS]
        datasets = {dataset.key for made in known for dataset in made.datasets}
        require_known_names(self.directory, list_day_folders(self.directory), datasets, _folder_names(known))

    def folder_names(self, markets: Iterable[str]) -> tuple[str, ...]:
        """Names of the folders that are read for these markets."""
        codes = [code.lower() for code in markets] if self.includes_market_folders else []
        return (*codes, *(group.code for group in self.groups))

    def has_files(self, markets: Iterable[str]) -> bool:
        """True if there is any file in these folders."""
        return has_files_of(list_day_folders(self.directory), self.folder_names(markets))

    def sub_sources(self) -> Iterable[IngestSource]:
        return [
            _DayFolderSource(day, self.groups, self.includes_market_folders) for day in list_day_folders(self.directory)
        ]

    def open(self, at: datetime) -> OpenedSource:
        first, *more = list_day_folders(self.directory)
        if more:
            raise ValueError(f"{self.directory} holds several days: ingest them one by one")
        return _DayFolderSource(first, self.groups, self.includes_market_folders).open(at)


@dataclass(frozen=True)
class _DayFolderSource:
    day: DayFolder
    groups: tuple[SharedFolder, ...]
    includes_market_folders: bool
    _opened: dict[datetime, _OpenedDayFolder] = field(default_factory=dict, compare=False, repr=False)

    @property
    def supports_lookups(self) -> bool:
        return False

    @property
    def is_shareable(self) -> bool:
        return True

    def validate(self, jurisdictions: Iterable[Jurisdiction]) -> None:
        """Its folder was validated with the others."""

    def sub_sources(self) -> Iterable[IngestSource]:
        return [self]

    def open(self, at: datetime) -> OpenedSource:
        """Cached, so that every step of a run sees the same files."""
        if at not in self._opened:
            self._opened[at] = _OpenedDayFolder(self, at)
        return self._opened[at]


class _OpenedDayFolder:
    def __init__(self, place: _DayFolderSource, at: datetime) -> None:
        self._place = place
        self._at = at
        self._plans: dict[str, FolderPlan] = {}

    def plan_for(self, jurisdiction: Jurisdiction) -> FolderPlan:
        """Assignment of a jurisdiction's files to datasets."""
        if jurisdiction.code not in self._plans:
            place = self._place
            self._plans[jurisdiction.code] = plan_files(
                place.day, jurisdiction, self._at, place.groups, includes_market_folders=place.includes_market_folders
            )
        return self._plans[jurisdiction.code]

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        strays = stray_folders(self._place.day, _folder_names([jurisdiction, *connectors.JURISDICTIONS]))
        return (*self.plan_for(jurisdiction).entries, *strays)

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        del after, subjects  # a folder has no cursor and cannot look up subjects
        for made in self._plans.values():
            for entry in made.of(dataset.key):
                with entry.path.open("rb") as body:
                    yield FetchedFile(entry.name, body, entry.scope, entry.observed_at)


@dataclass(frozen=True)
class LiveSource:
    """The live registries, or whatever answers at the addresses that `http` substitutes for them."""

    http: HttpClient

    @property
    def supports_lookups(self) -> bool:
        return True

    @property
    def is_shareable(self) -> bool:
        return False  # one process keeps the rate limits of the registries

    def validate(self, jurisdictions: Iterable[Jurisdiction]) -> None:
        """Nothing is named by an operator."""

    def sub_sources(self) -> Iterable[IngestSource]:
        return [self]

    def open(self, at: datetime) -> OpenedSource:
        return _OpenedLiveSource(self.http, at)


@dataclass(frozen=True)
class _OpenedLiveSource:
    http: HttpClient
    at: datetime

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        del jurisdiction
        return ()

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        if dataset.fetch is None:
            return
        for arrival in dataset.fetch(self.http, after, subjects):
            # known since the fetch, whatever the age of the file; one fetch is one instant, so that records
            # arriving together are known together
            yield replace(arrival, observed_at=self.at)


def _folder_names(jurisdictions: Iterable[Jurisdiction]) -> frozenset[str]:
    """Names of the folders that these markets and the source groups have."""
    return frozenset((*(made.code.lower() for made in jurisdictions), *(group.code for group in connectors.GROUPS)))
