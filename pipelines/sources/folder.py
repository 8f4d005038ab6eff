"""Assigns the files of a folder to datasets, with the instant each was observed and whether it is complete.

Layout: `<cc>/<dataset…>/…` below one folder, with an optional `day.json` next to the `<cc>` folders (`{"date" or
"observed_at", "complete": [dataset keys]}`); or several such folders named YYYY-MM-DD. Next to the markets' folders
may be those of source groups (`connectors.contract.shared_folders`), which several markets read; a dataset may read
another market's folder too (`Dataset.foreign_patterns`). Does not belong here: reading a file further than its first
bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import NotApplicable, Scope
from connectors.contract.shared_folders import SharedFolder
from warehouse.schema.markets import MARKETS

HEAD: Final = 64 * 1024
DAY_FILE: Final = "day.json"
_NOT_READ: Final = "no dataset reads files of this name"
_NOT_SERVED: Final = "the market is announced, not served yet: its files are not read"
_STRAY: Final = "no market or source group has this name: its files are not read"
_DAY_FIELDS: Final = frozenset({"date", "observed_at", "complete"})
_DAY_NAME: Final = re.compile(r"\d{4}-\d{2}-\d{2}")

Found = TypeVar("Found")


class FolderError(ValueError):
    """A folder that cannot be ingested; the message says which and what was expected."""


@dataclass(frozen=True, slots=True)
class DayFolder:
    """One folder with `<cc>` folders in it. `prefix` is put before file names in reports."""

    directory: Path
    prefix: str
    observed_at: datetime | None
    complete: frozenset[str]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file: `name` below the day's folder; the dataset that reads it, or the reason why none does."""

    path: Path
    name: str
    display_name: str
    dataset: str | None
    reason: str | None
    scope: Scope
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """All files of one jurisdiction in one day's folder."""

    entries: tuple[FileEntry, ...]

    def of(self, dataset: str) -> Iterator[FileEntry]:
        """The files one dataset reads, oldest first."""
        found = [entry for entry in self.entries if entry.dataset == dataset]
        return iter(sorted(found, key=lambda entry: (entry.observed_at, entry.name)))


def list_day_folders(directory: Path) -> list[DayFolder]:
    """The day folders of a folder, oldest first; the folder itself if it has none."""
    if not directory.is_dir():
        raise FolderError(f"{directory} is not a folder: give the folder with the market folders")
    named = sorted(path for path in directory.iterdir() if path.is_dir() and _DAY_NAME.fullmatch(path.name))
    if not named:
        return [_read_day_folder(directory, "")]
    return [_read_day_folder(path, f"{path.name}/") for path in named]


def _read_day_folder(directory: Path, prefix: str) -> DayFolder:
    path = directory / DAY_FILE
    try:
        said: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return DayFolder(directory, prefix, _parse_observed_at(said), _parse_complete(said))
    except (ValueError, TypeError, AttributeError) as error:
        due = '{"date" or "observed_at", "complete": [dataset keys]}'
        raise FolderError(f"{path}: {error}; expected {due}") from error


def _parse_complete(said: dict[str, Any]) -> frozenset[str]:
    if unknown := sorted(said.keys() - _DAY_FIELDS):
        raise ValueError(f"unknown field {', '.join(unknown)}")
    complete = said.get("complete", [])
    if not isinstance(complete, list) or not all(isinstance(key, str) for key in complete):
        raise TypeError(f"complete is {complete!r}")
    return frozenset(complete)


def _parse_observed_at(said: dict[str, Any]) -> datetime | None:
    if said.get("observed_at") is not None:
        instant = datetime.fromisoformat(said["observed_at"])
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    if said.get("date") is not None:
        return datetime.combine(date.fromisoformat(said["date"]), time(), UTC)
    return None


def require_known_names(
    directory: Path, days: Iterable[DayFolder], datasets: Collection[str], codes: Collection[str]
) -> None:
    """Raises FolderError if a `day.json` names an unknown dataset, or market folders lie beside day folders.

    datasets: all keys; codes: names of the folders of markets and source groups.
    """
    for day in days:
        for key in sorted(day.complete - set(datasets)):
            near = get_close_matches(key, sorted(datasets), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise FolderError(f"{day.directory / DAY_FILE}: complete names {key}, which is no dataset{hint}")
        beside = [code for code in sorted(codes) if day.directory != directory and (directory / code).is_dir()]
        if beside:
            raise FolderError(
                f"{directory} has day folders ({day.directory.name}) and, beside them, {', '.join(beside)}, which "
                "would not be read: move these into the folder of their day"
            )


def has_files_of(days: Iterable[DayFolder], codes: Iterable[str]) -> bool:
    """True if any day has a file in the folder of one of these markets or source groups."""
    folders = [day.directory / code for day in days for code in codes]
    return any(path.is_file() for folder in folders for path in folder.rglob("*"))


def stray_folders(day: DayFolder, codes: Collection[str]) -> list[FileEntry]:
    """An entry for each folder that belongs to no market and no source group: a misspelled name, mostly."""
    never = datetime.min.replace(tzinfo=UTC)
    return [
        FileEntry(path, path.name, f"{day.prefix}{path.name}/", None, _STRAY, Scope.PART, never)
        for path in sorted(day.directory.iterdir())
        if path.is_dir() and path.name not in codes and not path.name.startswith(".")
    ]


def plan_files(
    day: DayFolder,
    jurisdiction: Jurisdiction,
    at: datetime,
    groups: tuple[SharedFolder, ...] = (),
    *,
    includes_market_folders: bool = True,
) -> FolderPlan:
    """Assigns every file of a jurisdiction to the dataset with the most specific matching pattern.

    groups: source groups to search for this jurisdiction too. own: whether to search its own folder.
    """
    entries = [entry for group in groups for entry in _plan_group_files(day, jurisdiction, at, group)]
    root = day.directory / jurisdiction.code.lower()
    for path in _list_files(root) if includes_market_folders else ():
        inside = path.relative_to(root).as_posix()
        dataset = _dataset_for(jurisdiction, inside)
        reason = _NOT_READ if jurisdiction.datasets else _NOT_SERVED
        entries.append(_file_entry(day, path, inside, at, dataset, reason))
    if includes_market_folders:
        entries += _plan_foreign_files(day, jurisdiction, at)
    return FolderPlan(tuple(entries))


def _plan_foreign_files(day: DayFolder, jurisdiction: Jurisdiction, at: datetime) -> Iterator[FileEntry]:
    """Files of other markets' folders that a dataset reads too; files that it cannot read are reported there."""
    patterns = frozenset(pattern for dataset in jurisdiction.datasets for pattern in dataset.foreign_patterns)
    for code in MARKETS if patterns else ():
        root = day.directory / code.lower()
        for path in _list_files(root) if code != jurisdiction.code else ():
            inside = path.relative_to(root).as_posix()
            dataset = _dataset_for(jurisdiction, inside, patterns)
            entry = None if dataset is None else _file_entry(day, path, inside, at, dataset, _NOT_READ)
            if entry is not None and entry.dataset is not None:
                yield entry


def _list_files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file()) if root.is_dir() else []


def _plan_group_files(
    day: DayFolder, jurisdiction: Jurisdiction, at: datetime, group: SharedFolder
) -> Iterator[FileEntry]:
    """A group's files that datasets of this jurisdiction read, and those that no dataset reads."""
    root = day.directory / group.code
    for path in _list_files(root):
        inside = path.relative_to(root).as_posix()
        unread = _most_specific_match(inside, group.unread)
        dataset = _dataset_for(jurisdiction, inside, group.patterns) if unread is None else None
        if dataset is not None:
            yield _file_entry(day, path, inside, at, dataset, _NOT_READ)
        elif unread is not None or not any(matches_pattern(inside, pattern) for pattern in group.patterns):
            yield _file_entry(day, path, inside, at, None, unread or _NOT_READ)


def _file_entry(
    day: DayFolder, path: Path, inside: str, at: datetime, dataset: Dataset | None, reason: str
) -> FileEntry:
    """`inside`: path of the file below the market's or the group's folder."""
    name = path.relative_to(day.directory).as_posix()
    shown = day.prefix + name
    observed_at = day.observed_at or at
    if dataset is None:
        return FileEntry(path, name, shown, None, reason, Scope.PART, observed_at)
    with path.open("rb") as body:
        found = dataset.recognise_file(inside, body.read(HEAD))
    if isinstance(found, NotApplicable):
        return FileEntry(path, name, shown, None, found.reason, Scope.PART, observed_at)
    # a sample must not delete the records it lacks: only the folder's `day.json` makes a file complete
    scope = Scope.FULL if dataset.key in day.complete else found.scope
    scope = Scope.PART if scope is Scope.FULL and dataset.key not in day.complete else scope
    return FileEntry(path, name, shown, dataset.key, None, scope, found.observed_at or observed_at)


def _dataset_for(jurisdiction: Jurisdiction, inside: str, among: frozenset[str] | None = None) -> Dataset | None:
    """The dataset with the most specific matching pattern; `among`: the patterns that count, all by default."""
    matches = [
        (_specificity(pattern), dataset)
        for dataset in jurisdiction.datasets
        for pattern in dataset.file_patterns
        if (among is None or pattern in among) and matches_pattern(inside, pattern)
    ]
    return max(matches, key=lambda match: match[0])[1] if matches else None


def _most_specific_match(inside: str, patterns: Mapping[str, Found]) -> Found | None:
    """The value of the most specific matching pattern."""
    fitting = [pattern for pattern in patterns if matches_pattern(inside, pattern)]
    return patterns[max(fitting, key=_specificity)] if fitting else None


def matches_pattern(path_in_folder: str, pattern: str) -> bool:
    """Matches a path: `*` stays in a folder, `**` crosses folders; without `/` only the file name is matched."""
    if "/" not in pattern:
        return fnmatchcase(PurePosixPath(path_in_folder).name, pattern)
    return _parts_match(path_in_folder.split("/"), pattern.split("/"))


def _parts_match(parts: list[str], patterns: list[str]) -> bool:
    if not patterns:
        return not parts
    if patterns[0] == "**":
        return any(_parts_match(parts[skip:], patterns[1:]) for skip in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], patterns[0]) and _parts_match(parts[1:], patterns[1:])


def _specificity(pattern: str) -> tuple[int, int]:
    """Sort key: more literal characters first, then fewer wildcards."""
    wild = sum(pattern.count(sign) for sign in "*?[")
    return len(pattern) - wild, -wild
