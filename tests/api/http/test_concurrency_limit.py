"""Lists wait for their turn, give up in time, and leave their turn to others when they are broken off."""

import asyncio
import os
import sys
import threading

import pytest

from api.http.concurrency_limit import ListQueryPool
from api.problems.problem import ProblemError
from warehouse.reader.types import QueryTimeoutError

PATIENCE = 20


class Counted:
    def __init__(self):
        self.totals = {}

    def __call__(self, name, more):
        self.totals[name] = self.totals.get(name, 0) + more


class Gate:
    """A query that runs until it is let go."""

    def __init__(self):
        self.entered, self.leave = threading.Event(), threading.Event()

    def __call__(self):
        self.entered.set()
        assert self.leave.wait(PATIENCE)
        return "done"


async def entered(gate):
    await asyncio.to_thread(gate.entered.wait, PATIENCE)


def refused(trouble):
    assert (trouble.status, trouble.problem_type.code) == (503, "service_unavailable")
    assert trouble.headers == [(b"retry-after", b"2")]
    assert trouble.extra["retry_after"] == 2
    return True


def test_who_gets_no_turn_in_time_is_refused():
    count, gate = Counted(), Gate()

    async def run():
        lists = ListQueryPool(1, 0.01, count)
        running = asyncio.create_task(lists.run(gate))
        await entered(gate)
        with pytest.raises(ProblemError, check=refused):
            await lists.run(lambda: "second")
        gate.leave.set()
        assert await running == "done"
        assert await lists.run(lambda: "third") == "third"
        lists.close()

    asyncio.run(run())
    assert (count.totals["list_waits"], count.totals["list_refused"]) == (1, 1)
    assert count.totals["list_wait_seconds"] > 0


def test_who_goes_away_while_waiting_leaves_the_turn_to_others():
    gate = Gate()

    async def run():
        lists = ListQueryPool(1, PATIENCE, Counted())
        running = asyncio.create_task(lists.run(gate))
        await entered(gate)
        gone, next_one = (asyncio.create_task(lists.run(lambda name=name: name)) for name in ("gone", "next"))
        await asyncio.sleep(0)
        gone.cancel()
        gate.leave.set()
        assert await asyncio.wait_for(next_one, PATIENCE) == "next"
        assert await running == "done"
        assert gone.cancelled()
        lists.close()

    asyncio.run(run())


def test_who_goes_away_while_running_frees_its_turn_when_the_thread_is_done():
    gate, counted = Gate(), Counted()

    async def run():
        lists = ListQueryPool(1, PATIENCE, counted)
        running = asyncio.create_task(lists.run(gate))
        await entered(gate)
        running.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        other = asyncio.create_task(lists.run(lambda: "other"))
        await asyncio.sleep(0)
        assert not other.done()  # the thread is still at work: its turn is not given twice
        gate.leave.set()
        assert await asyncio.wait_for(other, PATIENCE) == "other"
        assert counted.totals["list_waits"] == 1
        lists.close()

    asyncio.run(run())


@pytest.mark.skipif(sys.platform != "linux", reason="priorities of threads are Linux's")
def test_list_threads_come_after_everything_else():
    async def run():
        lists = ListQueryPool(1, PATIENCE, Counted())
        found = await lists.run(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        lists.close()
        return found

    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert asyncio.run(run()) > own
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def test_too_slow_a_list_over_http(serve, world):
    class Slow:
        def pin_release(self):
            raise QueryTimeoutError("not answered within 5 s")

    service = serve(world, Slow())
    answer = service.get("/api/v1/companies?q=exempel")
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    assert answer.headers["retry-after"] == str(answer.json()["retry_after"]) == "2"
    assert service.parts.metrics.counts().totals["list_too_slow"] == 1
