"""Streams over untrusted bytes: decoder errors become ArchiveError, sizes are capped.

For readers of a piece ArchiveError becomes UnreadableFileError, so that connectors need no try around each `read`.
"""

from __future__ import annotations

import io
import lzma
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import BinaryIO, Final, NoReturn, Protocol, cast

from connectors.contract.pieces import UnreadableFileError

# Errors that the standard library's decoders raise on damaged input.
DECODER_ERRORS: Final = (
    zipfile.BadZipFile,
    EOFError,
    OSError,
    ValueError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    OverflowError,
)
_BLOCK: Final = 1 << 20


class ArchiveError(Exception):
    """An archive or member that cannot be trusted: names the archive, the member and what was found."""

    def __init__(self, archive: str, member: str | None, reason: str) -> None:
        where = archive if member is None else f"{archive}, member {member}"
        super().__init__(f"{where}: {reason}")
        self.archive = archive
        self.member = member
        self.reason = reason

    def __reduce__(self) -> tuple[type[ArchiveError], tuple[str, str | None, str]]:
        return type(self), (self.archive, self.member, self.reason)


def raise_archive_error(archive: str, member: str | None, reason: str) -> NoReturn:
    """Raises ArchiveError; the `open` of a rejected member."""
    raise ArchiveError(archive, member, reason)


class ReadableStream(Protocol):
    """Interface of a decoder's stream."""

    def read(self, size: int, /) -> bytes: ...
    def close(self) -> None: ...


class _ReadStream(io.RawIOBase):
    """A raw stream over the functions that read it (at most a number of bytes) and close it."""

    def __init__(self, read: Callable[[int], bytes], close: Callable[[], None]) -> None:
        self._read = read
        self._close = close

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        data = self._read(min(len(buffer), _BLOCK))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()


def read_stream(read: Callable[[int], bytes], close: Callable[[], None], buffer_bytes: int = 1 << 16) -> BinaryIO:
    """A stream whose bytes come from `read`, a block at most at once: decoders allocate the requested size."""
    return io.BufferedReader(_ReadStream(read, close), buffer_bytes)


def bounded_stream(
    source: ReadableStream, archive: str, member: str | None, cap: int, owned: ReadableStream | None = None
) -> BinaryIO:
    """A stream that raises only ArchiveError, at the latest after `cap` bytes. Closing it closes `owned` too."""
    given = 0

    def read(size: int) -> bytes:
        nonlocal given
        try:
            data = source.read(size)
        except DECODER_ERRORS as error:
            reason = str(error) or type(error).__name__
            raise ArchiveError(archive, member, f"truncated or damaged: {reason}") from error
        given += len(data)
        if given > cap:
            raise ArchiveError(archive, member, f"unpacks to more than {cap} bytes")
        return data

    def close() -> None:
        source.close()
        if owned is not None:
            owned.close()

    return read_stream(read, close)


def make_seekable(stream: BinaryIO, in_memory: int) -> BinaryIO:
    """The stream, or a copy in memory (in a file above `in_memory` bytes): a zip is read from its end."""
    if stream.seekable():
        return stream
    with ExitStack() as open_files:
        spool = open_files.enter_context(tempfile.SpooledTemporaryFile(max_size=in_memory))
        with stream:
            shutil.copyfileobj(stream, spool, 1 << 20)
        spool.seek(0)
        open_files.pop_all()  # the caller closes it
    return cast("BinaryIO", spool)


_BUFFER: Final = 1 << 18


def archive_errors_as_unreadable(source: BinaryIO, dataset: str, name: str) -> BinaryIO:
    """`source`, with ArchiveError converted into Unreadable. A seekable file (memory or disk) stays unchanged."""
    if source.seekable():
        return source

    def read(size: int) -> bytes:
        try:
            return source.read(size)
        except ArchiveError as error:
            raise UnreadableFileError(dataset, name, str(error)) from error

    return read_stream(read, source.close, _BUFFER)
