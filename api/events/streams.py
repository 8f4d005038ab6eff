"""The streams of one process: opening and closing them, and what runs while they are open.

Does not belong here: the shared tail (`api.events.event_tail`), rows of open streams (`api.events.stream_leases`).
"""

import asyncio
import logging
from typing import Final

from api.common.background import process_name, run_with_restart, sleep_or_stop
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import AsyncDatabase
from api.events import stream_leases
from api.events.event_tail import EventTail
from api.problems.problem import ProblemError
from warehouse.reader.reader import ReleaseReader

_LOGGER: Final = logging.getLogger("firm.api")


class EventStreams:
    """Open streams of this process."""

    def __init__(self, reader: ReleaseReader, database: AsyncDatabase, clock: Clock, ulids: UlidGenerator) -> None:
        self.tail = EventTail(reader, database)
        self._database = database
        self._clock = clock
        self._ulids = ulids
        self._holder = ""
        self._open: set[str] = set()

    async def open(self, account_id: str, limit: int) -> str | None:
        """Counts a stream of the account; its id, or None if it has `limit` streams."""
        self._holder = self._holder or process_name()  # not before workers are forked
        stream_id = self._ulids.make("str")
        self._open.add(stream_id)
        taken = False
        try:
            taken = await self._database.write(
                stream_leases.open_lease, stream_id, account_id, self._holder, self._clock.now(), limit
            )
        finally:
            if not taken:
                self._open.discard(stream_id)
        return stream_id if taken else None

    async def close(self, stream_id: str) -> None:
        """Ends the count of a stream; if the database cannot be reached, with the next renewal."""
        self._open.discard(stream_id)
        try:
            await self._database.write(stream_leases.close_lease, stream_id)
        except ProblemError:
            _LOGGER.warning(
                "a closed stream counts for up to %s more: its row could not be deleted", stream_leases.LEASE
            )

    async def run(self, stop: asyncio.Event) -> None:
        """Follows the ledger and extends the rows of open streams, until the process stops."""
        await asyncio.gather(
            run_with_restart(self.tail.run, "event tail", stop),
            run_with_restart(self._renew, "leases of event streams", stop),
        )

    async def _renew(self, stop: asyncio.Event) -> None:
        while not await sleep_or_stop(stop, stream_leases.RENEWAL_SECONDS):
            if self._holder:
                now = self._clock.now()
                await self._database.write(stream_leases.renew_leases, self._holder, tuple(self._open), now)
