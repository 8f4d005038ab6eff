"""Input and output streams of a `redact`: the texts in a body that its owner closes, blocks generated while read.

Does not belong here: their content.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Collection, Generator, Iterator
from contextlib import nullcontext
from typing import Any, BinaryIO, Final, cast

import msgspec

from connectors.kit.archive.bounded_stream import make_seekable, read_stream
from connectors.kit.archive.zip import ZipArchive
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format

_BLOCK: Final = 4 << 20
_IN_MEMORY: Final = 64 << 20
UNREADABLE: Final = "unreadable"


def unreadable_body(reason: str) -> BinaryIO:
    """The JSON that replaces a body that could not be redacted; reading rejects it with the reason."""
    return io.BytesIO(msgspec.json.encode({UNREADABLE: reason}))


class UnscannableBodyError(Exception):
    """Reason why a body could not be checked for persons."""


def plain_bodies(
    body: BinaryIO, accepted: Collection[BodyFormat], *, expected: str, most_bytes: int, too_large: str
) -> Iterator[BinaryIO]:
    """Yields the texts of a body: the members of a zip, the unpacked gzip, or the body itself.

    expected: what a body of a format that is not accepted should have been. too_large: the reason for a zip that
    unpacks to more than `most_bytes`. The body stays open: the archive reads it afterwards.
    """
    with nullcontext(body) if body.seekable() else make_seekable(non_closing(body), _IN_MEMORY) as whole:
        whole.seek(0)
        kind = detect_body_format(whole.read(HEAD))
        whole.seek(0)
        if kind not in accepted:
            raise UnscannableBodyError(f"expected {expected}, found {kind.value}")
        if kind is BodyFormat.ZIP:
            with ZipArchive(whole) as archive:
                members = [member for member in archive.infolist() if not member.is_dir()]
                if sum(member.file_size for member in members) > most_bytes:
                    raise UnscannableBodyError(too_large)
                for member in members:
                    with archive.open(member) as opened:
                        yield cast("BinaryIO", opened)
        elif kind is BodyFormat.GZIP:
            with gzip.open(whole) as plain:
                yield cast("BinaryIO", plain)
        else:
            yield whole


def from_blocks(blocks: Generator[bytes, None, None]) -> BinaryIO:
    """The blocks as a file; closing it closes the generator."""
    return cast("BinaryIO", io.BufferedReader(_BlockStream(blocks), _BLOCK))


def non_closing(body: BinaryIO) -> BinaryIO:
    """A wrapper that leaves the body open when closed: the caller closes it."""
    return read_stream(body.read, lambda: None, 1 << 20)


class _BlockStream(io.RawIOBase):
    """A raw file over a generator."""

    def __init__(self, blocks: Generator[bytes, None, None]) -> None:
        super().__init__()
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._blocks.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        filled = 0  # fills the buffer from many blocks: blocks may be as small as lines, and each call costs
        while filled < len(buffer):
            if not self._rest:
                block = next(self._blocks, None)
                if block is None:
                    break
                self._rest = memoryview(block)
            size = min(len(buffer) - filled, len(self._rest))
            buffer[filled : filled + size] = self._rest[:size]
            self._rest = self._rest[size:]
            filled += size
        return filled
