"""No endpoint keeps another from its deliveries: caps, turns, pace, backlog, over real HTTP.

See docs/contract/delivery.md 6.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import update

from api.database.models.webhooks import Attempt, EndpointState, QueuedAttempt
from tests.api.fixtures.delivery_engine import (
    LOCAL,
    NOON,
    Control,
    Running,
    Scripted,
    controlled,
    exhaust,
    outcome,
    receiver,
    running,
    sender,
    until,
)

pytestmark = pytest.mark.anyio
LOCAL_SETTINGS: dict[str, Any] = {"allow_networks": LOCAL, "allow_http": True}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def control(control_url: str) -> AsyncIterator[Control]:
    async with controlled(control_url, Running()) as made:
        yield made


@pytest.fixture
async def still(control_url: str) -> AsyncIterator[Control]:
    """On a clock whose hands the test moves."""
    async with controlled(control_url) as made:
        yield made


class Endpoint:
    """Counts what is under way at once; answers when the gate is open."""

    def __init__(self, *, is_open: bool = True) -> None:
        self.gate = asyncio.Event()
        if is_open:
            self.gate.set()
        self.now = self.peak = self.answered = 0
        self.events: Counter[str] = Counter()

    async def __call__(self, request: web.Request) -> web.Response:
        self.now += 1
        self.peak = max(self.peak, self.now)
        try:
            self.events[request.headers["webhook-id"]] += 1
            await self.gate.wait()
            self.answered += 1
        finally:
            self.now -= 1
        return web.Response(status=204)


def mark(control: Control, subscription_ids: list[str], **health: Any) -> None:
    """As if these endpoints had done so before."""
    with control.writing() as connection:
        chosen = update(EndpointState).where(EndpointState.subscription_id.in_(subscription_ids))
        connection.execute(chosen.values(health))


HEALTHS: list[dict[str, Any]] = [{"last_success_at": NOON}, {"consecutive_failures": 3}, {}]


@pytest.mark.parametrize("health", HEALTHS, ids=["that-did-well", "that-fails", "that-is-new"])
async def test_hanging_endpoint_does_not_delay_others(control: Control, health: dict[str, Any]) -> None:
    """As many endpoints hang as half of what may be under way, with backlogs that are older than the others'."""
    hanging, well, egress = Endpoint(is_open=False), Endpoint(), sender()
    async with receiver(hanging) as hangs, receiver(well) as answers:
        sick = [control.subscribe(f"{hangs}/{one}") for one in range(7)]
        if health:
            mark(control, sick, **health)
        control.deliver(*sick, count=20)
        healthy = [control.subscribe(f"{answers}/{one}") for one in range(10)]
        mark(control, healthy, last_success_at=NOON)
        control.deliver(*healthy, count=20)
        worker = control.worker(egress, in_flight=16, ack_seconds=30, lease_seconds=60, **LOCAL_SETTINGS)
        async with running(worker):
            await until(lambda: well.answered == 200)
            assert hanging.answered == 0, "it still hangs: the others did not wait for it"
            assert hanging.peak <= 8, "at most half of what may be under way"
            hanging.gate.set()
            await until(lambda: hanging.answered == 140)
    assert control.statuses() == {"succeeded": 340}


async def test_endpoints_that_hang_keep_no_places_from_others(control: Control) -> None:
    """More endpoints hang than a worker holds lanes: those that wait for a place get one."""
    hanging, well, egress = Endpoint(is_open=False), Endpoint(), sender()
    async with receiver(hanging) as hangs, receiver(well) as answers:
        sick = [control.subscribe(f"{hangs}/{one}") for one in range(60)]
        mark(control, sick, consecutive_failures=1)
        control.deliver(*sick, count=2)
        control.deliver(*[control.subscribe(f"{answers}/{one}") for one in range(30)], count=5)
        worker = control.worker(egress, in_flight=8, ack_seconds=30, lease_seconds=60, **LOCAL_SETTINGS)
        async with running(worker):
            await until(lambda: well.answered == 150)
            assert hanging.answered == 0
            hanging.gate.set()
            await until(lambda: hanging.answered == 120)


async def test_in_flight_cap(control: Control) -> None:
    endpoint, egress = Endpoint(is_open=False), sender()
    async with receiver(endpoint) as url:
        lane = control.subscribe(url)
        mark(control, [lane], last_success_at=NOON)
        control.deliver(lane, count=40)
        async with running(control.worker(egress, **LOCAL_SETTINGS)):
            await until(lambda: endpoint.now == 4)
            endpoint.gate.set()
            await until(lambda: endpoint.answered == 40)
    assert endpoint.peak == 4
    assert set(endpoint.events.values()) == {1}


async def test_in_flight_cap_of_all(control: Control) -> None:
    endpoint, egress = Endpoint(is_open=False), sender()
    async with receiver(endpoint) as url:
        lanes = [control.subscribe(f"{url}/{one}") for one in range(20)]
        mark(control, lanes, last_success_at=NOON)
        control.deliver(*lanes, count=10)
        async with running(control.worker(egress, in_flight=6, **LOCAL_SETTINGS)):
            await until(lambda: endpoint.now == 6)
            endpoint.gate.set()
            await until(lambda: endpoint.answered == 200)
    assert endpoint.peak == 6
    assert set(endpoint.events.values()) == {1}


async def test_an_endpoint_that_fails_gets_one_attempt_at_a_time(control: Control) -> None:
    endpoint, egress = Endpoint(is_open=False), sender()
    async with receiver(endpoint) as url:
        lane = control.subscribe(url)
        control.deliver(lane, count=10)
        async with running(control.worker(egress, **LOCAL_SETTINGS)):
            await until(lambda: endpoint.now == 1)
            endpoint.gate.set()
            await until(lambda: endpoint.answered == 10)
            assert control.lane(lane).consecutive_failures == 0


async def test_max_per_second(still: Control) -> None:
    egress = Scripted()
    lane, free = still.subscribe(max_per_second=3), still.subscribe()
    still.deliver(lane, count=10)
    still.deliver(free, count=10)
    worker = still.worker(egress)

    async def sent_after(seconds: float) -> int:
        before = len(egress.posts)
        still.hands.move(seconds)
        for _ in range(30):
            await worker.tick()
            await asyncio.sleep(0)
        return len(egress.posts) - before

    assert [await sent_after(gap) for gap in (0, 0.5, 0.49, 0.01, 0.9, 0.1, 1)] == [13, 0, 0, 3, 0, 3, 1]
    assert still.statuses() == {"succeeded": 20}


async def test_max_per_second_over_the_wire_and_two_workers(control: Control) -> None:
    endpoint, one, other = Endpoint(), sender(), sender()
    async with receiver(endpoint) as url:
        lane = control.subscribe(url, max_per_second=10)
        control.deliver(lane, count=25)
        async with running(
            control.worker(one, "one", **LOCAL_SETTINGS), control.worker(other, "other", **LOCAL_SETTINGS)
        ):
            await until(lambda: endpoint.answered == 25)
    starts = sorted(round(row.started_at.timestamp() * 1_000) for row in control.rows(Attempt))
    assert all(later - first >= 990 for first, later in zip(starts, starts[10:], strict=False))


@pytest.mark.slow
async def test_10k_backlog_drains(still: Control) -> None:
    egress, lane = Scripted(), still.subscribe()
    others = [still.subscribe() for _ in range(20)]
    still.deliver(lane, count=10_000)
    still.deliver(*others)
    await exhaust(still.worker(egress))
    assert still.statuses() == {"succeeded": 10_020}
    assert len({post.headers["X-Service-Delivery"] for post in egress.posts}) == len(egress.posts) == 10_020
    assert still.count(Attempt) == 10_020
    assert still.count(QueuedAttempt) == 0
    place = max(place for place, post in enumerate(egress.posts) if post.headers["webhook-id"][-5:] > "10000")
    assert place < 1_000, "a long queue does not stand before the others"


async def test_a_failing_backlog_is_retried_and_paused_as_any_other(still: Control) -> None:
    lane, well = still.subscribe("https://a.example/"), still.subscribe("https://b.example/")
    egress = Scripted(lambda post: outcome(500 if "a.example" in post.url else 204))
    still.deliver(lane, count=200)
    still.deliver(well, count=200)
    await exhaust(still.worker(egress))
    assert still.statuses() == {"retrying": 200, "succeeded": 200}
    assert still.lane(lane).consecutive_failures == 200
