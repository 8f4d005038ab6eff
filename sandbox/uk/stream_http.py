"""Connections to the streams of Companies House: authorisation, and the bytes sent until they end.

See docs/formats/uk.md 7.

A connection lasts a day of the world: it ends when the next one begins, as the real ones do every night. Without a
timepoint a stream begins with the current day; with one, at the event of that number. Belongs here: keys, limits,
heartbeats, stream faults. Does not belong here: the events (`stream_events`), sockets (`http.server`).
"""

from __future__ import annotations

import base64
import random
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from sandbox.shared.response import JSON, Query, SandboxResponse, json_response
from sandbox.uk import stream_events
from sandbox.uk.rest_resources import STREAMS
from sandbox.world import World

HOST: Final = "stream.companieshouse.gov.uk"
KEY: Final = "sandbox-streaming-key"
PATHS: Final = re.compile(r"/(" + "|".join((*STREAMS, *stream_events.QUIET)) + ")")
REFUSED: Final = json_response({"error": "Invalid Authorization", "type": "ch:service"}, 401)
_TOO_OLD: Final = SandboxResponse(416, JSON, b"")
_TOO_MANY: Final = SandboxResponse(429, JSON, b"")
_PIECE: Final = 1000  # bytes of a chunk, regardless of lines
_BURST: Final = 4  # lines between two heartbeats of a stream that pauses
_SLOWEST: Final = 1.0


@dataclass(slots=True)
class StreamFaults:
    """Faults and delays of the streams.

    duplicates_events: every event is sent twice. is_shuffled: out of order, within a day. is_silent: nothing is
    sent, not even a heartbeat. most: maximum connections. retention_days: maximum age of a timepoint. pause:
    seconds between two lines, with a heartbeat now and then. beat: seconds before the first heartbeat after the
    last line; each later one comes after twice as long, up to a second.
    """

    duplicates_events: bool = False
    is_shuffled: bool = False
    is_silent: bool = False
    most: int | None = None
    retention_days: int = 3
    pause: float = 0.0
    beat: float = 0.01


@dataclass(frozen=True, slots=True)
class StreamResponse:
    """A response without a length: chunks until the server ends it."""

    chunks: Generator[bytes]
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


def basic_authorization(key: str) -> str:
    """The Authorization header of a key: the key as user name, without a password."""
    return f"Basic {base64.b64encode(f'{key}:'.encode()).decode()}"


@dataclass(slots=True)
class StreamApi:
    """The streams of a running sandbox. `key`: the key that callers must send."""

    stream_faults: StreamFaults = field(default_factory=StreamFaults)
    key: str = KEY
    opened: int = 0
    _bell: threading.Condition = field(default_factory=threading.Condition)
    _is_ended: bool = False

    def notify_new_day(self) -> None:
        """Signals a new day: waiting connections check again."""
        with self._bell:
            self._bell.notify_all()

    def end(self) -> None:
        """Ends all connections."""
        self._is_ended = True
        self.notify_new_day()

    def reply(
        self, world: World, today: Callable[[], int], stream: str, query: Query, authorization: str
    ) -> SandboxResponse | StreamResponse:
        """The flow of one connection, or the reason why there is none."""
        if authorization != basic_authorization(self.key):
            return REFUSED
        if self.stream_faults.most is not None and self.opened >= self.stream_faults.most:
            return _TOO_MANY
        day = today()
        first = query.get("timepoint")
        lines = self._initial_lines(world, day, stream, first)
        if lines is None:
            return _TOO_OLD
        return StreamResponse(self._connection_chunks(lines, lambda: self._is_ended or today() != day))

    def _initial_lines(self, world: World, day: int, stream: str, first: str | None) -> list[bytes] | None:
        """The events sent immediately; None if the timepoint is invalid, too old, or in the future."""
        if first is None:
            return self._with_faults(stream_events.day_events(world, day, stream))
        days = range(max(0, day - self.stream_faults.retention_days), day + 1)
        kept = [event for one in days for event in stream_events.day_events(world, one, stream)]
        if not first.isdecimal() or not kept or not kept[0].timepoint <= int(first) <= kept[-1].timepoint:
            return None
        return self._with_faults(tuple(event for event in kept if event.timepoint >= int(first)))

    def _with_faults(self, events: tuple[stream_events.StreamLine, ...]) -> list[bytes]:
        lines = [event.line for event in events]
        if self.stream_faults.duplicates_events:
            lines = [line for line in lines for _ in range(2)]
        if self.stream_faults.is_shuffled:
            random.Random(len(lines)).shuffle(lines)  # noqa: S311 - to be made again, not a secret
        return lines

    def _connection_chunks(self, lines: list[bytes], is_over: Callable[[], bool]) -> Generator[bytes]:
        with self._bell:
            self.opened += 1
        try:
            if not self.stream_faults.is_silent:
                yield from self._event_chunks(lines, is_over)
            yield from self._heartbeat_chunks(is_over)
        finally:
            with self._bell:
                self.opened -= 1

    def _event_chunks(self, lines: list[bytes], is_over: Callable[[], bool]) -> Iterator[bytes]:
        if not self.stream_faults.pause:
            text = b"".join(line + b"\n" for line in lines)
            yield from (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
            return
        for place, line in enumerate(lines, start=1):
            half = len(line) // 2
            yield line[:half]
            if self._wait_until_over(self.stream_faults.pause, is_over):
                return
            yield line[half:] + (b"\n\n" if place % _BURST == 0 else b"\n")

    def _heartbeat_chunks(self, is_over: Callable[[], bool]) -> Iterator[bytes]:
        pause = self.stream_faults.beat
        while not self._wait_until_over(pause, is_over):
            pause = min(_SLOWEST, pause * 2)
            if not self.stream_faults.is_silent:
                yield b"\n"

    def _wait_until_over(self, seconds: float, is_over: Callable[[], bool]) -> bool:
        """Waits; returns whether the connection is over."""
        with self._bell:
            return self._bell.wait_for(is_over, seconds)
