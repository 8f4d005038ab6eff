"""What the names of Companies House files say, and the members of its zips.

One edition is everything of one date. Only a file that calls itself the whole register is FULL; a numbered
part is PART, since no part knows whether its siblings arrived, and a missing part must not dissolve its
companies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from connectors.declare import Piece, Recognised, Scope, Unreadable
from connectors.kit import staged

_DATE: Final = re.compile(r"(?<!\d)(20\d\d)(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")
_WHOLE: Final = re.compile(
    r"^(?:BasicCompanyDataAsOneFile-\d{4}-\d\d-\d\d|persons-with-significant-control-snapshot-\d{4}-\d\d-\d\d)\.\w+$",
    re.IGNORECASE,
)


def edition_date(name: str) -> datetime | None:
    """First instant of the date in a file name: `2018-11` is 1 November, `2022` 1 January."""
    found = _DATE.search(basename(name))
    if found is None:
        return None
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def basename(name: str) -> str:
    """Last segment of a path or of a member's name."""
    return re.split(r"[/\\!]", name)[-1]


def is_whole(name: str) -> bool:
    """Whether a file's name says that it is the whole register."""
    return _WHOLE.match(basename(name)) is not None


def named_edition(name: str) -> Recognised:
    """Observation and scope as the file's name gives them."""
    return Recognised(edition_date(name), Scope.FULL if is_whole(name) else Scope.PART)


def members_of(piece: Piece, keep: Callable[[str], bool], due: str) -> Iterator[Piece]:
    """The members that are wanted; an archive without any is no empty edition but Unreadable."""
    found = False
    for member in staged.members(piece, keep=keep):
        found = True
        yield member
    if not found:
        raise Unreadable(piece.dataset, piece.name, f"an archive without {due}")
