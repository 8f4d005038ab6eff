"""Counts of requests per account and month: gathered here, written together, read back.

See docs/contract/keys-and-limits.md 3.3.

At most `_REQUESTS` requests or `GATHERING_SECONDS` are gathered before they are added to the database, at once
where that takes no waiting, else by a thread, never more than one write at a time; the total of all processes
comes back with it. So a process that dies loses what it has not written (under 50 requests in ordinary running)
and never counts one twice. While the database fails, nobody is refused for it: counts are kept, one number per
account, and written when it works again. A caller is told what the database knew last plus everything counted
here since, so never less than is known.

Does not belong here: what counts, and what is answered (`api.limits`); SQL (`api.db.repositories`).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

from sqlalchemy.exc import SQLAlchemyError

_LOGGER: Final = logging.getLogger("firm.api")
_REQUESTS: Final = 45  # leaves room below 50 for those that are answered while these are written
GATHERING_SECONDS: Final = 0.5
WRITES_PER_TURN: Final = 200
"""Of so many writes the thread makes one: its connection also takes care of a log that grows (`api.db.counts`)."""
RETRY_SECONDS: Final = 1.0
_SAID_EVERY: Final = 60.0

Row = tuple[str, int, int]
"""Account, month (202611), count."""


class Store(Protocol):
    """Where counts are kept. `add` and `close` may wait, and are called by one thread."""

    def add(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Add counts, and give the totals there are then."""
        ...

    def add_at_once(self, rows: Sequence[Row]) -> Sequence[Row] | None:
        """The same within microseconds, on the event loop; None, and nothing added, where it would have to wait."""
        ...

    def close(self) -> None: ...


class Count:
    """Requests of one account in one month: what was stored when last seen, and what this process has beside it."""

    __slots__ = ("account_id", "month", "pending", "stored", "used", "writing")

    def __init__(self, account_id: str, month: int, stored: int = 0) -> None:
        self.account_id = account_id
        self.month = month
        self.stored = stored
        self.writing = 0
        self.pending = 0
        self.used = stored

    def learn(self, stored: int) -> None:
        """What the database says. Counts only grow: an older answer that comes later changes nothing."""
        if stored > self.stored:
            self.stored = stored
            self.used = stored + self.writing + self.pending


class Usage:
    """Gathers counts on the event loop and has `store` add them up: at once, or in a thread of its own.

    To wake a thread for every few requests costs more than what it does.
    """

    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._monotonic = monotonic
        self._changed: list[Count] = []
        self._gathered = 0
        self._writes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Future[Sequence[Row]] | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="firm-usage")
        self._works = True
        self._said = float("-inf")

    def add(self, count: Count) -> None:
        """One request more."""
        count.used += 1
        count.pending += 1
        if count.pending == 1:
            self._changed.append(count)
        self._gathered += 1
        if self._timer is None:
            if self._running is None:
                self._later(GATHERING_SECONDS)
        elif self._gathered >= _REQUESTS and self._running is None and self._works:
            self._flush()

    async def close(self) -> None:
        """Write what is left; afterwards nothing is counted any more."""
        await self._written()
        if self._changed:
            self._flush()
            await self._written()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lost = sum(count.pending for count in self._changed)
        if lost:
            _LOGGER.error("%d requests of %d accounts stay uncounted", lost, len(self._changed))
        await asyncio.get_running_loop().run_in_executor(self._pool, self._store.close)
        self._pool.shutdown()

    async def _written(self) -> None:
        while self._running is not None:
            await asyncio.wait([self._running])

    def _later(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        written, self._changed, self._gathered = self._changed, [], 0
        rows: list[Row] = []
        for count in written:
            count.writing, count.pending = count.pending, 0
            rows.append((count.account_id, count.month, count.writing))
        rows.sort()  # all processes in one order: none waits for another in a circle
        self._writes += 1
        totals = self._store.add_at_once(rows) if self._writes % WRITES_PER_TURN else None
        if totals is not None:
            self._stored(written, totals)
            return
        running = asyncio.get_running_loop().run_in_executor(self._pool, self._store.add, rows)
        self._running = running
        running.add_done_callback(lambda done: self._done(done, written))

    def _done(self, done: "asyncio.Future[Sequence[Row]]", written: list[Count]) -> None:
        self._running = None
        failure = None if done.cancelled() else done.exception()
        if done.cancelled() or failure is not None:
            self._works = False
            self._keep(written)
            self._say(failure)
            self._later(RETRY_SECONDS)
            return
        self._stored(written, done.result())
        if self._gathered >= _REQUESTS:
            self._flush()
        elif self._changed:
            self._later(GATHERING_SECONDS)

    def _stored(self, written: list[Count], rows: Sequence[Row]) -> None:
        self._works = True
        totals = {(account_id, month): total for account_id, month, total in rows}
        for count in written:
            total = totals.get((count.account_id, count.month), count.stored + count.writing)
            count.stored, count.writing = max(count.stored, total), 0
            count.used = count.stored + count.pending

    def _keep(self, written: list[Count]) -> None:
        """What was not written waits with what came since."""
        for count in written:
            if count.pending == 0:
                self._changed.append(count)
            count.pending, count.writing = count.pending + count.writing, 0

    def _say(self, failure: BaseException | None) -> None:
        """Once a minute, and only of a database that fails: anything else is an error of ours."""
        now = self._monotonic()
        if isinstance(failure, SQLAlchemyError) and now - self._said < _SAID_EVERY:
            return
        self._said = now
        _LOGGER.warning("usage cannot be stored; it is kept and tried again", exc_info=failure)
