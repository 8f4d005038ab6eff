"""Reads one stream from a timepoint on, in bodies of several lines (docs/formats/uk.md 7).

A body ends at a heartbeat, or when it is large or old enough; its cursor is its newest timepoint, from which the
server resumes (the event of that timepoint is sent again). A line torn by the connection is left for the next
connection. Status 416 means that the timepoint is too old: the stream is resumed at its current position, and the
next whole files and snapshots fill the gap.

The first body after such a gap is marked in its name, and reading it gives a signal.

`fetch_missed` reads until the stream is idle, for an ordinary run; `listen` until the server ends it, for a process
independent of the runs. Does not belong here: when to reconnect (pipelines), or parsing lines (`rows`).
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

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.http.errors import FetchError, RequestRejectedError, UnexpectedBodyError
from connectors.kit.json.chunks import MALFORMED
from connectors.uk.stream_events import HOST, Timepoint, parse_published

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

MOST_LINES: Final = 10_000
MOST_BYTES: Final = 16 << 20
OLDEST: Final = 5.0  # seconds that lines wait for further ones
LONGEST: Final = timedelta(minutes=10)  # limit of an ordinary run if the stream is never idle
GAP: Final = "-after-gap"
_ADDRESS: Final = f"https://{HOST}"
_NO_KEY: Final = f"no streaming key: add {HOST}=KEY: to FIRM_CREDENTIALS (a REST API key does not work)"
_WRONG_KEY: Final = f"the key was rejected: FIRM_CREDENTIALS needs {HOST}=KEY: with a streaming key (no REST key)"
_REFUSED: Final = (401, 403)
_DIGEST: Final = 12  # characters of the body's digest in its name
_REST: Final = 2  # heartbeats in a row
_TOO_OLD: Final = 416
_TIMEPOINT: Final = re.compile(r"\d{1,18}")


class _EventPlace(msgspec.Struct):
    timepoint: Timepoint | None = None
    published_at: str | None = None


class _EventLine(msgspec.Struct):
    """Event fields needed to resume from it."""

    event: _EventPlace | None = None


_EVENTS: Final = msgspec.json.Decoder(_EventLine)


@dataclass(frozen=True, slots=True)
class _StreamLine:
    """A line (empty for a heartbeat) and its timepoint; `is_sound`: a valid event or blank."""

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
class _StreamBody:
    """Lines collected for the next body."""

    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    first: int | None = None
    last: int | None = None
    published_at: str | None = None  # publication time of the last line
    since: float = 0.0
    is_behind_gap: bool = False  # the first body after events that can no longer be fetched

    def clear(self) -> None:
        self.lines.clear()
        self.size, self.first, self.last, self.published_at, self.is_behind_gap = 0, None, None, None, False

    def add(self, line: _StreamLine, now: float) -> None:
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
class RegisterStream:
    """One stream of the register by its name."""

    name: str

    def fetch_missed(self, http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
        """Yields bodies until events are current, two heartbeats pass, or the time limit is reached."""
        if not http.has_credentials(_ADDRESS):  # without its own key the stream is skipped
            return
        began, beats, body = http.now(), 0, _StreamBody()
        with closing(self._stream_bodies(http, cursor, body)) as bodies:
            for arrival in bodies:
                beats = beats + 1 if arrival is None else 0
                if arrival is not None:
                    yield arrival
                has_caught_up = (parse_published(body.published_at or "") or began) > began
                if beats == _REST or has_caught_up or http.now() - began >= LONGEST:
                    return

    def listen(self, http: HttpClient, cursor: Cursor | None) -> Iterator[FetchedFile]:
        """Yields bodies until the server ends the connection."""
        if not http.has_credentials(_ADDRESS):
            raise RequestRejectedError(_ADDRESS, None, _NO_KEY)
        with closing(self._stream_bodies(http, cursor, _StreamBody())) as bodies:
            yield from (arrival for arrival in bodies if arrival is not None)

    def _stream_bodies(
        self, http: HttpClient, cursor: Cursor | None, body: _StreamBody
    ) -> Generator[FetchedFile | None, None, None]:
        """Yields bodies, and None for a heartbeat without waiting lines."""
        try:
            for line in self._lines_since(http, cursor, body):
                yield from self._accept_line(http, body, line)
        except FetchError:
            yield from self._flush_body(http, body)  # lines complete before the connection broke
            raise
        yield from self._flush_body(http, body)

    def _accept_line(self, http: HttpClient, body: _StreamBody, line: _StreamLine) -> Iterator[FetchedFile | None]:
        now = http.now().timestamp()
        if not line.is_sound:  # an invalid line could make its whole body unreadable, so it gets its own
            yield from self._flush_body(http, body)
        if line.text:
            body.add(line, now)
        elif not body.lines:
            yield None
        if not line.text or not line.is_sound or body.is_full(now):
            yield from self._flush_body(http, body)

    def _flush_body(self, http: HttpClient, body: _StreamBody) -> Iterator[FetchedFile]:
        if body.lines:
            yield self._body_file(http, body)
            body.clear()

    def _lines_since(self, http: HttpClient, cursor: Cursor | None, body: _StreamBody) -> Iterator[_StreamLine]:
        url = f"{_ADDRESS}/{self.name}"
        if cursor is not None:
            if _TIMEPOINT.fullmatch(cursor.value):
                try:
                    yield from self._connection_lines(http, f"{url}?timepoint={cursor.value}")
                except FetchError as error:
                    if error.status != _TOO_OLD:
                        raise
                else:
                    return
            body.is_behind_gap = True  # timepoint too old, or not of this stream
        yield from self._connection_lines(http, url)

    def _connection_lines(self, http: HttpClient, url: str) -> Iterator[_StreamLine]:
        """Yields the lines of one connection."""
        try:
            yield from _drop_torn_line(_reject_html_page(url, http.stream_lines(url)))
        except FetchError as error:
            if error.status in _REFUSED:
                raise RequestRejectedError(url, error.status, _WRONG_KEY) from None
            raise

    def _body_file(self, http: HttpClient, body: _StreamBody) -> FetchedFile:
        """Builds an arrival named by its content: repeated lines give the same bytes and are not new."""
        text = b"\n".join((*body.lines, b""))
        span = f"{body.first}-{body.last}" if body.first is not None else "no-timepoint"
        digest = hashlib.sha256(text).hexdigest()[:_DIGEST]
        gap = GAP if body.is_behind_gap else ""
        return FetchedFile(
            f"{self.name}/{span}-{digest}{gap}.jsonl",
            io.BytesIO(text),
            Scope.FEED,
            http.now(),
            None if body.last is None else Cursor(str(body.last)),
            f"{_ADDRESS}/{self.name}",
            200,
            {},
        )


def _reject_html_page(url: str, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the lines; raises if they are an HTML page, which may come with status 200."""
    for line in lines:
        if line.lstrip().startswith(b"<"):
            raise UnexpectedBodyError(url, 200, "expected events in JSON, found HTML")
        yield line
        if line:
            break
    yield from lines


def _drop_torn_line(lines: Iterator[bytes]) -> Iterator[_StreamLine]:
    """Delays invalid lines by one, so that a last line torn by the connection can be dropped."""
    held: _StreamLine | None = None
    for line in map(_StreamLine.of, lines):
        if held is not None:
            yield held  # not the last line: passed on to be rejected
        held = None if line.is_sound else line
        if line.is_sound:
            yield line
