"""Safe reading of zip, gzip and tar: no file is written to disk under a name taken from an archive.

An archive that cannot be listed raises ArchiveError; an untrustworthy member (hostile name, link, encrypted,
over a cap, wrong checksum, truncated) raises it when opened or read, so that one bad member among 49,000 does
not stop the rest. Members are openables: small ones carry their packed bytes, large ones open the archive
again, so they can be passed to another process whenever the archive's own `open` can.

Does not belong here: which members a dataset reads, and the zip format itself (`zip`).
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from tarfile import HeaderError, ReadError
from typing import BinaryIO, Final, Self

from connectors.contract.pieces import PreviousArchive
from connectors.kit.archive import zip as archive_zip
from connectors.kit.archive.bounded_stream import (
    DECODER_ERRORS,
    ArchiveError,
    bounded_stream,
    make_seekable,
    raise_archive_error,
)
from connectors.kit.archive.unchanged_members import member_fingerprint, unchanged_members
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format

MOST: Final = 1024  # characters
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def unsafe_reason(name: str) -> str | None:
    """Why a member of this name is not read, or None."""
    if not name or len(name) > MOST:
        return "a name that is empty or too long"
    if _CONTROL.search(name):
        return "a name with control characters"
    flat = name.replace("\\", "/")
    if flat.startswith("/") or _DRIVE.match(flat):
        return "an absolute path"
    if ".." in flat.split("/"):
        return "a path that climbs out of the archive"
    return None


__all__ = [
    "LIMITS",
    "ArchiveError",
    "ArchiveLimits",
    "BodyFormat",
    "PackedMember",
    "archive_members",
    "detect_body_format",
    "open_gunzipped",
]

Open = Callable[[], BinaryIO]

_GIB: Final = 1 << 30
_MIB: Final = 1 << 20
IN_MEMORY: Final = 16 * _MIB  # packed bytes up to which a member is kept in memory
RATIO_FROM: Final = 64 * _MIB
_ARCHIVE_NAMES: Final = (".zip", ".xbri")  # members that may be archives; their bytes decide


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Caps on unpacked sizes. `ratio` (unpacked : packed) is checked on members above 64 MiB only."""

    members: int = 500_000
    member_bytes: int = 16 * _GIB
    total_bytes: int = 128 * _GIB
    ratio: int = 200


LIMITS: Final = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class PackedMember:
    """One file in an archive. If it is bad, `open` or reading raises ArchiveError."""

    name: str
    size: int | None
    open: Open


@dataclass(slots=True)
class _ArchiveWalk:
    """State of one walk through an archive and nested ones: bytes and members counted, names yielded."""

    limits: ArchiveLimits
    keep: Callable[[str], bool] | None
    spent: int = 0
    count: int = 0
    names: Counter[str] = field(default_factory=Counter)

    def spend(self, archive: str, files: int, size: int) -> None:
        self.count += files
        self.spent += size
        if self.count > self.limits.members:
            raise ArchiveError(archive, None, f"more than {self.limits.members} members")
        if self.spent > self.limits.total_bytes:
            raise ArchiveError(archive, None, f"unpacks to more than {self.limits.total_bytes} bytes")

    def wants(self, name: str) -> bool:
        return self.keep is None or self.keep(name)

    def unique(self, name: str) -> str:
        """Adds `~2`, `~3`, … to repeated names: archives may hold a name twice; a pointer into RAW must not."""
        self.names[name] += 1
        return name if self.names[name] == 1 else f"{name}~{self.names[name]}"


def archive_members(
    open_: Open,
    name: str,
    *,
    keep: Callable[[str], bool] | None = None,
    nested: int = 1,
    limits: ArchiveLimits = LIMITS,
    previous_archive: PreviousArchive | None = None,
) -> Iterator[PackedMember]:
    """Files of a zip, a tar or a gzip, in the archive's order; directories are left out.

    keep: which names to yield. nested: levels of zips inside zips that are opened, joined `outer.zip!/inner`.
    previous_archive: previous archive; unchanged members of a zip are left out (`unchanged_members`).
    """
    walk = _ArchiveWalk(limits, keep)
    found = _detect_format(open_)
    if found is BodyFormat.ZIP:
        yield from _zip_members(walk, open_, name, "", nested, previous_archive)
    elif found is BodyFormat.TAR or (found is BodyFormat.GZIP and is_gzipped_tar(open_, name, limits)):
        yield from _tar_members(walk, open_, name)
    elif found is BodyFormat.GZIP:
        yield PackedMember(name.removesuffix(".gz"), None, partial(open_gunzipped, open_, name, limits))
    else:
        raise ArchiveError(name, None, f"no archive: the bytes are {found.value}")


def open_gunzipped(open_: Open, name: str, limits: ArchiveLimits = LIMITS) -> BinaryIO:
    """The plain bytes: gunzipped if gzip, otherwise unchanged. Reading raises ArchiveError."""
    stream = open_()
    if isinstance(stream, io.BufferedReader):
        head = stream.peek(HEAD)  # peeked, so that the stream is opened once
    else:
        head = stream.read(HEAD)
        if stream.seekable():
            stream.seek(0)
        else:
            stream.close()
            stream = open_()
    if detect_body_format(head[:HEAD]) is not BodyFormat.GZIP:
        return stream
    return bounded_stream(gzip.GzipFile(fileobj=stream, mode="rb"), name, None, limits.member_bytes, owned=stream)


def _detect_format(open_: Open) -> BodyFormat:
    with open_() as stream:
        return detect_body_format(stream.read(HEAD))


def is_gzipped_tar(open_: Open, name: str, limits: ArchiveLimits = LIMITS) -> bool:
    """True if a gzip is a packed tar. A damaged one counts as a plain file; reading it reports the damage."""
    try:
        with open_gunzipped(open_, name, limits) as stream:
            return detect_body_format(stream.read(HEAD)) is BodyFormat.TAR
    except ArchiveError:
        return False


def _zip_members(
    walk: _ArchiveWalk, open_: Open, archive: str, prefix: str, nested: int, former: PreviousArchive | None = None
) -> Iterator[PackedMember]:
    with make_seekable(open_(), IN_MEMORY) as stream:
        entries = archive_zip.zip_entries(stream, archive)
        walk.spend(archive, len(entries), sum(entry.file_size for entry in entries))
        known = unchanged_members(entries, former)
        for entry in entries:
            name = walk.unique(prefix + entry.filename)
            if not walk.wants(name) and not (nested > 0 and name.lower().endswith(_ARCHIVE_NAMES)):
                continue  # not opened: reading a few members must not cost the whole archive
            if member_fingerprint(entry) in known:
                continue
            reason = _reject_reason(entry, walk.limits)
            if reason is not None:
                opener: Open = partial(raise_archive_error, archive, name, reason)
            elif entry.compress_size <= IN_MEMORY:
                opener = archive_zip.in_memory_opener(stream, entry, archive, name)
            else:
                opener = partial(archive_zip.seeking_opener, open_, entry, archive, name)
            yield from _nested_members(walk, PackedMember(name, entry.file_size, opener), nested)


def _reject_reason(entry: archive_zip.ZipInfo, limits: ArchiveLimits) -> str | None:
    if entry.file_size > limits.member_bytes:
        return f"unpacks to {entry.file_size} bytes, more than {limits.member_bytes}"
    if entry.file_size > RATIO_FROM and entry.file_size > limits.ratio * entry.compress_size:
        return f"unpacks {entry.compress_size} to {entry.file_size} bytes: a bomb"
    return unsafe_reason(entry.orig_filename) or archive_zip.unsupported_reason(entry)


def _nested_members(walk: _ArchiveWalk, member: PackedMember, nested: int) -> Iterator[PackedMember]:
    if nested > 0 and member.name.lower().endswith(_ARCHIVE_NAMES):
        try:
            if _detect_format(member.open) is BodyFormat.ZIP:
                yield from _zip_members(walk, member.open, member.name, f"{member.name}!/", nested - 1)
                return
        except ArchiveError as error:
            # A bad inner archive is one bad member of the outer one, which goes on.
            inner = PackedMember(
                member.name, member.size, partial(raise_archive_error, member.name, error.member, error.reason)
            )
            yield from [inner] if walk.wants(member.name) else []
            return
    if walk.wants(member.name):
        yield member


class _TarEntry(tarfile.TarInfo):
    """A tar header that distinguishes a file truncated between two members from a complete tar."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":  # the end mark
                raise
            # tarfile takes any other error as the end too, once it has read a member.
            raise ReadError(f"it ends without its end mark ({error})") from None


def _tar_members(walk: _ArchiveWalk, open_: Open, archive: str) -> Iterator[PackedMember]:
    try:
        with (
            open_gunzipped(open_, archive, walk.limits) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarEntry) as tar,
        ):
            for entry in tar:
                if entry.isdir():
                    continue
                walk.spend(archive, 1, entry.size)
                name = walk.unique(entry.name)
                if walk.wants(name):
                    yield PackedMember(name, entry.size, _tar_opener(tar, entry, name, open_, archive, walk.limits))
    except (tarfile.TarError, *DECODER_ERRORS) as error:
        raise ArchiveError(archive, None, f"truncated or damaged tar: {error}") from error


def _tar_opener(
    tar: tarfile.TarFile, entry: tarfile.TarInfo, name: str, open_: Open, archive: str, limits: ArchiveLimits
) -> Open:
    reason = unsafe_reason(entry.name) or (None if entry.isreg() else "a link or device, not a file")
    if entry.size > limits.member_bytes:
        reason = f"unpacks to {entry.size} bytes, more than {limits.member_bytes}"
    if reason is not None:
        return partial(raise_archive_error, archive, name, reason)
    if entry.size > IN_MEMORY:
        return partial(_reopen_tar_member, open_, archive, entry.offset, name, limits)
    body = tar.extractfile(entry)
    data = b"" if body is None else body.read()
    if len(data) != entry.size:
        return partial(raise_archive_error, archive, name, f"cut off after {len(data)} of {entry.size} bytes")
    return partial(io.BytesIO, data)


def _reopen_tar_member(open_: Open, archive: str, offset: int, name: str, limits: ArchiveLimits) -> BinaryIO:
    stream = open_gunzipped(open_, archive, limits)
    try:
        tar = tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarEntry)  # noqa: SIM115 - closed with the member's stream
        for entry in tar:
            if entry.offset == offset and (body := tar.extractfile(entry)) is not None:
                return bounded_stream(body, archive, name, limits.member_bytes, owned=stream)
    except (tarfile.TarError, *DECODER_ERRORS) as error:
        raise ArchiveError(archive, name, f"truncated or damaged tar: {error}") from error
    raise ArchiveError(archive, name, "the archive no longer holds it")
