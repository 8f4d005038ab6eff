"""Parses Companies House file names and lists the members of its zips.

A snapshot is everything of one date. Only a file named as the whole register is FULL; a numbered part is PART,
since a part cannot prove that the others arrived, and a missing part must not mark its companies as dissolved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from connectors.contract.dataset import ArchiveMember, RecognisedFile, Scope, UnreadableFileError
from connectors.kit import staging

_DATE: Final = re.compile(r"(?<!\d)(20\d\d)(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")
_WHOLE: Final = re.compile(
    r"^(?:BasicCompanyDataAsOneFile-\d{4}-\d\d-\d\d|persons-with-significant-control-snapshot-\d{4}-\d\d-\d\d)\.\w+$",
    re.IGNORECASE,
)


def snapshot_date(name: str) -> datetime | None:
    """Start of the date in a file name: `2018-11` is 1 November, `2022` 1 January."""
    found = _DATE.search(basename(name))
    if found is None:
        return None
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def basename(name: str) -> str:
    """Last segment of a path or member name."""
    return re.split(r"[/\\!]", name)[-1]


def is_full_register(name: str) -> bool:
    """True if the file name denotes the whole register."""
    return _WHOLE.match(basename(name)) is not None


def recognise_by_name(name: str) -> RecognisedFile:
    """Observation time and scope from the file name."""
    return RecognisedFile(snapshot_date(name), Scope.FULL if is_full_register(name) else Scope.PART)


def split_required_members(piece: ArchiveMember, keep: Callable[[str], bool], expected: str) -> Iterator[ArchiveMember]:
    """Yields the members selected by `keep`; an archive without any is Unreadable, not an empty snapshot."""
    found = False
    for member in staging.split_archive(piece, keep=keep):
        found = True
        yield member
    if not found:
        raise UnreadableFileError(piece.dataset, piece.name, f"an archive without {expected}")
