"""All that delivers, as one thing: parts that fail begin again, and all of it ends when it is told to."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets
from api.common import background
from api.common.background import process_name, run_with_restart
from api.common.clock import Clock
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.webhooks import Attempt, Delivery, EndpointState, Lease
from api.settings.service import ApiSettings
from api.webhooks import runner
from api.webhooks.egress.attempt_result import AttemptResult
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.egress.signing import make_secret
from api.webhooks.runner import DeliveryRunner
from tests.api.fixtures.fanout import Control

ONE = "firm:NO:999999999"
PATIENCE = 30.0
DONE = AttemptResult(
    has_succeeded=True,
    error=None,
    error_detail=None,
    remote_ip="203.0.113.9",
    response_status=204,
    response_headers={},
    response_body="",
    response_body_truncated=False,
    retry_after=None,
    duration_ms=1,
)


@pytest.fixture
def database(control_url: str) -> Iterator[Database]:
    made = prepare_database(control_url)
    yield made
    made.close()


@pytest.fixture
def sealer() -> SecretBox:
    return SecretBox(ServiceSecrets.generate().sealing_keys)


def deliveries(control: Control, sealer: SecretBox, observed: list[str]) -> DeliveryRunner:
    return DeliveryRunner(ApiSettings(), control.database, control.ledger, sealer, Clock(), observed.append)


def subscribed(database: Database, sealer: SecretBox) -> Control:
    control = Control(database)
    control.now = Clock().now()
    control.subscribe([ONE], secret=sealer.seal(make_secret()))
    return control


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110 -- the database tells nobody
            await asyncio.sleep(0.02)


def test_an_event_goes_all_the_way(database: Database, sealer: SecretBox, monkeypatch: Any) -> None:
    control, observed = subscribed(database, sealer), []

    async def answers(*_: Any) -> AttemptResult:
        return DONE

    monkeypatch.setattr(WebhookClient, "send", answers)

    async def run() -> None:
        async with deliveries(control, sealer, observed).run_in_background():
            control.ledger.add(ONE, count=3)
            await until(lambda: control.count(Delivery, Delivery.status == "succeeded") == 3)

    asyncio.run(run())
    assert observed == ["succeeded"] * 3
    assert control.count(Attempt) == 3
    assert control.count(Lease) == control.count(EndpointState, EndpointState.lessee.is_not(None)) == 0, (
        "all given back"
    )


def test_what_hangs_is_broken_off_and_repeated_by_the_next(
    database: Database, sealer: SecretBox, monkeypatch: Any
) -> None:
    """At the end an attempt gets the time that an endpoint has to answer; then it is cut."""
    control, observed = subscribed(database, sealer), []
    begun = []

    async def hangs(*_: Any) -> AttemptResult:
        begun.append(True)
        await asyncio.Event().wait()
        return DONE

    monkeypatch.setattr(WebhookClient, "send", hangs)
    monkeypatch.setattr(runner, "ENDING_SECONDS", -9.9)  # of the ten that an endpoint has

    async def run() -> None:
        async with deliveries(control, sealer, observed).run_in_background():
            control.ledger.add(ONE)
            await until(lambda: begun)

    asyncio.run(run())
    assert observed == []
    assert control.count(Attempt) == 0
    assert [row.status for row in control.rows(Delivery)] == ["pending"]


def test_a_part_that_fails_begins_again(monkeypatch: Any, caplog: Any) -> None:
    monkeypatch.setattr(background, "FIRST_WAIT_SECONDS", 0.001)
    troubles = [
        OperationalError("SELECT :secret", {"secret": "hidden"}, Exception("server closed")),
        ZeroDivisionError("ours"),
    ]
    runs = []

    async def part(_: asyncio.Event) -> None:
        runs.append(True)
        if troubles:
            raise troubles.pop(0)

    async def run() -> None:
        await run_with_restart(part, "worker", asyncio.Event())

    with caplog.at_level(logging.WARNING, "firm.webhooks"):
        asyncio.run(run())
    assert len(runs) == 3
    first, second = caplog.records
    assert first.getMessage() == "worker: the database fails; again in 0.001 s: server closed"
    assert (second.levelname, second.exc_info[0]) == ("ERROR", ZeroDivisionError)
    assert "hidden" not in caplog.text


def test_a_part_that_waits_to_begin_again_ends_at_once(monkeypatch: Any) -> None:
    monkeypatch.setattr(background, "FIRST_WAIT_SECONDS", 10_000.0)

    async def run() -> None:
        stop = asyncio.Event()

        async def part(_: asyncio.Event) -> None:
            asyncio.get_running_loop().call_soon(stop.set)
            raise ZeroDivisionError

        async with asyncio.timeout(PATIENCE):
            await run_with_restart(part, "worker", stop)

    asyncio.run(run())


def test_a_part_is_canceled_with_the_whole() -> None:
    ended = []

    async def part(_: asyncio.Event) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def run() -> None:
        task = asyncio.create_task(run_with_restart(part, "worker", asyncio.Event()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert ended == [True]


def test_names_of_processes_differ_and_fit() -> None:
    names = {process_name() for _ in range(100)}
    assert len(names) == 100
    assert max(map(len, names)) <= 60
