"""What callers put back into the queue, carried out by a real worker: retries by hand and replays, on both engines."""

import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from api.database.models.webhooks import Delivery, EndpointState, QueuedAttempt
from api.webhooks.deliveries import models, repository, service
from api.webhooks.deliveries.models import DetailRecord, ReplayRecord
from api.webhooks.deliveries.service import DeliveryScope, ReplayRequest
from api.webhooks.subscriptions.repository import delete_subscription, pause_subscription, resume_subscription
from tests.api.fixtures.delivery_engine import ACCOUNT, Control, Scripted, controlled, exhaust, outcome, through

DAY = timedelta(days=1)
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def control(control_url: str) -> AsyncIterator[Control]:
    async with controlled(control_url) as made:
        yield made


def place(control: Control, lane: str) -> DeliveryScope:
    return DeliveryScope(ACCOUNT, lane, control.hands.clock.now() - 30 * DAY, 30)


def retry(control: Control, lane: str, delivery: str) -> None:
    with control.writing() as connection:
        attempt, now = control.ulids.make("att"), control.hands.clock.now()
        service.retry_delivery(connection, place(control, lane), delivery, attempt, now)


def replay(control: Control, lane: str, *statuses: str) -> ReplayRecord:
    now = control.hands.clock.now()
    asked = ReplayRequest(now - DAY, now, statuses or ("failed", "held"), None)
    with control.writing() as connection:
        return service.start_replay(connection, place(control, lane), asked, control.ulids.make("rpl"), now)


def progress(control: Control, lane: str, made: ReplayRecord) -> dict[str, Any]:
    with control.writing() as connection:
        return models.replay_json(service.find_replay(connection, place(control, lane), made.replay_id))


def counts(told: dict[str, Any]) -> tuple[str, int, int, int, int]:
    return (told["status"], told["matched"], told["succeeded"], told["failed"], told["pending"])


def shown(control: Control, lane: str, delivery: str) -> DetailRecord:
    with control.writing() as connection:
        return service.delivery_detail(connection, place(control, lane), delivery)


async def test_a_retry_by_hand_goes_out_while_paused_and_ends_the_delivery(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted()
    [delivery] = control.deliver(lane)
    with control.writing() as connection:
        assert pause_subscription(connection, lane, "manual", control.hands.clock.now())
    worker = control.worker(egress)
    await exhaust(worker)
    assert egress.posts == []
    retry(control, lane, delivery)
    await exhaust(worker)
    [post] = egress.posts
    assert (post.headers["X-Service-Delivery"], post.headers["X-Service-Attempt"]) == (delivery, "1")
    found = shown(control, lane, delivery)
    assert (found.delivery.status, found.delivery.attempt_count) == ("succeeded", 1)
    assert [attempt.trigger for attempt in found.attempts] == ["manual"]
    assert control.subscription(lane).status == "paused"


async def test_a_retry_by_hand_disturbs_neither_schedule_nor_health(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    worker = control.worker(egress)
    await exhaust(worker)
    before = (control.delivery(delivery).next_attempt_at, control.lane(lane).consecutive_failures)
    control.hands.move(10)
    retry(control, lane, delivery)
    await exhaust(worker)
    stored = control.delivery(delivery)
    assert (stored.next_attempt_at, control.lane(lane).consecutive_failures) == before
    assert (stored.status, stored.tries, stored.attempt_count) == ("retrying", 1, 2)
    egress.answer = lambda _: outcome()
    retry(control, lane, delivery)
    await exhaust(worker)
    assert control.delivery(delivery).status == "succeeded"
    assert control.count(QueuedAttempt) == 0, "the schedule is over"


async def test_a_replay_delivers_what_a_pause_left_with_the_same_event_ids(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    control.deliver(lane)
    worker = control.worker(egress)
    await through(control, worker, until=3_600)
    later = control.deliver(lane, count=2)
    await through(control, worker)
    assert control.subscription(lane).status_reason == "retries_exhausted"
    assert control.statuses() == {"failed": 1, "held": 2}
    first_ids = {post.headers["webhook-id"] for post in egress.posts}
    with control.writing() as connection:
        resume_subscription(connection, lane, control.hands.clock.now())
    await exhaust(worker)
    assert control.statuses() == {"failed": 1, "held": 2}, "activating floods nobody"
    egress.answer = lambda _: outcome()
    egress.posts.clear()
    made = replay(control, lane)
    assert counts(progress(control, lane, made)) == ("running", 3, 0, 0, 3)
    await exhaust(worker)
    assert counts(progress(control, lane, made)) == ("completed", 3, 3, 0, 0)
    assert {post.headers["webhook-id"] for post in egress.posts} == first_ids
    assert {post.headers["X-Service-Attempt"] for post in egress.posts} == {"1"}
    found = shown(control, lane, later[0])
    assert (found.delivery.status, found.delivery.replay_id) == ("succeeded", made.replay_id)
    assert found.attempts[-1].trigger == "replay"
    assert control.count(QueuedAttempt) == 0


async def test_a_replay_that_fails_has_a_whole_schedule_and_pauses_again(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    worker = control.worker(egress)
    await through(control, worker)
    with control.writing() as connection:
        resume_subscription(connection, lane, control.hands.clock.now())
    made = replay(control, lane)
    await through(control, worker)
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count) == ("failed", 6, 12)
    assert counts(progress(control, lane, made)) == ("completed", 1, 0, 1, 0)
    assert control.subscription(lane).status == "paused"
    numbers = [attempt.number for attempt in shown(control, lane, delivery).attempts]
    assert numbers == [1, 2, 3, 4, 5, 6] * 2


async def test_what_succeeded_can_be_delivered_again_and_again(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted()
    [delivery] = control.deliver(lane)
    worker = control.worker(egress)
    await exhaust(worker)
    for _ in range(3):
        control.hands.move(60)
        made = replay(control, lane, "succeeded")
        await exhaust(worker)
        assert counts(progress(control, lane, made)) == ("completed", 1, 1, 0, 0)
    assert [post.headers["X-Service-Delivery"] for post in egress.posts] == [delivery] * 4
    assert len({attempt.id for attempt in shown(control, lane, delivery).attempts}) == 4


@pytest.mark.parametrize("end", ["pause", "remove"])
async def test_a_replay_ends_with_its_subscriptions_work(control: Control, end: str) -> None:
    lane = control.subscribe()
    control.deliver(lane, count=3)
    with control.writing() as connection:
        pause_subscription(connection, lane, "manual", control.hands.clock.now())
        resume_subscription(connection, lane, control.hands.clock.now())
    control.hands.move(60)
    made = replay(control, lane)
    with control.writing() as connection:
        now = control.hands.clock.now()
        told = (
            pause_subscription(connection, lane, "manual", now)
            if end == "pause"
            else delete_subscription(connection, lane, now)
        )
        assert told
        stored = repository.find_replay(connection, lane, made.replay_id)
    assert stored is not None
    assert counts(models.replay_json(stored)) == ("completed", 3, 0, 3, 0)
    assert control.count(QueuedAttempt) == 0


async def test_racing_replays_take_each_delivery_once(control: Control) -> None:
    lane = control.subscribe()
    control.deliver(lane, count=50)
    with control.writing() as connection:
        pause_subscription(connection, lane, "manual", control.hands.clock.now())
        resume_subscription(connection, lane, control.hands.clock.now())
    control.hands.move(60)
    together = threading.Barrier(4)

    def ask() -> int:
        together.wait()
        return replay(control, lane).matched

    with ThreadPoolExecutor(4) as pool:
        matched = sorted(future.result() for future in [pool.submit(ask) for _ in range(4)])
    assert matched == [0, 0, 0, 50]
    assert control.count(QueuedAttempt) == 50
    assert control.count(Delivery, Delivery.status == "pending") == 50
    assert control.count(EndpointState, EndpointState.next_due_at.is_not(None)) == 1
