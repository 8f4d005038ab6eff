"""Memory that the workers of one service share: each writes its own place, any of them reads all.

Made before the workers are started, and inherited by them; it has no name, so nothing is left of it when they end.
Does not belong here: what is written (`api.metrics`).
"""

import mmap
import struct
import zlib
from typing import Final

_HALF: Final = 128 * 1024
_HEAD: Final = struct.Struct("<QII")  # how many were written before, length, checksum
_ROOM: Final = _HALF - _HEAD.size


class Board:
    """`places` texts of bytes, one per worker, empty at first.

    A place has two halves, written in turn: a worker that is killed while it writes leaves the text before.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._memory = mmap.mmap(-1, places * 2 * _HALF)

    def write(self, place: int, text: bytes) -> None:
        """Replaces what stands at a place; only its own worker may. ValueError where the text is too long."""
        if len(text) > _ROOM:
            raise ValueError(f"{len(text)} bytes do not fit in {_ROOM}")
        number = self._newest(place)[0] + 1
        head = (place * 2 + number % 2) * _HALF
        start = head + _HEAD.size
        self._memory[start : start + len(text)] = text
        _HEAD.pack_into(self._memory, head, number, len(text), zlib.crc32(text))

    def read(self, place: int) -> bytes:
        """What stands at a place."""
        return self._newest(place)[1]

    def _newest(self, place: int) -> tuple[int, bytes]:
        return max(self._half(place * 2), self._half(place * 2 + 1))

    def _half(self, half: int) -> tuple[int, bytes]:
        """Number and text of a half; number 0 where it is empty, or not whole."""
        head = half * _HALF
        number, length, checksum = _HEAD.unpack_from(self._memory, head)
        text = self._memory[head + _HEAD.size : head + _HEAD.size + min(length, _ROOM)]
        return (number, text) if zlib.crc32(text) == checksum else (0, b"")
