"""The tail of the ledger that all streams of a process share: each new event is encoded once, and matched by filter.

A stream that has caught up joins the tail; from then on it gets chunks, which streams with equal filters share, and
keeps those that its client has not taken. Beyond `BACKLOG_BYTES` it ends: its client reconnects after the last event
that it got. The tail goes on when every stream has written, or after `PACE_SECONDS`: one slow client delays the others
by no more. Does not belong here: HTTP (`api.events.routes.event_stream`), counting (`api.events.stream_leases`).
"""

import asyncio
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from api.common.background import sleep_or_stop
from api.database.engine import AsyncDatabase
from api.events.watched import NONE_WATCHED, FeedQuery, Watched
from api.watchlists.repository import watched_companies
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.queries.ledger_events import event_body
from warehouse.reader.reader import ReleaseReader
from warehouse.reader.types import CompanyFacts, LedgerQuery

BACKLOG_BYTES: Final = 1 << 20
BATCH_EVENTS: Final = 100
POLL_SECONDS: Final = 0.25
PACE_SECONDS: Final = 0.1
_EVERYTHING: Final = LedgerQuery()


@dataclass(frozen=True, slots=True)
class EventChunk:
    """Events as a stream sends them, and their number."""

    body: bytes
    events: int


def event_chunk(events: Sequence[LedgerEvent]) -> EventChunk:
    """The events in the format of server-sent events."""
    messages = [
        b"id: %d\nevent: %b\ndata: %b\n\n" % (one.sequence, one.event_type.encode(), event_body(one)) for one in events
    ]
    return EventChunk(b"".join(messages), len(events))


class OpenStream:
    """One stream: its filters, up to which sequence it was served, and what its client has not taken."""

    __slots__ = ("__weakref__", "_chunks", "_wake", "backlog_bytes", "drained", "end_reason", "position", "query")

    def __init__(self, query: FeedQuery, position: int) -> None:
        self.query = query
        self.position = position
        self.backlog_bytes = 0
        self.end_reason: str | None = None
        self._chunks: deque[EventChunk] = deque()
        self._wake = asyncio.Event()
        self.drained = asyncio.Event()
        """Set while nothing waits to be written."""
        self.drained.set()

    def put(self, chunk: EventChunk, position: int) -> None:
        """Adds events to send, the last of them at `position`; ends the stream if its client is too slow."""
        self.position = position
        if not chunk.events:
            return
        if self.backlog_bytes and self.backlog_bytes + len(chunk.body) > BACKLOG_BYTES:
            self.end("backlog")
            return
        self._chunks.append(chunk)
        self.backlog_bytes += len(chunk.body)
        self.drained.clear()
        self._wake.set()

    def end(self, reason: str) -> None:
        """Ends the stream; what was not written yet is dropped."""
        self.end_reason = self.end_reason or reason
        self._chunks.clear()
        self.backlog_bytes = 0
        self.drained.set()
        self._wake.set()

    async def take(self, seconds: float) -> EventChunk | None:
        """The next events; None if there are none within the time, or at the end of the stream."""
        if not self._chunks and self.end_reason is None:
            self._wake.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            except TimeoutError:
                return None
        return self._chunks.popleft() if self._chunks else None

    def written(self, chunk: EventChunk) -> None:
        """The client has taken a chunk, or the connection's buffers have."""
        self.backlog_bytes = max(0, self.backlog_bytes - len(chunk.body))
        if not self.backlog_bytes:
            self.drained.set()


@dataclass(frozen=True, slots=True)
class _Batch:
    after: int
    seen_to: int
    events: Sequence[LedgerEvent]
    facts: Mapping[str, CompanyFacts]
    watched: Watched

    def chunk(self, query: FeedQuery, after: int) -> EventChunk:
        """The events above a sequence that match."""
        matched = (one for one in self.events if one.sequence > after)
        return event_chunk([one for one in matched if query.matches(one, self.facts.get(one.company_id), self.watched)])


def _put_next(stream: OpenStream, batch: _Batch, chunks: dict[tuple[FeedQuery, int], EventChunk]) -> None:
    """Hands a stream what it does not have of a batch; `chunks`: those that were made for others."""
    wanted = (stream.query, max(stream.position, batch.after))
    if stream.position < batch.seen_to:
        chunk = chunks.get(wanted)
        if chunk is None:
            chunk = chunks[wanted] = batch.chunk(*wanted)
        stream.put(chunk, batch.seen_to)


class EventTail:
    """Follows the releases while streams are open. Belongs to the event loop, but for reading."""

    def __init__(self, reader: ReleaseReader, database: AsyncDatabase) -> None:
        self._reader = reader
        self._database = database
        self._streams: dict[OpenStream, None] = {}
        self._position = 0
        self.is_stopping = False

    def join(self, stream: OpenStream, ledger_end: int) -> bool:
        """Adds a stream that has caught up; False if it has not, or has ended.

        `ledger_end`: the newest event that the stream could read. One that begins beyond it (another process may have
        had a newer release) waits for what follows, and the tail does not run ahead with it.
        """
        if self.is_stopping:
            stream.end("shutdown")
        if stream.end_reason is not None:
            return False
        if not self._streams:
            self._position = min(stream.position, ledger_end)
        elif stream.position < self._position:
            return False
        self._streams[stream] = None
        return True

    def leave(self, stream: OpenStream) -> None:
        self._streams.pop(stream, None)

    def stop(self) -> None:
        """Ends every stream, and those that join later: the process shuts down."""
        self.is_stopping = True
        for stream in self._streams:
            stream.end("shutdown")

    async def run(self, stop: asyncio.Event) -> None:
        """Serves the streams until the process stops."""
        while not await sleep_or_stop(stop, POLL_SECONDS):
            while self._streams and await self._advance():
                await self._wait_for_writers()

    async def _advance(self) -> bool:
        """Hands the next events to the streams; False if there are none."""
        reads_profiles, watchlists = self._needs()
        batch = await asyncio.to_thread(self._read_batch, self._position, reads_profiles, watchlists)
        if not self._is_for_all(batch, reads_profiles, watchlists):
            return True
        chunks: dict[tuple[FeedQuery, int], EventChunk] = {}
        for stream in tuple(self._streams):
            _put_next(stream, batch, chunks)
            await asyncio.sleep(0)  # it writes, and requests of others are answered
        if not self._is_for_all(batch, reads_profiles, watchlists):  # by now
            return True
        for stream in self._streams:  # that joined meanwhile
            _put_next(stream, batch, chunks)
        self._position = batch.seen_to
        return bool(batch.events)

    def _is_for_all(self, batch: _Batch, reads_profiles: bool, watchlists: Collection[str]) -> bool:
        """False if a batch was read for others: streams have left, and one began elsewhere or filters by more."""
        needs_profiles, needed = self._needs()
        return batch.after == self._position and needs_profiles <= reads_profiles and needed <= {*watchlists}

    def _needs(self) -> tuple[bool, set[str]]:
        """Whether the open streams filter by profiles, and by which watchlists."""
        watchlists = {one for stream in self._streams for one in stream.query.watchlists}
        return any(stream.query.ledger.reads_profiles for stream in self._streams), watchlists

    def _read_batch(self, after: int, reads_profiles: bool, watchlists: Collection[str]) -> _Batch:
        with self._reader.pin_release() as snapshot:
            page = snapshot.ledger_events(_EVERYTHING, after, BATCH_EVENTS)
            companies = {one.company_id for one in page.events}
            facts = snapshot.company_facts(companies) if reads_profiles else {}
        watched = NONE_WATCHED
        if watchlists and companies:
            watched = self._database.read_here(watched_companies, watchlists, companies)
        return _Batch(after, page.seen_to, page.events, facts, watched)

    async def _wait_for_writers(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(PACE_SECONDS):
                for stream in tuple(self._streams):
                    await stream.drained.wait()
