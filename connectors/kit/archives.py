"""Safe reading of zip, gzip and tar: no file is written to disk under a name taken from an archive.

An archive that cannot be listed raises ArchiveError; an untrustworthy member (hostile name, link, encrypted,
over a cap, wrong checksum, truncated) raises it when opened or read, so that one bad member among 49,000 does
not stop the rest. Members are openables: small ones carry their packed bytes, large ones open the archive
again, so they can be passed to another process whenever the archive's own `open` can.

Does not belong here: which members a dataset reads, and the zip format itself (`zips`).
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from tarfile import HeaderError, ReadError
from typing import BinaryIO, Final, Self

from connectors.bodies import Former
from connectors.kit import zips
from connectors.kit.alike import alike, mark
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.guarded import BROKEN, ArchiveError, guarded, refuse, seekable
from connectors.kit.names import trouble

__all__ = ["LIMITS", "ArchiveError", "Format", "Limits", "Member", "members", "plain", "sniff"]

Open = Callable[[], BinaryIO]

_GIB: Final = 1 << 30
_MIB: Final = 1 << 20
IN_MEMORY: Final = 16 * _MIB  # packed bytes up to which a member is kept in memory
RATIO_FROM: Final = 64 * _MIB
_ARCHIVE_NAMES: Final = (".zip", ".xbri")  # members that may be archives; their bytes decide


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps on unpacked sizes. `ratio` (unpacked : packed) is checked on members above 64 MiB only."""

    members: int = 500_000
    member_bytes: int = 16 * _GIB
    total_bytes: int = 128 * _GIB
    ratio: int = 200


LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Member:
    """One file in an archive. If it is bad, `open` or reading raises ArchiveError."""

    name: str
    size: int | None
    open: Open


@dataclass(slots=True)
class _Walk:
    """State of one walk through an archive and nested ones: bytes and members counted, names yielded."""

    limits: Limits
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


def members(
    open_: Open,
    name: str,
    *,
    keep: Callable[[str], bool] | None = None,
    nested: int = 1,
    limits: Limits = LIMITS,
    former: Former | None = None,
) -> Iterator[Member]:
    """Files of a zip, a tar or a gzip, in the archive's order; directories are left out.

    keep: which names to yield. nested: levels of zips inside zips that are opened, joined `outer.zip!/inner`.
    former: previous archive; unchanged members of a zip are left out (`alike`).
    """
    walk = _Walk(limits, keep)
    found = _format(open_)
    if found is Format.ZIP:
        yield from _zip(walk, open_, name, "", nested, former)
    elif found is Format.TAR or (found is Format.GZIP and holds_tar(open_, name, limits)):
        yield from _tar(walk, open_, name)
    elif found is Format.GZIP:
        yield Member(name.removesuffix(".gz"), None, partial(plain, open_, name, limits))
    else:
        raise ArchiveError(name, None, f"no archive: the bytes are {found.value}")


def plain(open_: Open, name: str, limits: Limits = LIMITS) -> BinaryIO:
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
    if sniff(head[:HEAD]) is not Format.GZIP:
        return stream
    return guarded(gzip.GzipFile(fileobj=stream, mode="rb"), name, None, limits.member_bytes, owned=stream)


def _format(open_: Open) -> Format:
    with open_() as stream:
        return sniff(stream.read(HEAD))


def holds_tar(open_: Open, name: str, limits: Limits = LIMITS) -> bool:
    """True if a gzip is a packed tar. A damaged one counts as a plain file; reading it reports the damage."""
    try:
        with plain(open_, name, limits) as stream:
            return sniff(stream.read(HEAD)) is Format.TAR
    except ArchiveError:
        return False


def _zip(
    walk: _Walk, open_: Open, archive: str, prefix: str, nested: int, former: Former | None = None
) -> Iterator[Member]:
    with seekable(open_(), IN_MEMORY) as stream:
        entries = zips.directory(stream, archive)
        walk.spend(archive, len(entries), sum(entry.file_size for entry in entries))
        known = alike(entries, former)
        for entry in entries:
            name = walk.unique(prefix + entry.filename)
            if not walk.wants(name) and not (nested > 0 and name.lower().endswith(_ARCHIVE_NAMES)):
                continue  # not opened: reading a few members must not cost the whole archive
            if mark(entry) in known:
                continue
            reason = _bad(entry, walk.limits)
            if reason is not None:
                opener: Open = partial(refuse, archive, name, reason)
            elif entry.compress_size <= IN_MEMORY:
                opener = zips.carried(stream, entry, archive, name)
            else:
                opener = partial(zips.reopened, open_, entry, archive, name)
            yield from _descend(walk, Member(name, entry.file_size, opener), nested)


def _bad(entry: zips.ZipInfo, limits: Limits) -> str | None:
    if entry.file_size > limits.member_bytes:
        return f"unpacks to {entry.file_size} bytes, more than {limits.member_bytes}"
    if entry.file_size > RATIO_FROM and entry.file_size > limits.ratio * entry.compress_size:
        return f"unpacks {entry.compress_size} to {entry.file_size} bytes: a bomb"
    return trouble(entry.orig_filename) or zips.trouble(entry)


def _descend(walk: _Walk, member: Member, nested: int) -> Iterator[Member]:
    if nested > 0 and member.name.lower().endswith(_ARCHIVE_NAMES):
        try:
            if _format(member.open) is Format.ZIP:
                yield from _zip(walk, member.open, member.name, f"{member.name}!/", nested - 1)
                return
        except ArchiveError as error:
            # A bad inner archive is one bad member of the outer one, which goes on.
            inner = Member(member.name, member.size, partial(refuse, member.name, error.member, error.reason))
            yield from [inner] if walk.wants(member.name) else []
            return
    if walk.wants(member.name):
        yield member


class _Entry(tarfile.TarInfo):
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


def _tar(walk: _Walk, open_: Open, archive: str) -> Iterator[Member]:
    try:
        with (
            plain(open_, archive, walk.limits) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Entry) as tar,
        ):
            for entry in tar:
                if entry.isdir():
                    continue
                walk.spend(archive, 1, entry.size)
                name = walk.unique(entry.name)
                if walk.wants(name):
                    yield Member(name, entry.size, _tar_opener(tar, entry, name, open_, archive, walk.limits))
    except (tarfile.TarError, *BROKEN) as error:
        raise ArchiveError(archive, None, f"truncated or damaged tar: {error}") from error


def _tar_opener(
    tar: tarfile.TarFile, entry: tarfile.TarInfo, name: str, open_: Open, archive: str, limits: Limits
) -> Open:
    reason = trouble(entry.name) or (None if entry.isreg() else "a link or device, not a file")
    if entry.size > limits.member_bytes:
        reason = f"unpacks to {entry.size} bytes, more than {limits.member_bytes}"
    if reason is not None:
        return partial(refuse, archive, name, reason)
    if entry.size > IN_MEMORY:
        return partial(_tar_reopened, open_, archive, entry.offset, name, limits)
    body = tar.extractfile(entry)
    data = b"" if body is None else body.read()
    if len(data) != entry.size:
        return partial(refuse, archive, name, f"cut off after {len(data)} of {entry.size} bytes")
    return partial(io.BytesIO, data)


def _tar_reopened(open_: Open, archive: str, offset: int, name: str, limits: Limits) -> BinaryIO:
    stream = plain(open_, archive, limits)
    try:
        tar = tarfile.open(fileobj=stream, mode="r|", tarinfo=_Entry)  # noqa: SIM115 - closed with the member's stream
        for entry in tar:
            if entry.offset == offset and (body := tar.extractfile(entry)) is not None:
                return guarded(body, archive, name, limits.member_bytes, owned=stream)
    except (tarfile.TarError, *BROKEN) as error:
        raise ArchiveError(archive, name, f"truncated or damaged tar: {error}") from error
    raise ArchiveError(archive, name, "the archive no longer holds it")
