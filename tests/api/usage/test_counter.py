"""Gathering counts in memory and having them stored: how many at most, and what happens while storing fails."""

import asyncio
import logging

from sqlalchemy.exc import OperationalError

from api.usage import counter
from api.usage.counter import UsageCount, UsageCounter


class Shelf:
    """A store in memory that fails when told to, and notes every call."""

    def __init__(self):
        self.totals, self.calls, self.broken, self.closed = {}, [], False, False

    def add(self, rows):
        self.calls.append(list(rows))
        if self.broken:
            raise OperationalError("statement", {}, RuntimeError("gone"))
        for account_id, month, count in rows:
            self.totals[account_id, month] = self.totals.get((account_id, month), 0) + count
        return [(account_id, month, self.totals[account_id, month]) for account_id, month, _ in rows]

    def add_at_once(self, rows):
        return None  # as PostgreSQL

    def close(self):
        self.closed = True


class NearShelf(Shelf):
    """A store that needs no thread, unless somebody else is writing."""

    def __init__(self):
        super().__init__()
        self.at_once, self.busy = 0, False

    def add_at_once(self, rows):
        if self.busy:
            return None
        self.at_once += 1
        return Shelf.add(self, rows)


async def until(settled):
    """Lets the loop run until something holds; each turn waits for whatever is under way."""
    for _ in range(100_000):
        if settled():
            return
        await asyncio.sleep(0)
    raise AssertionError


class TestGathering:
    """`UsageCounter` alone, over a store in memory."""

    def test_under_fifty_requests_are_ever_gathered(self):
        async def run():
            shelf, count = Shelf(), UsageCount("acc_1", 202611)
            gathering = UsageCounter(shelf, lambda: 0.0)
            worst = 0
            for number in range(1, 501):
                gathering.add(count)
                worst = max(worst, number - shelf.totals.get(("acc_1", 202611), 0))
                await until(lambda: count.writing == 0)
                assert count.used == number
            assert worst < 50
            await gathering.close()
            assert shelf.totals == {("acc_1", 202611): 500}
            assert shelf.closed

        asyncio.run(run())

    def test_what_takes_no_waiting_takes_no_thread(self, monkeypatch):
        monkeypatch.setattr(counter, "WRITES_PER_TURN", 4)

        async def run():
            shelf, count = NearShelf(), UsageCount("acc_1", 202611)
            gathering = UsageCounter(shelf, lambda: 0.0)
            for number in range(1, 46 * 8):
                gathering.add(count)
                assert number - shelf.totals.get(("acc_1", 202611), 0) < 50
                await until(lambda: count.writing == 0)
                assert count.used == number
            assert (shelf.at_once, len(shelf.calls)) == (6, 8), "of four, the thread makes one"
            shelf.busy = True
            for _ in range(46):
                gathering.add(count)
            await until(lambda: count.writing == 0)
            assert (shelf.at_once, len(shelf.calls)) == (6, 9)
            await gathering.close()
            assert shelf.totals == {("acc_1", 202611): 46 * 9 - 1}

        asyncio.run(run())

    def test_a_few_are_stored_when_the_time_has_come(self, monkeypatch):
        async def run():
            shelf, gathering = Shelf(), None
            gathering = UsageCounter(shelf, lambda: 0.0)
            gathering.add(UsageCount("acc_1", 202611))
            await until(lambda: shelf.totals)
            await gathering.close()

        assert counter.GATHERING_SECONDS <= 1
        monkeypatch.setattr(counter, "GATHERING_SECONDS", 0)
        asyncio.run(run())

    def test_what_is_not_stored_yet_counts_at_once(self):
        async def run():
            shelf, count = Shelf(), UsageCount("acc_1", 202611, stored=100)
            gathering = UsageCounter(shelf, lambda: 0.0)
            shelf.totals["acc_1", 202611] = 130  # another process has counted meanwhile
            for _ in range(10):
                gathering.add(count)
            assert count.used == 110
            await gathering.close()
            assert count.used == 140
            count.learn(120)
            assert count.used == 140, "an older answer changes nothing"
            count.learn(150)
            assert count.used == 150

        asyncio.run(run())

    def test_while_the_database_fails_counts_are_kept_and_said_once_a_minute(self, monkeypatch, caplog):
        monkeypatch.setattr(counter, "RETRY_SECONDS", 0)
        now = [0.0]

        async def run():
            shelf, count = Shelf(), UsageCount("acc_1", 202611)
            gathering = UsageCounter(shelf, lambda: now[0])
            shelf.broken = True
            for number in range(1, 201):
                gathering.add(count)
                assert count.used == number, "and what is told never goes back"
            await until(lambda: len(shelf.calls) >= 5)
            assert caplog.text.count("usage cannot be stored") == 1
            now[0] = 61.0
            tried = len(shelf.calls)
            await until(lambda: len(shelf.calls) >= tried + 3)
            assert caplog.text.count("usage cannot be stored") == 2
            shelf.broken = False
            await until(lambda: shelf.totals)
            gathering.add(count)
            await gathering.close()
            assert shelf.totals == {("acc_1", 202611): 201}

        with caplog.at_level(logging.WARNING, "firm.api"):
            asyncio.run(run())

    def test_while_it_fails_it_is_not_asked_for_every_batch(self):
        async def run():
            shelf, count = Shelf(), UsageCount("acc_1", 202611)
            gathering = UsageCounter(shelf, lambda: 0.0)
            shelf.broken = True
            for _ in range(1000):
                gathering.add(count)
                await until(lambda: count.writing == 0)
            assert len(shelf.calls) == 1
            shelf.broken = False
            await gathering.close()
            assert shelf.totals == {("acc_1", 202611): 1000}

        asyncio.run(run())

    def test_what_is_lost_at_the_end_is_said(self, caplog):
        async def run():
            shelf = Shelf()
            gathering = UsageCounter(shelf, lambda: 0.0)
            shelf.broken = True
            gathering.add(UsageCount("acc_1", 202611))
            await gathering.close()

        with caplog.at_level(logging.WARNING, "firm.api"):
            asyncio.run(run())
        assert "1 requests of 1 accounts remain uncounted" in caplog.text

    def test_rows_come_in_one_order(self):
        async def run():
            shelf, gathering = Shelf(), None
            gathering = UsageCounter(shelf, lambda: 0.0)
            for name in ("acc_3", "acc_1", "acc_2"):
                gathering.add(UsageCount(name, 202611))
            await gathering.close()
            assert shelf.calls == [[("acc_1", 202611, 1), ("acc_2", 202611, 1), ("acc_3", 202611, 1)]]

        asyncio.run(run())
