"""What nobody knows for sure: whether a commit was heard, whose lease it was when the clock was wrong, who ended."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import URL, Connection, inspect, update
from sqlalchemy.exc import OperationalError

from api.common.background import run_with_restart
from api.database import leases
from api.database.engine import Database, WorkerConnection
from api.database.models.webhooks import Delivery, EndpointState, MatchedEvent, QueuedAttempt
from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery import sync
from api.webhooks.retention import RetentionPruner
from tests.api.fixtures.delivery_engine import NOON, Control, Hands, Scripted, controlled, exhaust, outcome, until

pytestmark = pytest.mark.anyio
_ATTEMPTS = "SELECT count(*) FROM webhook_attempts"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def control(control_url: str) -> AsyncIterator[Control]:
    async with controlled(control_url) as made:
        yield made


class Unheard(WorkerConnection):
    """Its next commit of a logged attempt is made, and the connection breaks before that is told."""

    breaks = True

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with super().writing() as connection:
            before = connection.exec_driver_sql(_ATTEMPTS).scalar_one()
            yield connection
            after = connection.exec_driver_sql(_ATTEMPTS).scalar_one()
        if self.breaks and after > before:
            self.breaks = False
            self.close()
            raise OperationalError("COMMIT", {}, Exception("the server went away"))


@pytest.mark.parametrize("trigger", ["schedule", "manual"])
@pytest.mark.parametrize("status", [204, 500])
async def test_a_commit_that_was_not_heard_of_is_not_written_again(
    control: Control, monkeypatch: pytest.MonkeyPatch, status: int, trigger: str
) -> None:
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    if trigger == "manual":
        with control.writing() as connection:
            connection.execute(update(QueuedAttempt).values(trigger="manual"))
    egress = Scripted(lambda _: outcome(status, ms=3))
    monkeypatch.setattr(sync, "WorkerConnection", Unheard)
    worker = control.worker(egress)
    with pytest.raises(OperationalError):
        await exhaust(worker)
    await exhaust(worker)
    assert len(egress.posts) == 1
    assert len(control.attempts(delivery)) == 1
    assert control.delivery(delivery).attempt_count == 1
    expected = 0 if status == 204 or trigger == "manual" else 1
    assert control.count(QueuedAttempt) == expected
    assert control.lane(lane).consecutive_failures == (expected if trigger == "schedule" else 0)


class Slow(WorkerConnection):
    """Others write for so long that each transaction waits two seconds for its turn."""

    def __init__(self, database: Database, hands: Hands) -> None:
        super().__init__(database)
        self.hands = hands

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        self.hands.move(2)
        with super().writing() as connection:
            yield connection


async def test_attempts_start_though_every_commit_waits_long(control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read after the wait is fresh; something is due anew, and so written, in each round."""
    egress = Scripted()
    monkeypatch.setattr(sync, "WorkerConnection", partial(Slow, hands=control.hands))
    worker = control.worker(egress)
    for _ in range(4):
        control.deliver(control.subscribe())
        await worker.tick()
        await asyncio.sleep(0)
    assert len(egress.posts) == 4


async def test_a_lease_of_a_clock_that_was_ahead_is_nobodys(control: Control) -> None:
    """Its holder died: nobody would match events until the clock is there again."""
    term, ahead = timedelta(seconds=15), NOON + timedelta(days=1)
    with control.writing() as connection:
        assert leases.acquire_lease(connection, "fan_out", "one", ahead, ahead + term)
        assert leases.acquire_lease(connection, "fan_out", "other", NOON, NOON + term)
        assert not leases.acquire_lease(connection, "fan_out", "third", NOON, NOON + term)
        assert not leases.acquire_lease(connection, "fan_out", "third", NOON - term / 2, NOON + term / 2)


def _connected(url: URL) -> dict[str, str]:
    """With which parameters a connection was made."""
    database = Database(url.render_as_string(hide_password=False))
    with database.engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        used = driver.info.get_parameters()
    database.close()
    return used


async def test_a_server_that_is_gone_is_noticed(control: Control) -> None:
    """Else a worker waits for an answer as long as the system keeps a dead connection: for hours."""
    url = control.database.url
    if url.get_backend_name() == "postgresql":
        used = _connected(url)
        assert (used["keepalives_idle"], used["tcp_user_timeout"]) == ("10", "30000")
        used = _connected(url.update_query_dict({"tcp_user_timeout": "5000"}))
        assert (used["keepalives_idle"], used["tcp_user_timeout"]) == ("10", "5000")


async def test_an_event_stays_as_long_as_the_deliveries_of_its_millisecond(control: Control) -> None:
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    await exhaust(control.worker(Scripted()))
    settings = WebhookSettings()
    control.hands.move(settings.retention_days * 86_400 + 0.0004)
    pruning = RetentionPruner(control.database, settings, control.hands.clock, "one")
    while pruning.step():
        pass
    assert control.delivery(delivery).created_at == NOON
    assert control.count(MatchedEvent) == 1
    control.hands.move(0.001)
    while pruning.step():
        pass
    assert (control.count(Delivery), control.count(MatchedEvent)) == (0, 0)


async def test_ids_that_are_ranges_of_time_sort_by_their_bytes(control: Control) -> None:
    """In Norwegian and Danish «aa» follows «z»: a database of such a place would prune what is young."""
    if control.database.url.get_backend_name() == "sqlite":
        return
    columns = inspect(control.database.engine).get_columns(Delivery.__tablename__)
    [column] = [one for one in columns if one["name"] == "delivery_id"]
    kind: Any = column["type"]
    assert kind.collation == "C"


async def test_an_attempt_that_was_made_twice_has_one_next(control: Control) -> None:
    """A lane was lost and came back while its attempt was under way; both answers are written at once."""
    lane = control.subscribe()
    [delivery] = control.deliver(lane)
    egress = Scripted(lambda _: outcome(500), gate=asyncio.Event())
    worker = control.worker(egress)
    for made in (1, 2):
        while len(egress.posts) < made:
            await worker.tick()
            await asyncio.sleep(0)
        with control.writing() as connection:  # another worker had it for a moment
            connection.execute(update(EndpointState).values(lessee="other"))
        await worker.tick()
        control.hands.move(1)
        with control.writing() as connection:
            connection.execute(update(EndpointState).values(lessee=None, leased_until=None))
    assert egress.gate is not None
    egress.gate.set()
    await until(lambda: not worker.in_flight)
    await worker.tick()
    assert control.count(QueuedAttempt) == 1
    assert len(control.attempts(delivery)) == 2
    assert control.delivery(delivery).tries == 1
    assert control.lane(lane).consecutive_failures == 1


async def test_a_part_that_was_broken_off_from_within_is_begun_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A future that somebody else cancels looks like an end; a delivery that nobody makes is noticed by nobody."""
    monkeypatch.setattr("api.common.background.FIRST_WAIT_SECONDS", 0.0)
    begun = 0

    async def part(_: asyncio.Event) -> None:
        nonlocal begun
        begun += 1
        if begun == 1:
            gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            gone.cancel()
            await gone

    with caplog.at_level(logging.ERROR):
        await run_with_restart(part, "mail", asyncio.Event())
    assert begun == 2
    assert "mail" in caplog.text
