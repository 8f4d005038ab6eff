"""Opens the bulk of YTJ v3 and its search pages as one stream of an array of company objects.

The bulk is an array, or an object with the array under `companies` (docs/formats/fi.md 2.1): two or three
gigabytes, never loaded as a whole. Does not belong here: what an element means (`rows`).
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

from connectors.contract.pieces import ArchiveMember, UnreadableFileError
from connectors.kit import staging

HEAD: Final = 65_536
HELD_BACK_BYTES: Final = 4_096  # bytes held back; the enclosing object's end must be within them
_OPENING: Final = re.compile(rb'"companies"\s*:\s*(?=\[)')
_ENDING: Final = re.compile(rb'\]\s*(?:,\s*"\w+"\s*:\s*(?:"[^"\\]*"|[\w.+-]+)\s*)*\}\s*\Z')
_ARRAY: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")
_OBJECT: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")


def is_array(head: bytes) -> bool:
    """True if the body is a bare array."""
    return _ARRAY.match(head) is not None


def is_object(head: bytes) -> bool:
    """True if the body is one object."""
    return _OBJECT.match(head) is not None


class _ArrayStream(io.RawIOBase):
    """Stream of the array under one key of an object, without what precedes and follows it."""

    def __init__(self, source: BinaryIO, start: int, dataset: str, name: str) -> None:
        source.read(start)
        self._source = source
        self._where = (dataset, name)
        self._held = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        while not self._ended and len(self._held) <= HELD_BACK_BYTES:
            more = self._source.read(max(len(buffer), HELD_BACK_BYTES))
            self._held += more
            if not more:
                self._held, self._ended = self._without_end(), True
        ready = self._held if self._ended else self._held[:-HELD_BACK_BYTES]
        taken = ready[: len(buffer)]
        buffer[: len(taken)] = taken
        self._held = self._held[len(taken) :]
        return len(taken)

    def _without_end(self) -> bytes:
        found = _ENDING.search(self._held)
        if found is None:
            raise UnreadableFileError(*self._where, "cut off, or `companies` is not the last list of the object")
        return self._held[: found.start() + 1]

    def close(self) -> None:
        if not self.closed:
            self._source.close()
        super().close()


def open_as_array(member: ArchiveMember) -> BinaryIO:
    """Opens the piece as an array, or as its single company object."""
    with staging.open_plain(member) as body:
        head = body.read(HEAD)
    opening = None if is_array(head) else _OPENING.search(head)
    if opening is None:
        return staging.open_plain(member)
    return io.BufferedReader(
        _ArrayStream(staging.open_plain(member), opening.end(), member.dataset, member.name), 1 << 18
    )
