"""The retry schedule from the first attempt to the pause, on a clock whose hands the test moves.

See docs/contract/contract.md 4.7.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.database.models.accounts import Mail
from api.database.models.webhooks import QueuedAttempt
from api.webhooks.delivery import retry_policy
from tests.api.fixtures.delivery_engine import (
    EMAIL,
    NOON,
    SEALER,
    Control,
    Scripted,
    controlled,
    exhaust,
    outcome,
    through,
)

WAITS = (60.0, 300.0, 1_800.0, 7_200.0, 43_200.0)
STARTS = [0, *accumulate(int(wait) for wait in WAITS)]  # 0:00, 0:01, 0:06, 0:36, 2:36, 14:36

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def control(control_url: str) -> AsyncIterator[Control]:
    async with controlled(control_url) as made:
        yield made


def seconds(attempts: list[Any]) -> list[float]:
    return [(one.started_at - NOON).total_seconds() for one in attempts]


async def test_full_14h36_on_fake_clock(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    await through(control, control.worker(egress))
    made = control.attempts(delivery)
    assert STARTS[-1] == 14 * 3_600 + 36 * 60
    assert seconds(made) == STARTS
    assert [one.number for one in made] == [1, 2, 3, 4, 5, 6]
    assert [post.headers["X-Service-Attempt"] for post in egress.posts] == list("123456")
    assert {one.trigger for one in made} == {"schedule"}
    assert len({one.attempt_id for one in made}) == 6
    assert [one.outcome for one in made] == ["failed"] * 6
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count) == ("failed", 6, 6)
    assert (stored.completed_at - NOON).total_seconds() == STARTS[-1]
    assert stored.next_attempt_at is None
    assert control.count(QueuedAttempt) == 0


async def test_waits_count_from_the_end_of_an_attempt(control: Control) -> None:
    control.subscribe()
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    worker = control.worker(Scripted(lambda _: outcome(None, ms=10_000)))
    await through(control, worker, until=500)
    assert seconds(control.attempts(delivery)) == [0, 10 + 60, 10 + 60 + 10 + 300]
    stored = control.delivery(delivery)
    assert stored.status == "retrying"
    assert (stored.next_attempt_at - NOON).total_seconds() == 380 + 10 + 1_800
    assert (stored.last_outcome, stored.last_error, stored.last_response_status) == ("failed", "timeout", None)


@pytest.mark.parametrize("attempt", [1, 2, 3, 4, 5, 6])
async def test_success_on_each_attempt_1_to_6(control: Control, attempt: int) -> None:
    lane, egress = control.subscribe(), Scripted()
    egress.answer = lambda _: outcome(204 if len(egress.posts) >= attempt else 503)
    [delivery] = control.deliver(lane)
    await through(control, control.worker(egress))
    assert seconds(control.attempts(delivery)) == STARTS[:attempt]
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count) == ("succeeded", attempt, attempt)
    assert (stored.last_outcome, stored.last_error, stored.last_response_status) == ("succeeded", None, 204)
    assert (stored.completed_at - NOON).total_seconds() == STARTS[attempt - 1]
    assert control.subscription(lane).status == "active"
    health = control.lane(lane)
    assert (health.consecutive_failures, health.failing_since) == (0, None)
    assert health.last_success_at == health.last_attempt_at == stored.completed_at
    assert [mail.occasion.split(":")[0] for mail in control.rows(Mail)] == ["warning"] * (attempt == 6)


async def test_pause_exactly_on_6th_failure(control: Control) -> None:
    lane, worker = control.subscribe(), control.worker(Scripted(lambda _: outcome(500)))
    first, *later = control.deliver(lane)
    await through(control, worker, until=STARTS[-1] - 60)
    later += control.deliver(lane, count=3)  # a minute before the end
    await exhaust(worker)
    assert control.subscription(lane).status == "active"
    assert control.lane(lane).consecutive_failures == 5 + 3
    control.hands.move(60)
    [new] = control.deliver(lane)
    await exhaust(worker)
    paused = control.subscription(lane)
    assert (paused.status, paused.status_reason, paused.revision) == ("paused", "retries_exhausted", 2)
    assert paused.status_changed_at == control.hands.clock.now()
    assert control.delivery(first).status == "failed"
    assert {control.delivery(one).status for one in [*later, new]} == {"held"}
    assert {control.delivery(one).next_attempt_at for one in [*later, new]} == {None}
    assert control.count(QueuedAttempt) == 0
    assert control.lane(lane).next_due_at is None
    [mail] = [mail for mail in control.rows(Mail) if mail.occasion.startswith("paused:")]
    assert mail.occasion == f"paused:{lane}:2"
    assert mail.recipient == EMAIL
    assert "Held deliveries:  4" in mail.body
    control.hands.move(1_000_000)
    await exhaust(worker)
    assert control.delivery(first).attempt_count == 6, "paused: nothing more is sent"


async def test_warning_mail_after_retry_4(control: Control) -> None:
    lane, worker = control.subscribe(), control.worker(Scripted(lambda _: outcome(500)))
    control.deliver(lane)
    await through(control, worker, until=STARTS[4] - 60)
    assert control.rows(Mail) == []
    control.hands.move(60)
    await exhaust(worker)
    [mail] = control.rows(Mail)
    assert mail.occasion == f"warning:{lane}:{round(NOON.timestamp() * 1_000)}"
    assert "about 12 hours" in mail.body
    control.deliver(lane)
    control.hands.move(7_500 + 1_800)
    await through(control, worker, until=9_000)
    assert len(control.rows(Mail)) == 1, "one warning for one row of failures"


async def test_410_is_plain_failure(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted()
    egress.answer = lambda _: outcome(410 if len(egress.posts) == 1 else 200)
    [delivery] = control.deliver(lane)
    await through(control, control.worker(egress), until=120)
    assert seconds(control.attempts(delivery)) == [0, 60]
    assert control.delivery(delivery).status == "succeeded"


@pytest.mark.parametrize(
    ("status", "asked", "waited"),
    [
        pytest.param(429, 100.0, 100, id="429-longer"),
        pytest.param(503, 100.0, 100, id="503-longer"),
        pytest.param(503, 1.0, 60, id="never-shorter"),
        pytest.param(429, 0.0, 60, id="now-is-not-now"),
        pytest.param(429, 1e9, 3_660, id="an-hour-more-at-most"),
        pytest.param(500, 100.0, 60, id="500-has-no-say"),
    ],
)
async def test_retry_after_lengthens_never_shortens(control: Control, status: int, asked: float, waited: int) -> None:
    lane, worker = control.subscribe(), control.worker(Scripted(lambda _: outcome(status, retry_after=asked)))
    [delivery] = control.deliver(lane)
    await through(control, worker, until=waited)
    assert seconds(control.attempts(delivery)) == [0, waited]


@given(
    tries=st.integers(0, 5),
    finished_at=st.integers(0, 1 << 45),
    status=st.sampled_from([429, 503, 500, 200, None]),
    asked=st.none() | st.floats(0, 1e12),
)
def test_a_wait_is_never_shorter_and_at_most_an_hour_longer(
    tries: int, finished_at: int, status: int | None, asked: float | None
) -> None:
    step = retry_policy.decide_retry(WAITS, tries, finished_at, False, retry_policy.requested_delay(status, asked))
    if tries == 5:
        assert (step.status, step.next_attempt_at) == ("failed", None)
    else:
        waited = (step.next_attempt_at or 0) - finished_at
        assert WAITS[tries] * 1_000 <= waited <= WAITS[tries] * 1_000 + 3_600_000
        assert status in (429, 503) or waited == WAITS[tries] * 1_000
    assert step.is_last_retry == (tries == 4)


@pytest.mark.parametrize("jump", [-3_600.0, -86_400.0, 3_600.0])
async def test_clock_jump_back(control: Control, jump: float) -> None:
    """Set back by an operator, or ahead: nothing is lost, nothing sent twice, no wait is shorter than agreed."""
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500, ms=1_000))
    egress.answer = lambda _: outcome(204 if len(egress.posts) > 2 else 500, ms=1_000)
    [delivery] = control.deliver(lane)
    worker, other = control.worker(egress), control.worker(egress, "other")
    await exhaust(worker)
    control.hands.wall += jump
    later = control.deliver(lane)
    for _ in range(200_000 // 600):
        control.hands.move(600)
        await exhaust(worker, other)
    assert {control.delivery(one).status for one in [delivery, *later]} == {"succeeded"}
    made = control.attempts(delivery) + control.attempts(later[0])
    assert len(made) == len(egress.posts) == 4 or len(made) == len(egress.posts) == 3
    assert all(one.duration_ms == 1_000 for one in made)


async def test_a_lease_of_before_the_clock_was_set_back_binds_nobody(control: Control) -> None:
    lane, gone = control.subscribe(), Scripted()
    gone.gate = asyncio.Event()
    [delivery] = control.deliver(lane)
    dead = control.worker(gone, "dead")
    await dead.tick()
    await asyncio.sleep(0)
    assert control.lane(lane).lessee == "dead"
    control.hands.wall -= 86_400
    control.hands.move(1)
    control.deliver(lane)
    living = control.worker(Scripted(), "living")
    await exhaust(living)
    assert control.statuses() == {"succeeded": 1, "pending": 1}, "the older one is due when its instant comes"
    control.hands.move(86_400)
    await exhaust(living)
    assert control.delivery(delivery).status == "succeeded"
    gone.gate.set()
    await exhaust(dead)
    assert control.delivery(delivery).status == "succeeded"


async def test_headers_on_every_retry_are_whole_and_new(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    await through(control, control.worker(egress), until=400)
    assert len(egress.posts) == 3
    names = [sorted(post.headers) for post in egress.posts]
    assert names[0] == names[1] == names[2]
    assert len({post.headers["webhook-id"] for post in egress.posts}) == 1
    assert {post.headers["X-Service-Delivery"] for post in egress.posts} == {delivery}
    stamps = [int(post.headers["webhook-timestamp"]) for post in egress.posts]
    assert [stamp - stamps[0] for stamp in stamps] == [0, 60, 360]
    assert len({post.headers["webhook-signature"] for post in egress.posts}) == 3
    assert len({post.body for post in egress.posts}) == 3


async def test_a_previous_secret_signs_until_it_expires(control: Control) -> None:
    lane = control.subscribe(
        previous_secret=SEALER.seal("whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="),
        previous_secret_expires_at=NOON + timedelta(seconds=60),
    )
    egress = Scripted(lambda _: outcome(500))
    control.deliver(lane)
    await through(control, control.worker(egress), until=60)
    both, one = egress.posts
    assert "X-Service-Signature-Previous" in both.headers
    assert "X-Service-Signature-Previous" not in one.headers


async def test_health_counts_failures_since_the_last_success(control: Control) -> None:
    lane, egress = control.subscribe(), Scripted(lambda _: outcome(500))
    control.deliver(lane, count=2)
    worker = control.worker(egress)
    await exhaust(worker)
    health = control.lane(lane)
    assert (health.consecutive_failures, health.failing_since, health.last_success_at) == (2, NOON, None)
    control.hands.move(60)
    egress.answer = lambda _: outcome(204 if len(egress.posts) == 4 else 500)
    await exhaust(worker)
    health = control.lane(lane)
    assert health.last_attempt_at == NOON + timedelta(seconds=60)
    assert {health.last_success_at, health.last_failure_at} == {NOON + timedelta(seconds=60)}


def test_an_attempt_by_hand_says_at_most_the_last_number() -> None:
    assert [retry_policy.attempt_number("manual", tries, WAITS) for tries in range(7)] == [1, 2, 3, 4, 5, 6, 6]
    assert [retry_policy.attempt_number("schedule", tries, WAITS) for tries in range(6)] == [1, 2, 3, 4, 5, 6]
