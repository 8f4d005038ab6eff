"""Input and output streams of a `redact`: a body that its owner closes, blocks generated while read.

Does not belong here: their content.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from typing import Any, BinaryIO, Final, cast

_BLOCK: Final = 4 << 20


def from_blocks(blocks: Generator[bytes, None, None]) -> BinaryIO:
    """The blocks as a file; closing it closes the generator."""
    return cast("BinaryIO", io.BufferedReader(_BlockStream(blocks), _BLOCK))


def non_closing(body: BinaryIO) -> BinaryIO:
    """A wrapper that leaves the body open when closed: the caller closes it."""
    return cast("BinaryIO", io.BufferedReader(_NonClosingStream(body), 1 << 20))


class _NonClosingStream(io.RawIOBase):
    """Raw file over the bytes of a body owned by the caller."""

    def __init__(self, body: BinaryIO) -> None:
        super().__init__()
        self._body = body

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._body.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


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
