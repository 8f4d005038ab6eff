"""Files over what a `redact` is given and gives: a body that stays its lender's, blocks made as they are read.

Does not belong here: what they hold.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from typing import Any, BinaryIO, Final, cast

_BLOCK: Final = 4 << 20


def stream(blocks: Generator[bytes, None, None]) -> BinaryIO:
    """The blocks as a file; closing it ends them."""
    return cast("BinaryIO", io.BufferedReader(_Blocks(blocks), _BLOCK))


def lent(body: BinaryIO) -> BinaryIO:
    """A body that stays open when it has been read: whoever lent it closes it."""
    return cast("BinaryIO", io.BufferedReader(_Lent(body), 1 << 20))


class _Lent(io.RawIOBase):
    """The bytes of somebody else's file."""

    def __init__(self, body: BinaryIO) -> None:
        super().__init__()
        self._body = body

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._body.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


class _Blocks(io.RawIOBase):
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
        filled = 0  # of blocks as small as lines many at once, or each would cost a call
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
