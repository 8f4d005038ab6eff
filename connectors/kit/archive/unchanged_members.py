"""Finds zip members unchanged since the previous archive, comparing entries of both central directories.

Compared are name, size and CRC-32 of the plain bytes: what reading a member would have checked. Does not
belong here: whether the previous archive was ingested (`pipelines`), or reading members (`members`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import BinaryIO, Final

from connectors.contract.pieces import PreviousArchive
from connectors.kit.archive import zip as archive_zip
from connectors.kit.archive.bounded_stream import DECODER_ERRORS, ArchiveError, make_seekable

_IN_MEMORY: Final = 1 << 24  # packed bytes kept in memory for a stream that is not seekable

MemberFingerprint = tuple[str, int, int]  # name, bytes, CRC-32


def member_fingerprint(entry: archive_zip.ZipInfo) -> MemberFingerprint:
    """Identity of a member across archives."""
    return entry.orig_filename, entry.file_size, entry.CRC


def unchanged_members(
    entries: Iterable[archive_zip.ZipInfo], previous_archive: PreviousArchive | None
) -> frozenset[MemberFingerprint]:
    """Marks of the members that need not be read again.

    Empty if the previous archive cannot be listed, or if a file delivered since has a name that no member
    has: the member it concerns is then unknown.
    """
    if previous_archive is None:
        return frozenset()
    now = [(member_fingerprint(entry), _base_name(entry.filename)) for entry in entries]
    told = frozenset(map(_base_name, previous_archive.single_record_files))
    if not told <= {name for _, name in now}:
        return frozenset()
    names = Counter(name for (name, _, _), _ in now)
    before = _unique_fingerprints(previous_archive)
    return frozenset(found for found, name in now if found in before and names[found[0]] == 1 and name not in told)


def has_removed_members(archive: Callable[[], BinaryIO], previous_archive: Callable[[], BinaryIO]) -> bool:
    """True if an archive has no member of a name that the previous one has, or either cannot be listed."""
    try:
        with make_seekable(archive(), _IN_MEMORY) as now, make_seekable(previous_archive(), _IN_MEMORY) as before:
            names = {entry.orig_filename for entry in archive_zip.zip_entries(now, "")}
            return any(entry.orig_filename not in names for entry in archive_zip.zip_entries(before, ""))
    except (ArchiveError, *DECODER_ERRORS):
        return True


def _unique_fingerprints(former: PreviousArchive) -> frozenset[MemberFingerprint]:
    """Members of the previous archive with a name that occurs once."""
    try:
        with make_seekable(former.open(), _IN_MEMORY) as stream:
            marks = [member_fingerprint(entry) for entry in archive_zip.zip_entries(stream, "")]
    except (ArchiveError, *DECODER_ERRORS):
        return frozenset()
    names = Counter(name for name, _, _ in marks)
    return frozenset(found for found in marks if names[found[0]] == 1)


def _base_name(name: str) -> str:
    return PurePosixPath(name).name.lower()
