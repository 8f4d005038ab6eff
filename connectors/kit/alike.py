"""Finds zip members unchanged since the previous archive, comparing entries of both central directories.

Compared are name, size and CRC-32 of the plain bytes: what reading a member would have checked. Does not
belong here: whether the previous archive was ingested (`pipelines`), or reading members (`archives`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from connectors.bodies import Former
from connectors.kit import zips
from connectors.kit.guarded import BROKEN, ArchiveError, seekable

_IN_MEMORY: Final = 1 << 24  # packed bytes kept in memory for a stream that is not seekable

Mark = tuple[str, int, int]  # name, bytes, CRC-32


def mark(entry: zips.ZipInfo) -> Mark:
    """Identity of a member across archives."""
    return entry.orig_filename, entry.file_size, entry.CRC


def alike(entries: Iterable[zips.ZipInfo], former: Former | None) -> frozenset[Mark]:
    """Marks of the members that need not be read again.

    Empty if the previous archive cannot be listed, or if a file delivered since has a name that no member
    has: the member it concerns is then unknown.
    """
    if former is None:
        return frozenset()
    now = [(mark(entry), _plain(entry.filename)) for entry in entries]
    told = frozenset(map(_plain, former.told))
    if not told <= {name for _, name in now}:
        return frozenset()
    names = Counter(name for (name, _, _), _ in now)
    before = _once(former)
    return frozenset(
        found for found, name in now if found in before and names[found[0]] == 1 and name not in told
    )


def _once(former: Former) -> frozenset[Mark]:
    """Members of the previous archive with a name that occurs once."""
    try:
        with seekable(former.open(), _IN_MEMORY) as stream:
            marks = [mark(entry) for entry in zips.directory(stream, "")]
    except (ArchiveError, *BROKEN):
        return frozenset()
    names = Counter(name for name, _, _ in marks)
    return frozenset(found for found in marks if names[found[0]] == 1)


def _plain(name: str) -> str:
    return PurePosixPath(name).name.lower()
