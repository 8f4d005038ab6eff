"""The zip format, on top of the standard library's reading of the central directory.

Zips from outside must be opened with `ZipArchive` or checked with `unsupported_reason`. Members are opened from
their own packed bytes or by seeking in the archive opened again; never by reading the central directory once more,
which for 49,000 members would be quadratic.
"""

from __future__ import annotations

import io
import stat
import struct
from collections.abc import Callable
from functools import partial
from typing import IO, BinaryIO, Final, Literal
from zipfile import BadZipFile, ZipExtFile, ZipFile, ZipInfo

from connectors.kit.archive.bounded_stream import (
    DECODER_ERRORS,
    ArchiveError,
    bounded_stream,
    make_seekable,
    raise_archive_error,
)

__all__ = ["ZipArchive", "ZipInfo", "in_memory_opener", "seeking_opener", "unsupported_reason", "zip_entries"]

_LOCAL: Final = b"PK\x03\x04"
_LOCAL_SIZE: Final = 30
_ENCRYPTED: Final = 0x1
# stored, deflate, bzip2; lzma allocates any size the archive states, up to 4 GiB, before the first byte
_METHODS: Final = (0, 8, 12)


class ZipArchive(ZipFile):
    """A zip for reading; a member rejected by `unsupported_reason` raises BadZipFile as it is opened.

    Raises BadZipFile if a member has no name: the library would fail on its last letter.
    """

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        if not all(entry.filename for entry in self.filelist):
            self.close()
            raise BadZipFile("a member without a name")

    def open(
        self, name: str | ZipInfo, mode: Literal["r", "w"] = "r", pwd: bytes | None = None, *, force_zip64: bool = False
    ) -> IO[bytes]:
        """Opens a member as ZipFile does; raises BadZipFile if it is rejected."""
        entry = name if isinstance(name, ZipInfo) else self.getinfo(name)
        if reason := unsupported_reason(entry):
            raise BadZipFile(f"{entry.filename}: {reason}")
        return super().open(entry, mode, pwd, force_zip64=force_zip64)


def zip_entries(stream: BinaryIO, archive: str) -> list[ZipInfo]:
    """The files of the central directory, ordered by offset."""
    try:
        with ZipArchive(stream) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
    except DECODER_ERRORS as error:
        reason = str(error) or type(error).__name__
        raise ArchiveError(archive, None, f"truncated or damaged zip: {reason}") from error
    return sorted(entries, key=lambda entry: entry.header_offset)


def unsupported_reason(entry: ZipInfo) -> str | None:
    """Why a member is not read, or None."""
    if entry.flag_bits & _ENCRYPTED:
        return "encrypted"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a symbolic link"
    if entry.compress_type not in _METHODS:
        return f"packed by method {entry.compress_type}, which is not read here"
    return None


def in_memory_opener(stream: BinaryIO, entry: ZipInfo, archive: str, member: str) -> Callable[[], BinaryIO]:
    """An `open` that carries the member's packed bytes."""
    try:
        _seek_member(stream, entry)
        packed = stream.read(entry.compress_size)
    except DECODER_ERRORS as error:
        return partial(raise_archive_error, archive, member, f"truncated or damaged: {error}")
    if len(packed) < entry.compress_size:
        return partial(
            raise_archive_error, archive, member, f"cut off after {len(packed)} of {entry.compress_size} bytes"
        )
    return partial(_open_packed, packed, entry, archive, member)


def seeking_opener(open_: Callable[[], BinaryIO], entry: ZipInfo, archive: str, member: str) -> BinaryIO:
    """Opens a large member in the archive opened again."""
    stream = make_seekable(open_(), 1 << 24)
    try:
        _seek_member(stream, entry)
        return bounded_stream(ZipExtFile(stream, "r", entry), archive, member, entry.file_size, owned=stream)
    except DECODER_ERRORS as error:
        stream.close()
        raise ArchiveError(archive, member, f"truncated or damaged: {error}") from error


def _open_packed(packed: bytes, entry: ZipInfo, archive: str, member: str) -> BinaryIO:
    return bounded_stream(ZipExtFile(io.BytesIO(packed), "r", entry), archive, member, entry.file_size)


def _seek_member(stream: BinaryIO, entry: ZipInfo) -> None:
    """Seeks to the first packed byte: the local header has its own lengths, and its sizes are not reliable."""
    stream.seek(entry.header_offset)
    local = stream.read(_LOCAL_SIZE)
    if len(local) < _LOCAL_SIZE or not local.startswith(_LOCAL):
        raise EOFError("no member where the directory points")
    name, extra = struct.unpack("<HH", local[26:30])
    stream.seek(entry.header_offset + _LOCAL_SIZE + name + extra)
