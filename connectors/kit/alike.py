"""Members of a zip that are as they were in the zip before it, by what both directories say of them.

Name, size and CRC-32 of the plain bytes: what reading a member would have checked. Does not belong here: whether
the one before was taken in (`pipelines`), or reading members (`archives`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from connectors.bodies import Former
from connectors.kit import zips
from connectors.kit.guarded import BROKEN, ArchiveError, seekable

_IN_MEMORY: Final = 1 << 24  # packed bytes of a stream that cannot be sought in

Mark = tuple[str, int, int]  # name, bytes, CRC-32


def mark(entry: zips.ZipInfo) -> Mark:
    """What a member is known by from one archive to the next."""
    return entry.orig_filename, entry.file_size, entry.CRC


def alike(entries: Iterable[zips.ZipInfo], former: Former | None) -> frozenset[Mark]:
    """Marks of the members that need not be read again.

    None of them where the archive before cannot be listed, and where a file has told of something since that the
    archive has no member for: nobody knows which one it concerns.
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
    """Members of the archive before whose name stands there once."""
    try:
        with seekable(former.open(), _IN_MEMORY) as stream:
            marks = [mark(entry) for entry in zips.directory(stream, "")]
    except (ArchiveError, *BROKEN):
        return frozenset()
    names = Counter(name for name, _, _ in marks)
    return frozenset(found for found in marks if names[found[0]] == 1)


def _plain(name: str) -> str:
    return PurePosixPath(name).name.lower()
