"""What an export of merged tables did, and how far a target is before and after it.

Does not belong here: rows (`release_rows`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MergeProgress = Callable[[str], None]  # called with the name of each table when it begins


class MergeRefusedError(RuntimeError):
    """The target cannot be brought to this release; the message says why and what to do. No row has changed."""


@dataclass(frozen=True, slots=True)
class MergePosition:
    """How far a target is: the release, its last event, and the fingerprints of its content and of its events."""

    release: int
    sequence: int
    content: str
    events: str


@dataclass(frozen=True, slots=True)
class MergedRows:
    """One table after an export: its rows, and how many of them this export wrote."""

    table: str
    rows: int
    written: int


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The tables of a target at one release. `is_new` False: it already had the release, and nothing was done.

    kept_by: after a rewrite, what keeps earlier rows readable all the same: tags and branches of others.
    """

    release: int
    sequence: int
    is_new: bool
    tables: tuple[MergedRows, ...]
    kept_by: tuple[str, ...] = ()


def ignore_table(_table: str) -> None:
    """A progress callback that does nothing."""
