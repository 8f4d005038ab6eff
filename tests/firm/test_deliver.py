"""Webhooks as processes: `firm deliver` alone and several at once, and `firm serve`, which delivers too."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from api.auth.encryption import SecretBox
from api.auth.service_secrets import load_or_create
from api.common.clock import Clock
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.webhooks import Attempt, Delivery, EndpointState, Lease, QueuedAttempt
from api.webhooks.egress.signing import make_secret
from tests.api.fixtures.fanout import Control
from tests.api.fixtures.release_data import WORLD, World, event, make_world
from tests.firm.hooked import Hooked, Received, receiver, until
from tests.forked import RunningFirm

ONE = WORLD[0]["company_id"]


@pytest.fixture
def firm(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "data")


@pytest.fixture
def world(firm: Hooked) -> World:
    made = make_world(firm.data)
    made.publish(WORLD)
    return made


@pytest.fixture
def database(firm: Hooked) -> Iterator[Database]:
    made = prepare_database(f"sqlite:///{firm.data / 'control.sqlite'}")
    yield made
    made.close()


@pytest.fixture
def received() -> Iterator[Received]:
    with receiver() as running:
        yield running


def subscribe(firm: Hooked, database: Database, received: Received, **more: Any) -> None:
    control = Control(database)
    control.now = Clock().now()
    received.secret = make_secret()
    sealer = SecretBox(load_or_create(firm.data / "secrets.json", {}).sealing_keys)
    control.subscribe(endpoint_url=received.url, secret=sealer.seal(received.secret), **more)


def publish(world: World, first: int, count: int) -> set[str]:
    """Events of one company in one release; their ids."""
    events = [event(ONE, number) for number in range(first, first + count)]
    world.publish(events=events)
    return {one["event_id"] for one in events}


def count(database: Database, table: Any, *conditions: Any) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table).where(*conditions)) or 0


def begun(process: RunningFirm) -> None:
    """Waits until it delivers; what it says before is read."""
    assert process.stderr is not None
    assert any('"delivering as ' in line for line in iter(process.stderr.readline, ""))


@dataclass(frozen=True)
class Delivered:
    """What `firm deliver` did until it was told to end, and how it ended."""

    published: set[str]
    received: Received
    database: Database
    returncode: int
    said: str


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Delivered]:
    """Three events are published before it is started, two while it runs; then SIGTERM."""
    firm = Hooked(tmp_path_factory.mktemp("delivered") / "data")
    world = make_world(firm.data)
    world.publish(WORLD)
    with closing(prepare_database(f"sqlite:///{firm.data / 'control.sqlite'}")) as database, receiver() as received:
        subscribe(firm, database, received)
        published = publish(world, 1, 3)
        with firm.delivering() as process:
            until(lambda: set(received.events) == published, "what was published before it was started")
            published |= publish(world, 4, 2)
            until(lambda: set(received.events) == published, "what was published while it ran")
            until(lambda: count(database, QueuedAttempt) == 0, "the log")
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=30)
        yield Delivered(published, received, database, process.wait(), said)


def test_what_is_published_arrives_signed_and_is_logged(delivered: Delivered) -> None:
    assert delivered.received.events.keys() == delivered.published
    assert delivered.received.refused == []
    succeeded = count(delivered.database, Delivery, Delivery.status == "succeeded")
    assert succeeded == count(delivered.database, Attempt) == 5


def test_deliver_after_sigterm_ends_quietly_and_gives_back_its_leases(delivered: Delivered) -> None:
    assert delivered.returncode == 0, delivered.said
    assert "Traceback" not in delivered.said, delivered.said
    lines = [json.loads(line)["message"] for line in delivered.said.splitlines()]
    assert [line for line in lines if line.startswith("delivering as ")]
    assert lines[-1] == "stopped"
    assert count(delivered.database, Lease) == 0
    assert count(delivered.database, EndpointState, EndpointState.lessee.is_not(None)) == 0


@pytest.mark.slow
def test_several_deliver_everything_once(firm: Hooked, world: World, database: Database, received: Received) -> None:
    subscribe(firm, database, received)
    with firm.delivering(), firm.delivering() as second:
        published = publish(world, 1, 40)
        until(lambda: set(received.events) == published, "what was published")
        until(lambda: count(database, QueuedAttempt) == 0, "the log")
        begun(second)  # the first one may have done all while it was starting
        second.send_signal(signal.SIGINT)
        assert second.wait(30) == 0
        published |= publish(world, 41, 5)
        until(lambda: set(received.events) == published, "what was published after one of them had ended")
    assert {len(times) for times in received.events.values()} == {1}


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_service_delivers_what_is_subscribed_over_http(tmp_path: Path, received: Received, workers: str) -> None:
    firm = Hooked(tmp_path / "data", (("FIRM_SERVE_WORKERS", workers),))
    world = make_world(firm.data)
    world.publish(WORLD)
    with firm.serving() as client:
        asked = {"endpoint_url": received.url, "event_types": ["status.changed"], "entity_ids": [ONE]}
        made = client.post("/api/v1/webhooks", json=asked)
        assert made.status_code == 201, made.text
        received.secret = made.json()["secret"]
        published = publish(world, 1, 3)
        until(lambda: set(received.events) == published, "what was published")
        log = f"/api/v1/webhooks/{made.json()['id']}/deliveries"
        until(lambda: _statuses(client.get(log).json()) == ["succeeded"] * 3, "the log")
        ready = client.get("/readyz").json()["deliveries"]
        assert ready == {"matching": True, "unmatched_events": 0, "lag_seconds": 0}
        told = 'firm_webhook_attempts_total{outcome="succeeded"} 3.0'
        until(lambda: told in client.get("/metrics").text, "the metrics")
        metrics = client.get("/metrics").text
        assert "firm_webhook_queued 0.0" in metrics
        assert "firm_webhook_led 1.0" in metrics
    assert {len(times) for times in received.events.values()} == {1}


def _statuses(page: dict[str, Any]) -> list[str]:
    return [one["status"] for one in page["data"]]


@pytest.mark.slow
def test_a_service_that_is_told_not_to_leaves_it_to_others(tmp_path: Path, received: Received) -> None:
    firm = Hooked(tmp_path / "data", (("FIRM_DELIVER", "false"),))
    world = make_world(firm.data)
    world.publish(WORLD)
    with firm.serving() as client:
        made = client.post("/api/v1/webhooks", json={"endpoint_url": received.url, "event_types": ["status.changed"]})
        assert made.status_code == 201, made.text
        received.secret = made.json()["secret"]
        published = publish(world, 1, 2)
        assert client.get("/readyz").json()["deliveries"]["matching"] is False
        with firm.delivering():
            until(lambda: set(received.events) == published, "what was published")
            assert client.get("/readyz").json()["deliveries"]["matching"] is True


@pytest.mark.slow
def test_its_attempts_are_told_to_prometheus(
    firm: Hooked, world: World, database: Database, received: Received
) -> None:
    subscribe(firm, database, received)
    published = publish(world, 1, 2)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with firm.delivering("--metrics-port", str(port)):
        until(lambda: set(received.events) == published, "what was published")
        told = 'firm_webhook_attempts_total{outcome="succeeded"} 2.0'
        address = f"http://127.0.0.1:{port}/metrics"
        until(lambda: told in httpx.get(address, trust_env=False).text, "the metrics")
        second = firm.run("deliver", "--metrics-port", str(port), check=False)
    assert second.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {port} (Address already in use): choose another" in second.stderr
