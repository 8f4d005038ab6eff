"""Several workers, and workers that die: no attempt twice without need, none lost, one pause, one mail."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy.exc import OperationalError

from api.database.models.accounts import Mail
from api.database.models.webhooks import Attempt, EndpointState, QueuedAttempt
from api.webhooks.delivery.sync import WorkerSync
from api.webhooks.subscriptions.repository import pause_subscription
from tests.api.fixtures.delivery_engine import (
    Control,
    Hands,
    Running,
    Scripted,
    controlled,
    exhaust,
    outcome,
    receiver,
    running,
    through,
    until,
)

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[4]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def control(control_url: str) -> AsyncIterator[Control]:
    async with controlled(control_url) as made:
        yield made


@pytest.fixture
async def machine(control_url: str) -> AsyncIterator[Control]:
    """On the machine's clock."""
    async with controlled(control_url, Running()) as made:
        yield made


async def test_two_dispatchers_no_double_claim(machine: Control) -> None:
    lanes = [machine.subscribe() for _ in range(30)]
    machine.deliver(*lanes, count=15)
    egress = Scripted()
    workers = [machine.worker(egress, name) for name in ("one", "other", "third")]
    async with running(*workers):
        await until(lambda: machine.statuses() == {"succeeded": 450})
    sent = Counter(post.headers["X-Service-Delivery"] for post in egress.posts)
    assert len(sent) == 450
    assert set(sent.values()) == {1}
    assert machine.count(Attempt) == 450
    assert machine.count(QueuedAttempt) == 0
    assert machine.count(EndpointState, EndpointState.lessee.is_not(None)) == 0, "given back at the end"


async def both_under_way(control: Control, answers: tuple[Any, Any]) -> tuple[list[Any], list[Scripted]]:
    """Two workers make the same attempt: the first one's lease ran out while it hung."""
    egresses = [Scripted(answer, gate=asyncio.Event()) for answer in answers]
    workers = [control.worker(egress, name) for egress, name in zip(egresses, ("one", "other"), strict=True)]
    for worker, egress in zip(workers, egresses, strict=True):
        control.hands.move(31)
        await worker.tick()
        while not egress.posts:  # noqa: ASYNC110 -- it has no event
            await asyncio.sleep(0)
    return workers, egresses


async def test_mail_once_under_race(control: Control) -> None:
    """Both make the last attempt and both see it fail: one pause, one mail, one health."""
    lane, failing = control.subscribe(), Scripted(lambda _: outcome(500))
    [delivery] = control.deliver(lane)
    first = control.worker(failing, "zero")
    await through(control, first, until=14 * 3_600)
    due = control.next_due()
    assert due is not None
    control.hands.move((due - control.hands.at) / 1_000)
    workers, egresses = await both_under_way(control, (failing.answer, failing.answer))
    for egress in egresses:
        egress.gate.set()
    await asyncio.gather(*[exhaust(worker) for worker in workers])
    paused = [mail.occasion for mail in control.rows(Mail) if mail.occasion.startswith("paused")]
    assert paused == [f"paused:{lane}:2"]
    assert control.subscription(lane).revision == 2
    stored = control.delivery(delivery)
    assert (stored.status, stored.tries, stored.attempt_count) == ("failed", 6, 7)
    assert len(control.attempts(delivery)) == 7, "every request that was made is logged"
    assert control.lane(lane).consecutive_failures == 6


async def test_one_mail_for_many_deliveries_that_end_together(control: Control) -> None:
    lane, worker = control.subscribe(), control.worker(Scripted(lambda _: outcome(500)))
    control.deliver(lane, count=30)
    await through(control, worker)
    assert control.subscription(lane).revision == 2
    assert sorted(mail.occasion.split(":")[0] for mail in control.rows(Mail)) == ["paused", "warning"]
    statuses = control.statuses()
    assert statuses["failed"] >= 1
    assert set(statuses) <= {"failed", "held"}
    assert sum(statuses.values()) == 30


async def test_no_mail_where_the_client_paused_first(control: Control) -> None:
    lane, worker = control.subscribe(), control.worker(Scripted(lambda _: outcome(500)))
    control.deliver(lane)
    await through(control, worker, until=14 * 3_600)
    with control.writing() as connection:
        pause_subscription(connection, lane, "manual", control.hands.clock.now())
    await through(control, worker)
    assert [mail.occasion.split(":")[0] for mail in control.rows(Mail)] == ["warning"]
    assert control.subscription(lane).status_reason == "manual"


@pytest.mark.parametrize("answers", [(204, 500), (500, 204)])
async def test_an_attempt_made_twice_succeeds_if_one_did(control: Control, answers: tuple[int, int]) -> None:
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    workers, egresses = await both_under_way(control, tuple(lambda _, s=s: outcome(s) for s in answers))
    for worker, egress in zip(workers, egresses, strict=True):
        egress.gate.set()
        while worker.in_flight:  # noqa: ASYNC110 -- it has no event
            await asyncio.sleep(0)
        await worker.tick()
    await exhaust(*workers)
    stored = control.delivery(delivery)
    assert (stored.status, stored.attempt_count, stored.next_attempt_at) == ("succeeded", 2, None)
    assert len(control.attempts(delivery)) == 2
    control.hands.move(100_000)
    await exhaust(*workers)
    assert sum(len(egress.posts) for egress in egresses) == 2, "its retry was taken out of the queue"


async def test_a_database_that_is_away_loses_nothing(machine: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    lane, egress = machine.subscribe(), Scripted(gate=asyncio.Event())
    worker = machine.worker(egress)
    genuine, failed = WorkerSync.make, 0

    def away(rounds: WorkerSync, asked: Any) -> Any:
        nonlocal failed
        if asked.finished and failed < 3:
            failed += 1
            raise OperationalError("SELECT 1", {}, ConnectionError("gone"))
        return genuine(rounds, asked)

    monkeypatch.setattr(WorkerSync, "make", away)
    machine.deliver(lane, count=5)
    async with running(worker):
        await until(lambda: len(egress.posts) == 1)
        egress.gate.set()
        await until(lambda: machine.statuses() == {"succeeded": 5})
    assert failed == 3
    assert len(egress.posts) == machine.count(Attempt) == 5


@pytest.mark.slow
async def test_kill_9_between_send_and_commit(control_url: str) -> None:
    """A process is killed after an answer and before its commit: the attempt is repeated, nothing is lost."""
    received: Counter[str] = Counter()

    async def take(request: web.Request) -> web.Response:
        received[request.headers["webhook-id"]] += 1
        return web.Response(status=204)

    async with controlled(control_url, Running()) as machine, receiver(take) as url:
        machine.deliver(*[machine.subscribe(f"{url}/{one}") for one in range(5)], count=8)
        for kill_after in (1, 7, 0):
            command = [
                sys.executable,
                "-m",
                "tests.api.webhooks.delivery.killed_worker",
                control_url,
                f"w{kill_after}",
                "1",
            ]
            environment = os.environ | {"KILL_AFTER": str(kill_after)}
            process = subprocess.Popen(command, cwd=ROOT, env=environment)  # noqa: ASYNC220 -- it starts at once
            try:
                if kill_after:
                    await until(lambda process=process: process.poll() is not None)
                    assert process.returncode == -signal.SIGKILL
                    assert machine.count(QueuedAttempt) > 0
                else:
                    await until(lambda: machine.statuses() == {"succeeded": 40})
                    process.send_signal(signal.SIGTERM)
                    await until(lambda process=process: process.poll() is not None)
                    assert process.returncode == 0
            finally:
                process.kill()
                process.wait()
        assert len(received) == 40, "none lost"
        assert sum(received.values()) > 40, "what was answered and not written is repeated"
        assert max(received.values()) <= 3, "once for each kill"
        assert machine.count(Attempt) == 40
        assert machine.count(QueuedAttempt) == 0
        assert machine.count(EndpointState, EndpointState.lessee.is_not(None)) == 0


def test_hands_of_tests_move_both_clocks() -> None:
    hands = Hands()
    before = hands.clock.monotonic(), hands.clock.wall()
    hands.move(5)
    assert (hands.clock.monotonic(), hands.clock.wall()) == (before[0] + 5, before[1] + 5)
