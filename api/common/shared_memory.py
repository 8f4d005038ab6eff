"""Shared memory for the workers of one service: each writes its own slot, any of them reads all.

Created before the workers are started and inherited by them; the mapping is anonymous, so nothing remains when
they exit. Does not belong here: the content (`api.observability.metrics`).
"""

import mmap
import struct
import zlib
from typing import Final

_HALF: Final = 128 * 1024
_HEAD: Final = struct.Struct("<QII")  # write counter, length, checksum
_ROOM: Final = _HALF - _HEAD.size


class SharedSlots:
    """`slot_count` byte strings, one per worker, initially empty.

    Each slot is double-buffered: a worker killed while writing leaves the previous value intact.
    """

    def __init__(self, slot_count: int) -> None:
        self.slot_count = slot_count
        self._memory = mmap.mmap(-1, slot_count * 2 * _HALF)

    def write(self, slot: int, text: bytes) -> None:
        """Replaces a slot's value; only its own worker may. ValueError if the value is too long."""
        if len(text) > _ROOM:
            raise ValueError(f"{len(text)} bytes do not fit into {_ROOM}")
        number = self._newest_half(slot)[0] + 1
        head = (slot * 2 + number % 2) * _HALF
        start = head + _HEAD.size
        self._memory[start : start + len(text)] = text
        _HEAD.pack_into(self._memory, head, number, len(text), zlib.crc32(text))

    def read(self, slot: int) -> bytes:
        """Reads a slot's value."""
        return self._newest_half(slot)[1]

    def _newest_half(self, place: int) -> tuple[int, bytes]:
        return max(self._read_half(place * 2), self._read_half(place * 2 + 1))

    def _read_half(self, half: int) -> tuple[int, bytes]:
        """Write counter and value of one buffer; counter 0 if it is empty or incomplete."""
        head = half * _HALF
        number, length, checksum = _HEAD.unpack_from(self._memory, head)
        text = self._memory[head + _HEAD.size : head + _HEAD.size + min(length, _ROOM)]
        return (number, text) if zlib.crc32(text) == checksum else (0, b"")
