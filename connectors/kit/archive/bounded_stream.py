"""Streams over untrusted bytes: decoder errors become ArchiveError, sizes are capped."""

from __future__ import annotations

import io
import lzma
import shutil
import struct
import tempfile
import zipfile
import zlib
from typing import BinaryIO, Final, NoReturn, Protocol, cast

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


class _BoundedStream(io.RawIOBase):
    def __init__(
        self, source: ReadableStream, archive: str, member: str | None, cap: int, owned: ReadableStream | None
    ) -> None:
        self._source = source
        self._archive = archive
        self._member = member
        self._cap = cap
        self._owned = owned
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            data = self._source.read(min(len(buffer), _BLOCK))  # decoders allocate the requested size
        except DECODER_ERRORS as error:
            reason = str(error) or type(error).__name__
            raise ArchiveError(self._archive, self._member, f"truncated or damaged: {reason}") from error
        self._given += len(data)
        if self._given > self._cap:
            raise ArchiveError(self._archive, self._member, f"unpacks to more than {self._cap} bytes")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._source.close()
            if self._owned is not None:
                self._owned.close()
        super().close()


def bounded_stream(
    source: ReadableStream, archive: str, member: str | None, cap: int, owned: ReadableStream | None = None
) -> BinaryIO:
    """A stream that raises only ArchiveError, at the latest after `cap` bytes. Closing it closes `owned` too."""
    return io.BufferedReader(_BoundedStream(source, archive, member, cap, owned), 1 << 16)


def make_seekable(stream: BinaryIO, in_memory: int) -> BinaryIO:
    """The stream, or a copy in memory (in a file above `in_memory` bytes): a zip is read from its end."""
    if stream.seekable():
        return stream
    spool = tempfile.SpooledTemporaryFile(max_size=in_memory)  # noqa: SIM115 - the caller closes it
    with stream:
        shutil.copyfileobj(stream, spool, 1 << 20)
    spool.seek(0)
    return cast("BinaryIO", spool)
