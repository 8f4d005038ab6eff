"""Lines that are made one by one as a file that is read: no file lies behind it, so nothing is left open.

Does not belong here: what the lines are (`aksjonaer_redact`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

_BLOCK: Final = 1 << 20


def as_file(lines: Iterator[bytes]) -> BinaryIO:
    """A readable file over lines."""
    return io.BufferedReader(_Lines(lines), _BLOCK)


class _Lines(io.RawIOBase):
    def __init__(self, lines: Iterator[bytes]) -> None:
        super().__init__()
        self._lines = lines
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        parts, size = [self._rest], len(self._rest)
        while size < len(buffer) and (line := next(self._lines, b"")):
            parts.append(line)
            size += len(line)
        found = b"".join(parts)
        given = found[: len(buffer)]
        buffer[: len(given)] = given
        self._rest = found[len(given) :]
        return len(given)
