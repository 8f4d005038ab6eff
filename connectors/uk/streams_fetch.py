"""Keeping a connection to one stream: from a timepoint on, in bodies of some lines each (docs/formats/uk.md 7).

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

import hashlib
import io
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Self

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.chunks import MALFORMED
from connectors.kit.errors import FetchError, Refused, WrongBody
from connectors.uk.streams import HOST, Timepoint, published

if TYPE_CHECKING:
    from connectors.kit.http import Http

MOST_LINES: Final = 10_000
MOST_BYTES: Final = 16 << 20
OLDEST: Final = 5.0  # seconds for which lines wait for more
LONGEST: Final = timedelta(minutes=10)  # of an ordinary run, should a stream never rest
GAP: Final = "-after-gap"
_ADDRESS: Final = f"https://{HOST}"
_NO_KEY: Final = f"no streaming key: add {HOST}=KEY: to FIRM_CREDENTIALS (a key of the REST API does not do)"
_WRONG_KEY: Final = (
    f"the key was refused: FIRM_CREDENTIALS wants {HOST}=KEY: with a streaming key (no REST key)"
)
_REFUSED: Final = (401, 403)
_DIGEST: Final = 12  # characters of a body's own in its name
_REST: Final = 2  # heartbeats in a row
_TOO_OLD: Final = 416
_TIMEPOINT: Final = re.compile(r"\d{1,18}")


class _Place(msgspec.Struct):
    timepoint: Timepoint | None = None
    published_at: str | None = None


class _Event(msgspec.Struct):
    """As much of an event as going on from it needs."""

    event: _Place | None = None


_EVENTS: Final = msgspec.json.Decoder(_Event)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, empty for a heartbeat, and its place; sound is what is an event or blank."""

    text: bytes
    timepoint: int | None = None
    published_at: str | None = None
    is_sound: bool = True

    @classmethod
    def of(cls, text: bytes) -> Self:
        if not text:
            return cls(text)
        try:
            event = _EVENTS.decode(text).event
        except MALFORMED:
            return cls(text, is_sound=False)
        return cls(text) if event is None else cls(text, event.timepoint, event.published_at)


@dataclass(slots=True)
class _Body:
    """Lines on their way to a body."""

    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    first: int | None = None
    last: int | None = None
    published_at: str | None = None  # of the last line
    since: float = 0.0
    is_behind_gap: bool = False  # the first body after events that nobody can have any more

    def clear(self) -> None:
        self.lines.clear()
        self.size, self.first, self.last, self.published_at, self.is_behind_gap = 0, None, None, None, False

    def add(self, line: _Line, now: float) -> None:
        if not self.lines:
            self.since = now
        self.lines.append(line.text)
        self.size += len(line.text) + 1
        self.published_at = line.published_at
        if line.timepoint is not None:
            self.first = line.timepoint if self.first is None else min(self.first, line.timepoint)
            self.last = line.timepoint if self.last is None else max(self.last, line.timepoint)

    def is_full(self, now: float) -> bool:
        return len(self.lines) >= MOST_LINES or self.size >= MOST_BYTES or now - self.since >= OLDEST


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream of the register by its name."""

    name: str

    def catch_up(self, http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
        """Bodies until the stream tells of now, rests for two heartbeats, or the run has waited long enough."""
        if not http.is_known(_ADDRESS):  # without a key of its own the stream is not part of a run
            return
        began, beats, body = http.now(), 0, _Body()
        with closing(self._bodies(http, cursor, body)) as bodies:
            for arrival in bodies:
                beats = beats + 1 if arrival is None else 0
                if arrival is not None:
                    yield arrival
                has_caught_up = (published(body.published_at or "") or began) > began
                if beats == _REST or has_caught_up or http.now() - began >= LONGEST:
                    return

    def listen(self, http: Http, cursor: Cursor | None) -> Iterator[Arrival]:
        """Bodies until the server ends the connection."""
        if not http.is_known(_ADDRESS):
            raise Refused(_ADDRESS, None, _NO_KEY)
        with closing(self._bodies(http, cursor, _Body())) as bodies:
            yield from (arrival for arrival in bodies if arrival is not None)

    def _bodies(
        self, http: Http, cursor: Cursor | None, body: _Body
    ) -> Generator[Arrival | None, None, None]:
        """Bodies; None for a heartbeat when nothing waits."""
        try:
            for line in self._lines(http, cursor, body):
                yield from self._taken(http, body, line)
        except FetchError:
            yield from self._put_together(http, body)  # what came whole before the connection broke
            raise
        yield from self._put_together(http, body)

    def _taken(self, http: Http, body: _Body, line: _Line) -> Iterator[Arrival | None]:
        now = http.now().timestamp()
        if not line.is_sound:  # one such may make its whole body one that nobody reads
            yield from self._put_together(http, body)
        if line.text:
            body.add(line, now)
        elif not body.lines:
            yield None
        if not line.text or not line.is_sound or body.is_full(now):
            yield from self._put_together(http, body)

    def _put_together(self, http: Http, body: _Body) -> Iterator[Arrival]:
        if body.lines:
            yield self._arrival(http, body)
            body.clear()

    def _lines(self, http: Http, cursor: Cursor | None, body: _Body) -> Iterator[_Line]:
        url = f"{_ADDRESS}/{self.name}"
        if cursor is not None:
            if _TIMEPOINT.fullmatch(cursor.value):
                try:
                    yield from self._connected(http, f"{url}?timepoint={cursor.value}")
                except FetchError as error:
                    if error.status != _TOO_OLD:
                        raise
                else:
                    return
            body.is_behind_gap = True  # too old, or no place of this stream
        yield from self._connected(http, url)

    def _connected(self, http: Http, url: str) -> Iterator[_Line]:
        """The lines of one connection."""
        try:
            yield from _whole(_begun(url, http.pulse(url)))
        except FetchError as error:
            if error.status in _REFUSED:
                raise Refused(url, error.status, _WRONG_KEY) from None
            raise

    def _arrival(self, http: Http, body: _Body) -> Arrival:
        """Named by what it holds: the same lines again are the same bytes, no news."""
        text = b"\n".join((*body.lines, b""))
        span = f"{body.first}-{body.last}" if body.first is not None else "no-timepoint"
        digest = hashlib.sha256(text).hexdigest()[:_DIGEST]
        gap = GAP if body.is_behind_gap else ""
        return Arrival(
            f"{self.name}/{span}-{digest}{gap}.jsonl",
            io.BytesIO(text),
            Scope.FEED,
            http.now(),
            None if body.last is None else Cursor(str(body.last)),
            f"{_ADDRESS}/{self.name}",
            200,
            {},
        )


def _begun(url: str, lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines, unless they are a page in HTML, which is told with a good status too."""
    for line in lines:
        if line.lstrip().startswith(b"<"):
            raise WrongBody(url, 200, "events in JSON were due, the body is HTML")
        yield line
        if line:
            break
    yield from lines


def _whole(lines: Iterator[bytes]) -> Iterator[_Line]:
    """Garbage one behind, so that a last line that the connection tore can be told: it is left out."""
    held: _Line | None = None
    for line in map(_Line.of, lines):
        if held is not None:
            yield held  # in the middle: kept for its reject
        held = None if line.is_sound else line
        if line.is_sound:
            yield line
