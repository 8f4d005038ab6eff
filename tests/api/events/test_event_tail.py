"""What a stream keeps for a slow client, and how streams join the shared tail."""

import asyncio
from contextlib import closing
from typing import Any

from api.events.event_tail import BACKLOG_BYTES, EventChunk, EventTail, OpenStream
from api.events.watched import FeedQuery
from warehouse.reader.reader import ReleaseReader
from warehouse.reader.types import LedgerQuery


def stream(position: int = 0) -> OpenStream:
    return OpenStream(FeedQuery(LedgerQuery()), position)


def test_a_stream_ends_when_more_than_its_backlog_is_left_unread() -> None:
    async def run() -> None:
        half, slow = EventChunk(b"x" * (BACKLOG_BYTES // 2), 1), stream()
        slow.put(half, 1)
        slow.put(half, 2)
        assert (slow.end_reason, slow.backlog_bytes) == (None, BACKLOG_BYTES)
        slow.put(EventChunk(b"x", 1), 3)
        assert (slow.end_reason, slow.backlog_bytes, await slow.take(0)) == ("backlog", 0, None)

    asyncio.run(run())


def test_a_stream_that_writes_keeps_room_also_for_a_chunk_larger_than_the_backlog() -> None:
    async def run() -> None:
        large, fast = EventChunk(b"x" * (2 * BACKLOG_BYTES), 1), stream()
        for position in range(3):
            fast.put(large, position)
            assert await fast.take(0) is large
            assert not fast.drained.is_set()
            fast.written(large)
        assert (fast.end_reason, fast.drained.is_set()) == (None, True)

    asyncio.run(run())


def test_chunks_without_events_only_move_the_position() -> None:
    async def run() -> None:
        quiet = stream()
        quiet.put(EventChunk(b"", 0), 7)
        assert (quiet.position, await quiet.take(0)) == (7, None)

    asyncio.run(run())


def test_a_stream_joins_once_it_has_caught_up_and_never_while_stopping() -> None:
    async def run() -> None:
        tail, first, late = EventTail(None, None), stream(5), stream(4)  # type: ignore[arg-type] -- reads nothing here
        assert (tail.join(first, 5), tail.join(late, 5), tail.join(stream(6), 6)) == (True, False, True)
        tail.stop()
        refused = stream(9)
        assert (tail.join(refused, 9), refused.end_reason, first.end_reason) == (False, "shutdown", "shutdown")

    asyncio.run(run())


def test_streams_are_served_one_after_the_other_and_one_that_joins_meanwhile_has_every_event_once(make: Any) -> None:
    made, company = make(), "firm:SE:5599999991"
    made.publish([made.company(company, "A")], events=[made.event(company, one) for one in range(5)])

    async def run(reader: ReleaseReader) -> None:
        tail = EventTail(reader, None)  # type: ignore[arg-type] -- no watchlist is asked for
        early, late, stop = [stream() for _ in range(20)], stream(), asyncio.Event()
        assert all(tail.join(one, 0) for one in early)
        running = asyncio.create_task(tail.run(stop))
        first = await early[0].take(5)
        assert early[-1].position == 0
        assert tail.join(late, 0)
        chunks = [first, *[await one.take(5) for one in (*early[1:], late)]]
        assert {chunk and chunk.events for chunk in chunks} == {5}
        assert await late.take(0.5) is None
        stop.set()
        await running

    with closing(ReleaseReader(made.world.layout)) as reader:
        asyncio.run(run(reader))


def test_a_stream_that_begins_beyond_the_ledger_waits_and_holds_up_no_other(make: Any) -> None:
    """Another process may have had a newer release; or the client made the number up."""
    made, company = make(), "firm:SE:5599999991"
    made.publish([made.company(company, "A")], events=[made.event(company, one) for one in range(5)])

    async def run(reader: ReleaseReader) -> None:
        tail = EventTail(reader, None)  # type: ignore[arg-type] -- no watchlist is asked for
        invented, ahead, other, stop = stream(10**17), stream(6), stream(5), asyncio.Event()
        assert [tail.join(one, 5) for one in (invented, ahead, other)] == [True, True, True]
        running = asyncio.create_task(tail.run(stop))
        made.publish([made.company(company, "A")], events=[made.event(company, one) for one in (5, 6)])
        chunks = [await one.take(5) for one in (ahead, other)]
        assert [chunk and chunk.events for chunk in chunks] == [1, 2]
        assert await invented.take(0.1) is None
        stop.set()
        await running

    with closing(ReleaseReader(made.world.layout)) as reader:
        asyncio.run(run(reader))
