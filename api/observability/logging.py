"""Logs as JSON lines: standard logging, written at once, and the access log with one line per request.

Lines of the access log are buffered (up to `_LINES` lines or `_SECONDS` seconds), because a write per request costs
more than a profile look-up. They are written in chunks of whole lines that fit into one atomic pipe write, because
several workers share the pipe. Does not belong here: what is redacted (`api.common.redaction`).
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from api.common.redaction import redact
from api.http.context import current_request_id

if TYPE_CHECKING:
    from api.http.context import RequestContext

LOGGER: Final = logging.getLogger("firm.api")


class JsonFormatter(logging.Formatter):
    """One JSON object per record; keys are redacted in messages and stack traces alike."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.name,
            "message": redact(record.getMessage()),
        }
        request_id = current_request_id()
        if request_id is not None:
            line["request_id"] = request_id
        if record.exc_info:
            line["exception"] = redact(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


def configure_logging(level: int = logging.INFO) -> None:
    """Sends all logs of this process to standard error as JSON lines; called once, by the serving process."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


_LINES: Final = 16  # long ones take half a millisecond each
_SECONDS: Final = 0.25
_PIECE: Final = 4096  # PIPE_BUF
_REDACTED: Final = 1_600  # characters; a key that is cut here is not shown, whatever is redacted before it
_SHOWN: Final = 200  # characters kept of the path and the query if the line is too long

Write = Callable[[bytes], object]


class AccessLogLine(msgspec.Struct, gc=False):
    """The fields of one log line, in output order."""

    time: str
    request_id: str
    client: str
    method: str
    path: str
    query: str
    status: int
    problem: str | None
    duration_ms: float
    account_id: str | None
    key_id: str | None
    level: str = "info"
    event: str = "request"


class AccessLog:
    """Buffers finished requests on the event loop; call `flush` at shutdown. Without `write` nothing is logged."""

    __slots__ = ("_encode", "_pending", "_timer", "_write")

    def __init__(self, write: Write | None) -> None:
        self._write = write
        self._pending: list[tuple[float, float, RequestContext]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._encode = msgspec.json.Encoder().encode

    @property
    def is_enabled(self) -> bool:
        return self._write is not None

    def add(self, wall: float, seconds: float, context: "RequestContext") -> None:
        """Adds a call that ended at `wall` after `seconds`."""
        self._pending.append((wall, seconds, context))
        if len(self._pending) >= _LINES:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self.flush)

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        pending, self._pending = self._pending, []
        if self._write is not None:
            for piece in _pipe_sized_chunks([self._encode_line(_log_line(*ended)) for ended in pending]):
                self._write(piece)

    def _encode_line(self, line: AccessLogLine) -> bytes:
        encoded = self._encode(line) + b"\n"
        if len(encoded) > _PIECE:
            line.path, line.query = line.path[:_SHOWN] + "…", line.query[:_SHOWN] + "…"
            encoded = self._encode(line) + b"\n"
        return encoded


def _pipe_sized_chunks(lines: list[bytes]) -> Iterator[bytes]:
    """Joins lines into chunks that a pipe accepts in one atomic write."""
    start, size = 0, 0
    for number, line in enumerate(lines):
        if size and size + len(line) > _PIECE:
            yield b"".join(lines[start:number])
            start, size = number, 0
        size += len(line)
    if size:
        yield b"".join(lines[start:])


@lru_cache(maxsize=2)
def _format_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def format_wall_time(wall: float) -> str:
    """Formats an instant with milliseconds; the part up to the second is cached."""
    seconds = int(wall)
    return f"{_format_second(seconds)}.{int((wall - seconds) * 1000):03d}Z"


def _shown(text: str) -> str:
    """The text without secrets; the beginning of a long one, since all lines of a flush hold up the event loop."""
    if len(text) <= _REDACTED:
        return redact(text)
    return redact(text[:_REDACTED])[:_SHOWN] + "…"


def _log_line(wall: float, seconds: float, call: "RequestContext") -> AccessLogLine:
    caller = call.caller
    return AccessLogLine(
        format_wall_time(wall),
        call.request_id,
        call.client_ip,
        call.method,
        _shown(call.path),
        _shown(call.query_string.decode("latin-1")) if call.query_string else "",
        call.status,
        call.problem_code,
        round(seconds * 1000, 3),
        None if caller is None else caller.account_id,
        None if caller is None else caller.key_id,
    )
