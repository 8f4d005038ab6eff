"""What is checked before an attempt, what is put aside, and attempts asked for by hand.

See docs/contract/delivery.md 8.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, update

from api.auth.encryption import SecretBox
from api.database.models.webhooks import Attempt, MatchedEvent, QueuedAttempt, Replay, SubscribedCompany
from api.webhooks.deliveries.models import ReplayRecord
from api.webhooks.deliveries.repository import queue_replay
from api.webhooks.subscriptions.repository import delete_subscription, lock_endpoints, pause_subscription
from tests.api.fixtures.delivery_engine import (
    NOON,
    ONE,
    SEALER,
    Control,
    Scripted,
    controlled,
    exhaust,
    outcome,
    through,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def control(control_url: str) -> AsyncIterator[Control]:
    async with controlled(control_url) as made:
        yield made


async def held_at_the_gate(control: Control, *lanes: str, answer: Any) -> tuple[Any, Scripted]:
    """A worker whose attempts are under way."""
    egress = Scripted(answer, gate=asyncio.Event())
    worker = control.worker(egress)
    await worker.tick()
    while len(egress.posts) < len(lanes):  # noqa: ASYNC110 -- it has no event
        await asyncio.sleep(0)
    return worker, egress


async def test_delete_while_queued(control: Control) -> None:
    lane, other, egress = control.subscribe(), control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery, _] = control.deliver(lane, other)
    worker = control.worker(egress)
    await exhaust(worker)
    with control.writing() as connection:
        delete_subscription(connection, lane, control.hands.clock.now())
    await through(control, worker, until=60)
    assert [control.delivery(delivery).status, control.delivery(delivery).attempt_count] == ["canceled", 1]
    assert len(egress.posts) == 3, "the other one goes on"
    assert control.count(QueuedAttempt, QueuedAttempt.subscription_id == lane) == 0


@pytest.mark.parametrize("status", [204, 500])
async def test_delete_while_under_way(control: Control, status: int) -> None:
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    worker, egress = await held_at_the_gate(control, lane, answer=lambda _: outcome(status))
    with control.writing() as connection:
        delete_subscription(connection, lane, control.hands.clock.now())
    egress.gate.set()
    await exhaust(worker)
    stored = control.delivery(delivery)
    assert (stored.status, stored.attempt_count, stored.next_attempt_at) == ("canceled", 1, None)
    assert len(control.attempts(delivery)) == 1
    assert control.lane(lane).consecutive_failures == 0


@pytest.mark.parametrize(("status", "becomes"), [(204, "succeeded"), (500, "held")])
async def test_pause_while_under_way(control: Control, status: int, becomes: str) -> None:
    """The attempt is logged; its success counts, its failure changes nothing else."""
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    worker, egress = await held_at_the_gate(control, lane, answer=lambda _: outcome(status))
    with control.writing() as connection:
        assert pause_subscription(connection, lane, "manual", control.hands.clock.now())
    egress.gate.set()
    await exhaust(worker)
    stored = control.delivery(delivery)
    assert (stored.status, stored.attempt_count, stored.next_attempt_at) == (becomes, 1, None)
    assert control.count(QueuedAttempt) == 0
    control.hands.move(100_000)
    await exhaust(worker)
    assert len(egress.posts) == 1


async def test_what_was_read_ahead_is_not_sent_after_a_pause(control: Control) -> None:
    lane = control.subscribe()
    control.deliver(lane, count=20)
    worker, egress = await held_at_the_gate(control, lane, answer=lambda _: outcome())
    with control.writing() as connection:
        pause_subscription(connection, lane, "manual", control.hands.clock.now())
    await worker.tick()  # it looks before it starts the next
    egress.gate.set()
    await exhaust(worker)
    assert len(egress.posts) == 1
    assert control.statuses() == {"succeeded": 1, "held": 19}


async def test_nothing_starts_on_what_was_read_too_long_ago(control: Control) -> None:
    lane = control.subscribe()
    control.deliver(lane, count=10)
    worker, egress = await held_at_the_gate(control, lane, answer=lambda _: outcome())
    control.hands.move(5)  # the database was away
    egress.gate.set()
    while worker.in_flight:  # noqa: ASYNC110 -- it has no event
        await asyncio.sleep(0)
    assert len(egress.posts) == 1
    await exhaust(worker)
    assert len(egress.posts) == 10


@pytest.mark.parametrize("change", ["type", "company"])
async def test_filter_removed_while_retrying(control: Control, change: str) -> None:
    lane = control.subscribe(companies=[ONE, "firm:SE:5599999991"])
    [delivery] = control.deliver(lane, event_type="filing.added")
    egress = Scripted(lambda _: outcome(500))
    worker = control.worker(egress)
    await through(control, worker, until=30)
    if change == "type":
        control.change(lane, event_mask=0b111110)
    else:
        with control.writing() as connection:
            connection.execute(delete(SubscribedCompany).where(SubscribedCompany.company_id == ONE))
        control.change(lane)
    await through(control, worker, until=100_000)
    stored = control.delivery(delivery)
    assert (stored.status, stored.attempt_count, stored.next_attempt_at) == ("canceled", 1, None)
    assert stored.completed_at is not None
    assert len(egress.posts) == 1


async def test_patch_between_attempts_is_obeyed_by_the_next(control: Control) -> None:
    lane = control.subscribe("https://old.example/")
    [delivery] = control.deliver(lane)
    egress = Scripted(lambda _: outcome(500))
    worker = control.worker(egress)
    await exhaust(worker)
    control.change(lane, endpoint_url="https://new.example/in?token=secret")
    await through(control, worker, until=60)
    assert [post.url for post in egress.posts] == ["https://old.example/", "https://new.example/in?token=secret"]
    assert control.attempts(delivery)[-1].request_url == "https://new.example/in", "a query may be secret"


async def test_poison_row_quarantined(control: Control) -> None:
    """An event that is gone, one that is too large, an answer no database takes: each aside, all others go on."""
    lane = control.subscribe()
    gone, large, nul, *well = control.deliver(lane, count=8)
    with control.writing() as connection:
        connection.execute(delete(MatchedEvent).where(MatchedEvent.sequence == 1))
        changed = update(MatchedEvent).where(MatchedEvent.sequence == 2)
        connection.execute(changed.values(data=b'"' + b"x" * 40_000 + b'"'))
    egress = Scripted()
    egress.answer = lambda post: outcome(
        response_body="\0\ud800" if post.headers["X-Service-Delivery"] == nul else "ok"
    )
    worker = control.worker(egress)
    await exhaust(worker)
    assert {control.delivery(one).status for one in well} == {"succeeded"}
    assert [control.delivery(one).status for one in (gone, large)] == ["held", "held"]
    assert control.delivery(nul).status in ("succeeded", "held")
    assert control.count(QueuedAttempt) == 0
    assert worker.is_idle
    posts = len(egress.posts)
    control.hands.move(100_000)
    await exhaust(worker)
    assert len(egress.posts) == posts, "it is not tried for ever"


async def test_a_secret_that_cannot_be_opened_waits_for_its_key(control: Control) -> None:
    lost, well = control.subscribe(secret=SecretBox([b"o" * 32]).seal("whsec_AAAA")), control.subscribe()
    [waiting, sent] = control.deliver(lost, well)
    egress = Scripted()
    worker = control.worker(egress)
    await exhaust(worker)
    assert [control.delivery(one).status for one in (waiting, sent)] == ["pending", "succeeded"]
    control.change(lost, secret=SEALER.seal("whsec_AAAA"))
    control.hands.move(30)
    await exhaust(worker)
    assert control.delivery(waiting).status == "pending", "looked at once a minute"
    control.hands.move(31)
    await exhaust(worker)
    assert control.delivery(waiting).status == "succeeded"


async def test_retry_while_paused(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    delivery, other = control.deliver(lane, count=2)
    worker = control.worker(egress)
    await through(control, worker, until=10)
    with control.writing() as connection:
        pause_subscription(connection, lane, "manual", control.hands.clock.now())
    health = control.lane(lane).consecutive_failures
    control.retry(lane, delivery)
    await exhaust(worker)
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count) == ("held", 1, 2)
    egress.answer = lambda _: outcome(200)
    control.retry(lane, delivery)
    await exhaust(worker)
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count, stored.last_error) == ("succeeded", 1, 3, None)
    assert [one.trigger for one in control.attempts(delivery)] == ["schedule", "manual", "manual"]
    assert [one.number for one in control.attempts(delivery)] == [1, 2, 2]
    assert control.delivery(other).status == "held"
    assert control.lane(lane).consecutive_failures == health


async def test_retry_by_hand_does_not_disturb_the_schedule(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    worker = control.worker(egress)
    await through(control, worker, until=30)
    control.retry(lane, delivery)
    control.retry(lane, delivery)
    await exhaust(worker)
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count) == ("retrying", 1, 3)
    assert stored.next_attempt_at == NOON + timedelta(seconds=60)
    await through(control, worker, until=30)
    assert control.attempts(delivery)[-1].started_at == NOON + timedelta(seconds=60)
    assert control.delivery(delivery).tries == 2
    assert control.lane(lane).consecutive_failures == 2


async def test_success_by_hand_ends_the_schedule(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    worker = control.worker(egress)
    await through(control, worker, until=30)
    egress.answer = lambda _: outcome(200)
    control.retry(lane, delivery)
    await exhaust(worker)
    assert control.count(QueuedAttempt) == 0
    assert control.delivery(delivery).next_attempt_at is None
    await through(control, worker, until=100_000)
    assert len(egress.posts) == 2
    assert control.statuses() == {"succeeded": 1}


async def test_retry_by_hand_of_a_type_no_longer_chosen_is_made(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane, event_type="filing.added")
    worker = control.worker(egress)
    await exhaust(worker)
    control.change(lane, event_mask=0b111110)
    control.retry(lane, delivery)
    await exhaust(worker)
    assert len(egress.posts) == 2


async def test_a_replay_counts_what_becomes_of_its_deliveries(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    ids = control.deliver(lane, count=4)
    with control.writing() as connection:
        pause_subscription(connection, lane, "manual", control.hands.clock.now())
    control.change(lane, status="active", status_reason=None)
    control.hands.move(10)
    now = control.hands.clock.now()
    replay = control.ulids.make("rpl")
    record = ReplayRecord(
        replay_id=replay,
        subscription_id=lane,
        since=NOON - timedelta(days=1),
        until=now,
        statuses=("held",),
        event_types=None,
        matched=0,
        succeeded=0,
        failed=0,
        created_at=now,
        completed_at=None,
    )
    with control.writing() as connection:
        lock_endpoints(connection, [lane])
        assert queue_replay(connection, record) == 4
    worker = control.worker(egress)
    egress.answer = lambda post: outcome(500 if post.headers["X-Service-Delivery"] == ids[3] else 204)
    await exhaust(worker)
    [running] = control.rows(Replay)
    assert (running.matched, running.succeeded, running.failed, running.completed_at) == (4, 3, 0, None)
    assert {one.trigger for one in control.rows(Attempt)} == {"replay"}
    await through(control, worker)
    [ended] = control.rows(Replay)
    assert (ended.succeeded, ended.failed) == (3, 1)
    assert ended.completed_at == control.hands.clock.now()
    assert control.delivery(ids[3]).status == "failed"
    assert control.subscription(lane).status == "paused"
