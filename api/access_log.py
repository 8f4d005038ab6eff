"""One JSON line per request: what was asked, by which key, what was answered, how long it took.

Lines are gathered and written together (at most `_LINES` or `_SECONDS` late), because a write per request
costs more than a profile look-up. Does not belong here: errors and stack traces (`api.logs`, at once).
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

import msgspec

from api.redact import redact

_LINES: Final = 128
_SECONDS: Final = 0.25

Write = Callable[[bytes], object]


class Line(msgspec.Struct, gc=False):
    """The fields of one line, in order."""

    time: float | str
    """Seconds since 1970 when added; written as an instant."""
    request_id: str
    method: str
    path: str
    query: str
    status: int
    duration_ms: float
    account_id: str | None
    key_id: str | None
    level: str = "info"
    event: str = "request"


class AccessLog:
    """Gathers lines on the event loop; `flush` at shutdown. Without `write` nothing is logged."""

    __slots__ = ("_encode", "_pending", "_timer", "_write")

    def __init__(self, write: Write | None) -> None:
        self._write = write
        self._pending: list[Line] = []
        self._timer: asyncio.TimerHandle | None = None
        self._encode = msgspec.json.Encoder().encode

    @property
    def enabled(self) -> bool:
        return self._write is not None

    def add(self, line: Line) -> None:
        self._pending.append(line)
        if len(self._pending) >= _LINES:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self.flush)

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        pending, self._pending = self._pending, []
        if pending and self._write is not None:
            self._write(b"".join([self._encode(_clean(line)) + b"\n" for line in pending]))


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def written(wall: float) -> str:
    """An instant with milliseconds; the part before them is the same for all lines of a second."""
    seconds = int(wall)
    return f"{_second(seconds)}.{int((wall - seconds) * 1000):03d}Z"


def _clean(line: Line) -> Line:
    if not isinstance(line.time, str):
        line.time = written(line.time)
    line.path = redact(line.path)
    line.query = redact(line.query)
    return line
