"""What readiness and metrics say of deliveries: counted in the database, whichever process delivers."""

import shutil
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from api.database.migrate import prepare_database
from api.database.models.accounts import Mail
from api.database.models.webhooks import Delivery, EndpointState, LedgerCursor, QueuedAttempt
from api.observability import delivery_health
from api.webhooks.delivery.fanout import LEASE
from tests.api.fixtures.fanout import ACCOUNT, NOON, Control, matched_all

ONE = "firm:NO:999999999"


@pytest.fixture
def control(control_url: str) -> Iterator[Control]:
    database = prepare_database(control_url)
    yield Control(database)
    database.close()


def lag(control: Control) -> delivery_health.DeliveryLag:
    with control.database.reading() as session:
        return delivery_health.delivery_lag(session.connection(), LEASE, control.now)


def sizes(control: Control) -> delivery_health.QueueSizes:
    with control.database.reading() as session:
        return delivery_health.queue_sizes(session.connection())


def test_before_anybody_subscribes(control: Control) -> None:
    assert lag(control) == delivery_health.DeliveryLag(None, None, None)
    assert sizes(control) == delivery_health.QueueSizes(0, 0, 0, None)


def test_what_waits(control: Control) -> None:
    control.subscribe()
    control.subscribe(status="paused", status_reason="manual")
    control.ledger.add(ONE, count=3)
    matched_all(control.fan_out("leader"))
    with control.database.writing() as session:
        session.add(mail("waits", NOON))
        session.add(mail("sent", None))
    control.advance(seconds=7)
    assert lag(control) == delivery_health.DeliveryLag(3, NOON, "leader")
    assert sizes(control) == delivery_health.QueueSizes(queued=3, held=3, mails=1, mail_since=NOON)


def test_what_is_due_later_does_not_lag(control: Control) -> None:
    control.subscribe()
    control.ledger.add(ONE)
    matched_all(control.fan_out())
    with control.database.writing() as session:
        later = NOON + timedelta(minutes=5)
        session.execute(update(EndpointState).values(next_due_at=later))
        session.execute(update(QueuedAttempt).values(due_at=later))
    assert lag(control).due_since is None
    assert sizes(control).queued == 1
    control.advance(minutes=6)
    assert lag(control).due_since == NOON + timedelta(minutes=5)


def test_a_leader_that_is_gone_is_none(control: Control) -> None:
    control.subscribe()
    control.fan_out("leader").step()
    assert lag(control).leader == "leader"
    control.advance(seconds=15)
    assert lag(control).leader is None


def mail(name: str, due: Any) -> Mail:
    text = {"subject": "s", "body": "b", "recipient": "owner@example.com", "account_id": ACCOUNT}
    return Mail(mail_id=name, occasion=name, created_at=NOON, next_attempt_at=due, attempts=0, **text)


@pytest.fixture
def behind(serve: Any, world: Any, tmp_path: Path, migrated: Path) -> Any:
    """A service whose fan-out has matched ten of twelve events, half an hour ago, and is gone."""
    made = serve(world, metrics="public")
    database = prepare_database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    control = Control(database)
    made.hands.seconds = NOON.timestamp()
    control.subscribe()
    control.subscribe([ONE], status="paused", status_reason="manual")
    control.ledger.add(ONE, count=10)
    fan_out = control.fan_out()
    matched_all(fan_out)
    made.hands.seconds += 1_800
    yield made
    database.close()


def test_readyz_queue_lag(behind: Any) -> None:
    body = behind.client.get("/readyz").json()
    assert body["status"] == "ready"
    assert body["deliveries"] == {"matching": False, "unmatched_events": 2, "lag_seconds": 1_800}


def test_metrics_of_deliveries(behind: Any) -> None:
    text = behind.client.get("/metrics").text
    for line in (
        "firm_webhook_unmatched_events 2.0",
        "firm_webhook_lag_seconds 1800.0",
        "firm_webhook_queued 10.0",
        "firm_webhook_held 10.0",
        "firm_webhook_led 0.0",
        "firm_mail_waiting 0.0",
    ):
        assert line in text.splitlines(), text


def test_metrics_of_a_ledger_that_was_restored_without_its_database(behind: Any, tmp_path: Path) -> None:
    """It ends at 12: the events that get the numbers up to 15 again would be matched no more."""
    assert "firm_webhook_events_ahead 0.0" in behind.client.get("/metrics").text.splitlines()
    database = prepare_database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    with database.writing() as session:
        session.execute(update(LedgerCursor).values(sequence=15))
    database.close()
    lines = behind.client.get("/metrics").text.splitlines()
    assert "firm_webhook_events_ahead 3.0" in lines
    assert "firm_webhook_unmatched_events 0.0" in lines


def test_ready_while_the_database_is_away(serve: Any, world: Any, tmp_path: Path) -> None:
    """Profiles can be read without it, so the process goes on getting requests."""
    made = serve(world, metrics="public")
    for path in tmp_path.glob("control.sqlite*"):
        path.unlink()
    (tmp_path / "control.sqlite").mkdir()
    made.database.close()
    answer = made.client.get("/readyz")
    assert (answer.status_code, answer.json()["deliveries"]) == (200, None)
    text = made.client.get("/metrics").text
    assert "firm_release_number 1.0" in text
    assert "firm_webhook_queued" not in text
    shutil.rmtree(tmp_path / "control.sqlite")


def test_ready_while_the_database_does_not_answer(serve: Any, world: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("api.observability.delivery_health.DATABASE_PATIENCE_SECONDS", 0.01)
    made, answers = serve(world), threading.Event()
    monkeypatch.setattr(delivery_health, "delivery_lag", lambda *_: answers.wait(30))
    answer = made.client.get("/readyz")
    answers.set()
    assert (answer.status_code, answer.json()["deliveries"]) == (200, None)


def test_attempts_are_counted_by_outcome(serve: Any, world: Any) -> None:
    service = serve(world, metrics="public")
    metrics = service.parts.metrics
    for outcome in ("succeeded", "timeout", "succeeded"):
        metrics.attempted(outcome)
    text = service.client.get("/metrics").text
    assert 'firm_webhook_attempts_total{outcome="succeeded"} 2.0' in text
    assert 'firm_webhook_attempts_total{outcome="timeout"} 1.0' in text


def test_held_is_counted_by_an_index_alone(tmp_path: Path) -> None:
    """However long the log is: what succeeded is not looked at."""
    from sqlalchemy import text

    database = prepare_database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    plan = text(
        "EXPLAIN QUERY PLAN SELECT count(*) FROM webhook_deliveries WHERE status = 'held' AND status <> 'succeeded'"
    )
    with database.reading() as session:
        told = " ".join(row[3] for row in session.execute(plan))
    database.close()
    assert "ix_webhook_deliveries_unsucceeded" in told
    assert Delivery.__tablename__ in told
