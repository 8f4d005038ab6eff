"""Keeping a connection to one stream: from a timepoint on, in bodies of some lines each (FORMAT 7).

A body ends where the stream rests (a heartbeat), holds enough or is old enough; its cursor is the newest
timepoint in it, from which the server goes on (the event of that timepoint comes once more). A line that the
connection tore is left for the next one. 416 means that the timepoint is too old: the stream is entered where it
is now, and the next whole files and snapshots mend what was missed.

The first body behind such a gap is named so, and reading it gives a signal.

`catch_up` reads until the stream rests, for an ordinary run; `listen` until the server ends it, for a reader
that lives beside the runs. Does not belong here: when to connect again (pipelines), or what the lines say
(`live_records`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.chunks import MALFORMED
from connectors.kit.errors import FetchError, Refused
from connectors.uk.streams import HOST

if TYPE_CHECKING:
    from connectors.kit.http import Http

MOST_LINES: Final = 10_000
MOST_BYTES: Final = 16 << 20
OLDEST: Final = 5.0  # seconds for which lines wait for more
LONGEST: Final = timedelta(minutes=10)  # of an ordinary run, should a stream never rest
GAP: Final = "-after-gap"
_ADDRESS: Final = f"https://{HOST}"
_NO_KEY: Final = f"no streaming key: add {HOST}=KEY: to FIRM_CREDENTIALS (a key of the REST API does not do)"
_REST: Final = 2  # heartbeats in a row
_TOO_OLD: Final = 416
_TIMEPOINT: Final = re.compile(r"\d{1,18}")


class _Place(msgspec.Struct):
    timepoint: int | None = None


class _Line(msgspec.Struct):
    """As much of an event as going on from it needs."""

    event: _Place | None = None


_LINES: Final = msgspec.json.Decoder(_Line)


@dataclass(slots=True)
class _Body:
    """Lines on their way to a body."""

    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    first: int | None = None
    last: int | None = None
    since: float = 0.0
    is_behind_gap: bool = False  # the first body after events that nobody can have any more

    def clear(self) -> None:
        self.lines.clear()
        self.size, self.first, self.last, self.is_behind_gap = 0, None, None, False

    def add(self, line: bytes, timepoint: int | None, now: float) -> None:
        if not self.lines:
            self.since = now
        self.lines.append(line)
        self.size += len(line) + 1
        if timepoint is not None:
            self.first = timepoint if self.first is None else min(self.first, timepoint)
            self.last = timepoint if self.last is None else max(self.last, timepoint)

    def is_full(self, now: float) -> bool:
        return len(self.lines) >= MOST_LINES or self.size >= MOST_BYTES or now - self.since >= OLDEST


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream of the register by its name."""

    name: str

    def catch_up(self, http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
        """Bodies until the stream rests for two heartbeats or ends, or the run has waited long enough."""
        if not http.is_known(_ADDRESS):  # without a key of its own the stream is not part of a run
            return
        until, beats = http.now() + LONGEST, 0
        for arrival in self._bodies(http, cursor):
            beats = beats + 1 if arrival is None else 0
            if arrival is not None:
                yield arrival
            if beats == _REST or http.now() >= until:
                return

    def listen(self, http: Http, cursor: Cursor | None) -> Iterator[Arrival]:
        """Bodies until the server ends the connection."""
        if not http.is_known(_ADDRESS):
            raise Refused(_ADDRESS, None, _NO_KEY)
        yield from (arrival for arrival in self._bodies(http, cursor) if arrival is not None)

    def _bodies(self, http: Http, cursor: Cursor | None) -> Iterator[Arrival | None]:
        """Bodies; None for a heartbeat when nothing waits."""
        body = _Body()
        try:
            for line in self._lines(http, cursor, body):
                now = http.now().timestamp()
                if line:
                    body.add(line, _timepoint(line), now)
                if body.lines and (not line or body.is_full(now)):
                    yield self._arrival(http, body)
                    body.clear()
                elif not line:
                    yield None
        except FetchError:
            if body.lines:  # what came whole before the connection broke
                yield self._arrival(http, body)
            raise
        if body.lines:
            yield self._arrival(http, body)

    def _lines(self, http: Http, cursor: Cursor | None, body: _Body) -> Iterator[bytes]:
        url = f"{_ADDRESS}/{self.name}"
        if cursor is not None and _TIMEPOINT.fullmatch(cursor.value):
            try:
                yield from _whole(http.pulse(f"{url}?timepoint={cursor.value}"))
            except FetchError as error:
                if error.status != _TOO_OLD:
                    raise
                body.is_behind_gap = True
            else:
                return
        yield from _whole(http.pulse(url))

    def _arrival(self, http: Http, body: _Body) -> Arrival:
        """Named by what it holds: the same lines again are the same bytes, no news."""
        text = b"\n".join((*body.lines, b""))
        span = f"{body.first}-{body.last}" if body.first is not None else "no-timepoint"
        gap = GAP if body.is_behind_gap else ""
        return Arrival(
            f"{self.name}/{span}{gap}.jsonl",
            io.BytesIO(text),
            Scope.FEED,
            http.now(),
            None if body.last is None else Cursor(str(body.last)),
            f"{_ADDRESS}/{self.name}",
            200,
            {},
        )


def _whole(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Lines one behind, so that a last one that the connection tore can be told: it is no JSON."""
    held: bytes | None = None
    for line in lines:
        if held is not None:
            yield held
        held = None
        if line and not _reads(line):
            held = line  # garbage in the middle is kept for its reject
        else:
            yield line


def _reads(line: bytes) -> bool:
    try:
        _LINES.decode(line)
    except MALFORMED:
        return False
    return True


def _timepoint(line: bytes) -> int | None:
    try:
        found = _LINES.decode(line)
    except MALFORMED:
        return None
    return None if found.event is None else found.event.timepoint
