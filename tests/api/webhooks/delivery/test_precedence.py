"""What has its time keeps it: retries and attempts by hand do not stand behind the backlog of an endpoint that fails."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import text

from api.database.models.accounts import Mail
from api.database.models.webhooks import AGAIN, BY_HAND
from api.webhooks.egress.payload import OutgoingRequest
from tests.api.fixtures.delivery_engine import Control, Scripted, controlled, exhaust, outcome, through
from warehouse.schema.codes import EVENT_TYPES

BACKLOG = 40
ACK_SECONDS = 10
Test = Callable[[Control], Awaitable[None]]


def played(test: Test, url: str) -> None:
    async def main() -> None:
        async with controlled(url) as control:
            await test(control)

    asyncio.run(main())


def hanging(control: Control) -> Scripted:
    """An endpoint that never answers: each attempt takes the time that endpoints have."""

    def answer(_: OutgoingRequest) -> Any:
        control.hands.move(ACK_SECONDS)
        return outcome(None, ms=ACK_SECONDS * 1_000)

    return Scripted(answer)


def deliveries(sender: Scripted) -> list[str]:
    """Of the posts, in order."""
    return [post.headers["X-Service-Delivery"] for post in sender.posts]


def test_a_hanging_endpoint_with_a_backlog_keeps_the_schedule(control_url: str) -> None:
    """The first retry is due a minute after the first failure: not when the whole backlog has timed out."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        control.deliver(lane, count=BACKLOG)
        sender = hanging(control)
        await exhaust(control.worker(sender))
        first = deliveries(sender)[0]  # which one that is of those due at one instant, their ids decide
        one, two = [row.started_at for row in control.attempts(first)][:2]
        late = (two - one).total_seconds() - ACK_SECONDS - 60
        assert 0 <= late <= 2 * ACK_SECONDS, "at most the attempts that were under way, or read, are before it"

    played(test, control_url)


def test_an_attempt_by_hand_does_not_wait_for_a_backlog(control_url: str) -> None:
    async def test(control: Control) -> None:
        lane = control.subscribe()
        *_, last = control.deliver(lane, count=BACKLOG)
        sender, asked = hanging(control), control.retry
        answer, count = sender.answer, 0

        def after_three(post: OutgoingRequest) -> Any:
            nonlocal count
            count += 1
            if count == 3:
                asked(lane, last)
            return answer(post)

        sender.answer = after_three
        await exhaust(control.worker(sender))
        assert last in deliveries(sender)[3:6]

    played(test, control_url)


def test_an_attempt_by_hand_does_not_wait_for_what_was_read_ahead(control_url: str) -> None:
    """An endpoint was quick, so much of its backlog is in memory; then it hangs."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        *_, last = control.deliver(lane, count=400)
        sender = hanging(control)
        hangs, ready, asked = sender.answer, 0, 0

        def answer(post: OutgoingRequest) -> Any:
            nonlocal ready, asked
            held = worker._held.find(lane)
            ready = max(ready, len(held.ready) if held else 0)
            if ready < 16:
                return outcome()
            if not asked:
                control.retry(lane, last)
                asked = len(sender.posts)
            return hangs(post)

        sender.answer = answer
        worker = control.worker(sender)
        while not asked or last not in deliveries(sender)[asked:]:
            await worker.tick()
            await asyncio.sleep(0)
        assert deliveries(sender).index(last, asked) - asked < 10

    played(test, control_url)


def test_an_attempt_by_hand_does_not_wait_for_retries_that_are_due(control_url: str) -> None:
    """The endpoint was away and everything is retried: «now» is not when all that has timed out."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        *_, last = control.deliver(lane, count=BACKLOG)
        sender = Scripted(lambda _: outcome(500))
        worker = control.worker(sender)
        await exhaust(worker)
        control.hands.move(90)
        control.retry(lane, last)
        sender.posts.clear()
        await exhaust(worker)
        assert len(sender.posts) == BACKLOG + 1, "the one by hand, and no retry twice"
        assert deliveries(sender)[0] == last

    played(test, control_url)


def test_a_new_event_is_delivered_though_older_ones_fail(control_url: str) -> None:
    """Retries that are due go first, but only when they are due."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        control.deliver(lane, count=3)
        sender = hanging(control)
        worker = control.worker(sender)
        await exhaust(worker)
        [new] = control.deliver(lane)
        await exhaust(worker)
        assert deliveries(sender)[-1] == new

    played(test, control_url)


def test_what_is_no_longer_wanted_goes_quickly(control_url: str) -> None:
    """Somebody chose too much, and then less: what he wants does not wait for each of the others."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        sender = Scripted()
        worker = control.worker(sender)
        control.deliver(lane)
        await exhaust(worker)
        control.deliver(lane, count=1_000, event_type="news.published")
        control.hands.move(1)
        [wanted] = control.deliver(lane)
        control.change(lane, event_mask=1 << EVENT_TYPES.index("status.changed"))
        rounds = 0
        while deliveries(sender)[-1] != wanted:
            await worker.tick()
            await asyncio.sleep(0)
            rounds += 1
        assert rounds < 50
        await exhaust(worker)
        assert control.statuses() == {"succeeded": 2, "canceled": 1_000}

    played(test, control_url)


def test_an_endpoint_that_fails_for_some_events_is_warned_of_once(control_url: str) -> None:
    """Between the failures others succeed, so each failing delivery has a first failure of its own."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        bad: set[str] = set()
        sender = Scripted(lambda post: outcome(500 if post.headers["X-Service-Delivery"] in bad else 204))
        worker = control.worker(sender)
        for number in range(25):  # the fifth attempts come after about 16 of these
            bad.update(control.deliver(lane) if number < 5 else ())
            await through(control, worker, until=300)
            control.deliver(lane)
            await through(control, worker, until=300)
        await through(control, worker)
        told = [mail.occasion.split(":")[0] for mail in control.rows(Mail)]
        assert sorted(told) == ["paused", "warning"]

    played(test, control_url)


@pytest.mark.parametrize(("index", "which"), [("ix_webhook_queue_again", AGAIN), ("ix_webhook_queue_by_hand", BY_HAND)])
def test_the_index_of_what_goes_first_is_used(control_url: str, index: str, which: str) -> None:
    """Else a backlog of a million is read for each retry."""

    async def test(control: Control) -> None:
        lane = control.subscribe()
        control.deliver(lane, count=2_000)
        with control.writing() as connection:
            explain = "EXPLAIN QUERY PLAN " if connection.dialect.name == "sqlite" else "EXPLAIN "
            connection.execute(text("ANALYZE"))
            plan = connection.execute(
                text(
                    explain + "SELECT attempt_id FROM webhook_queue WHERE subscription_id = :lane AND due_at <= 9e15 "
                    f"AND {which} ORDER BY due_at, attempt_id LIMIT 4"
                ),
                {"lane": lane},
            )
            assert index in str(plan.all())

    played(test, control_url)
