"""Opens golden copies as published: one file in a zip, of any format and level.

Belongs here: the one member's bytes, bounded. Does not belong here: their content (`level1.parse`,
`level1.parse_csv`).
"""

from __future__ import annotations

import io
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import BinaryIO, Final, cast

from connectors.contract.pieces import ArchiveMember
from connectors.kit import staging
from connectors.kit.archive.bounded_stream import (
    DECODER_ERRORS,
    archive_errors_as_unreadable,
    bounded_stream,
    make_seekable,
)
from connectors.kit.archive.zip import ZipArchive
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format

LARGEST: Final = 64 << 30  # bytes; level 1 as XML has more than 8 GB
_IN_MEMORY: Final = 64 << 20


class NotSingleFileError(Exception):
    """A zip that is damaged, encrypted, or contains other than one file."""


def unpacked_member(piece: ArchiveMember) -> ArchiveMember:
    """The piece, opened as `open_single_file` does."""
    return replace(piece, open=partial(open_single_file, piece))


def open_single_file(member: ArchiveMember) -> BinaryIO:
    """The plain bytes of a piece. Raises NotSingleFileError; reading damaged data raises UnreadableFileError."""
    return archive_errors_as_unreadable(
        unpack_single_file(staging.open_plain(member), member.name), member.dataset, member.name
    )


def unpack_single_file(body: BinaryIO, name: str) -> BinaryIO:
    """The plain bytes of a body, zip or not; closing them closes the body.

    Raises NotSingleFileError; reading raises ArchiveError.
    """
    head = body.read(HEAD)
    whole = rejoined_body(head, body)
    if detect_body_format(head) is not BodyFormat.ZIP:
        return whole
    with ExitStack() as opened:
        try:
            spool = opened.enter_context(make_seekable(whole, _IN_MEMORY))
            archive = opened.enter_context(ZipArchive(spool))
            files = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(files) != 1:
                raise NotSingleFileError(f"expected an archive with one file, found {len(files)}")
            member = archive.open(files[0])
        except DECODER_ERRORS as error:
            raise NotSingleFileError(f"an archive that does not open: {error}") from error
        return bounded_stream(member, name, files[0].filename, LARGEST, owned=_OwnedArchive(opened.pop_all()))


def rejoined_body(head: bytes, rest: BinaryIO, buffer_bytes: int = 1 << 20) -> BinaryIO:
    """A body with its already read first bytes put back; closing it closes the body."""
    return cast("BinaryIO", io.BufferedReader(_RejoinedStream(head, rest), buffer_bytes))


class _OwnedArchive:
    """The archive and stream of an opened member, closed with it."""

    def __init__(self, opened: ExitStack) -> None:
        self._opened = opened

    def read(self, size: int, /) -> bytes:
        """Returns nothing: only the member is read."""
        del size
        return b""

    def close(self) -> None:
        """Closes the archive and its bytes."""
        self._opened.close()


class _RejoinedStream(io.RawIOBase):
    """A body with its already read first bytes put back."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        found = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(found) :]
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._rest.close()
        super().close()
