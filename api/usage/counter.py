"""Usage counters: requests per account and month, buffered here, written in batches, read back.

See docs/contract/keys-and-limits.md 3.3. At most `_REQUESTS` requests or `GATHERING_SECONDS` are buffered
before they are added to the database; urgent ones are not. Adding is immediate if that needs no waiting, else by a
thread, one write at a time. The write returns the total over all processes. So a process that dies loses what it has
not written (normally under 50 requests) and never counts a request twice. While the database fails, no request is
rejected for it: counts are kept, one number per account, and written once it works again. Callers see the last known
database count plus everything counted here since, so never less than is known.

Does not belong here: which requests count, and the responses (`api.rate_limits.limiter`); SQL
(`api.usage.repository`).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from sqlalchemy.exc import SQLAlchemyError

_LOGGER: Final = logging.getLogger("firm.api")
_REQUESTS: Final = 45  # below 50, to leave room for requests answered while these are written
GATHERING_SECONDS: Final = 0.5
WRITES_PER_TURN: Final = 200
"""Every n-th write is made by the thread: its connection also checkpoints a growing log."""
RETRY_SECONDS: Final = 1.0
_SAID_EVERY: Final = 60.0

Row = tuple[str, int, int]
"""Account, month (202611), count."""


@dataclass(frozen=True, slots=True)
class Month:
    """One calendar month; `number` is its stored form, e.g. 202611."""

    number: int
    start: datetime
    end: datetime
    from_second: int
    to_second: int

    @property
    def seconds(self) -> int:
        return self.to_second - self.from_second


def month_at(wall: float) -> Month:
    """The month of an instant given as seconds since 1970."""
    start = datetime.fromtimestamp(wall, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    year, following = divmod(start.year * 12 + start.month, 12)
    end = start.replace(year=year, month=following + 1)
    return Month(start.year * 100 + start.month, start, end, int(start.timestamp()), int(end.timestamp()))


class UsageStore(Protocol):
    """Storage of counts. `add` and `close` may block, and are called by one thread."""

    def add(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Adds counts and returns the new totals."""
        ...

    def add_at_once(self, rows: Sequence[Row]) -> Sequence[Row] | None:
        """The same within microseconds, on the event loop; None, and nothing added, if it would block."""
        ...

    def close(self) -> None: ...


class UsageCount:
    """Requests of one account in one month: the last known stored count, plus what this process has not stored."""

    __slots__ = ("account_id", "month", "pending", "stored", "used", "writing")

    def __init__(self, account_id: str, month: int, stored: int = 0) -> None:
        self.account_id = account_id
        self.month = month
        self.stored = stored
        self.writing = 0
        self.pending = 0
        self.used = stored

    def learn(self, stored: int) -> None:
        """Takes over a stored count. Counts only grow: an older value that arrives later changes nothing."""
        if stored > self.stored:
            self.stored = stored
            self.used = stored + self.writing + self.pending


class UsageCounter:
    """Buffers counts on the event loop and writes them to `store`: directly, or in its own thread.

    Waking a thread for every few requests would cost more than the write.
    """

    def __init__(self, store: UsageStore, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._monotonic = monotonic
        self._changed: list[UsageCount] = []
        self._gathered = 0
        self._writes = 0
        self._is_urgent = False
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Future[Sequence[Row]] | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="firm-usage")
        self._works = True
        self._said = float("-inf")

    def add(self, count: UsageCount, *, is_urgent: bool = False) -> None:
        """Counts one request. `is_urgent`: it is written as soon as no other write is under way."""
        count.used += 1
        count.pending += 1
        if count.pending == 1:
            self._changed.append(count)
        self._gathered += 1
        self._is_urgent |= is_urgent
        if self._running is not None:
            return
        if self._works and self._is_full():
            self._flush()
        elif self._timer is None:
            self._schedule_flush(GATHERING_SECONDS)

    def _is_full(self) -> bool:
        return self._is_urgent or self._gathered >= _REQUESTS

    async def close(self) -> None:
        """Writes the remaining counts; afterwards nothing is counted."""
        await self._wait_for_write()
        if self._changed:
            self._flush()
            await self._wait_for_write()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lost = sum(count.pending for count in self._changed)
        if lost:
            _LOGGER.error("%d requests of %d accounts remain uncounted", lost, len(self._changed))
        await asyncio.get_running_loop().run_in_executor(self._pool, self._store.close)
        self._pool.shutdown()

    async def _wait_for_write(self) -> None:
        while self._running is not None:
            await asyncio.wait([self._running])

    def _schedule_flush(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        written, self._changed, self._gathered, self._is_urgent = self._changed, [], 0, False
        rows: list[Row] = []
        for count in written:
            count.writing, count.pending = count.pending, 0
            rows.append((count.account_id, count.month, count.writing))
        rows.sort()  # same order in all processes: prevents deadlocks
        self._writes += 1
        totals = self._store.add_at_once(rows) if self._writes % WRITES_PER_TURN else None
        if totals is not None:
            self._apply_totals(written, totals)
            return
        running = asyncio.get_running_loop().run_in_executor(self._pool, self._store.add, rows)
        self._running = running
        running.add_done_callback(lambda done: self._on_write_done(done, written))

    def _on_write_done(self, done: "asyncio.Future[Sequence[Row]]", written: list[UsageCount]) -> None:
        self._running = None
        failure = None if done.cancelled() else done.exception()
        if done.cancelled() or failure is not None:
            self._works = False
            self._requeue_counts(written)
            self._log_failure(failure)
            self._schedule_flush(RETRY_SECONDS)
            return
        self._apply_totals(written, done.result())
        if self._is_full():
            self._flush()
        elif self._changed:
            self._schedule_flush(GATHERING_SECONDS)

    def _apply_totals(self, written: list[UsageCount], rows: Sequence[Row]) -> None:
        self._works = True
        totals = {(account_id, month): total for account_id, month, total in rows}
        for count in written:
            total = totals.get((count.account_id, count.month), count.stored + count.writing)
            count.stored, count.writing = max(count.stored, total), 0
            count.used = count.stored + count.pending

    def _requeue_counts(self, written: list[UsageCount]) -> None:
        """Keeps counts that could not be written, together with newer ones."""
        for count in written:
            if count.pending == 0:
                self._changed.append(count)
            count.pending, count.writing = count.pending + count.writing, 0

    def _log_failure(self, failure: BaseException | None) -> None:
        """Logs a failure; database failures at most once a minute, anything else is a bug and always logged."""
        now = self._monotonic()
        if isinstance(failure, SQLAlchemyError) and now - self._said < _SAID_EVERY:
            return
        self._said = now
        _LOGGER.warning("usage cannot be stored; it is kept and will be retried", exc_info=failure)
