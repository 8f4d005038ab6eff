"""The log is kept as long as it can be asked for, and no longer; what is unfinished is kept however old."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert, update

from api.database.migrate import prepare_database
from api.database.models.accounts import IdempotentRequest, Mail, UsageDay
from api.database.models.webhooks import (
    Attempt,
    Delivery,
    EndpointState,
    Lease,
    MatchedEvent,
    QueuedAttempt,
    Replay,
    SubscribedCompany,
    Subscription,
)
from api.settings.webhooks import WebhookSettings
from api.webhooks import retention
from api.webhooks.retention import RetentionPruner
from api.webhooks.subscriptions.repository import delete_subscription
from tests.api.fixtures.fanout import ACCOUNT, NOON, Control, matched_all

ONE = "firm:NO:999999999"


@pytest.fixture
def control(control_url: str) -> Iterator[Control]:
    database = prepare_database(control_url)
    yield Control(database)
    database.close()


def pruned(control: Control, name: str = "first") -> int:
    """A whole pass; how many steps it took."""
    work, steps = RetentionPruner(control.database, WebhookSettings(), control.clock, name), 0
    while work.step():
        steps += 1
    return steps


def ended(control: Control, status: str = "succeeded") -> None:
    """All deliveries end so, each with one attempt."""
    deliveries = control.rows(Delivery)
    with control.database.writing() as session:
        session.execute(update(Delivery).values(status=status, next_attempt_at=None))
        session.execute(QueuedAttempt.__table__.delete())
        session.execute(insert(Attempt), [attempt(one.delivery_id, control.now) for one in deliveries])


def attempt(delivery_id: str, at: datetime) -> dict[str, Any]:
    return {
        "delivery_id": delivery_id,
        "attempt_id": f"att_{delivery_id[4:]}",
        "number": 1,
        "trigger": "schedule",
        "started_at": at,
        "duration_ms": 5,
        "outcome": "succeeded",
        "request_url": "https://hooks.example.com/",
        "response_body_truncated": False,
    }


@pytest.mark.parametrize("status", ["succeeded", "failed", "held", "canceled"])
def test_kept_for_30_days_and_then_gone(control: Control, status: str) -> None:
    for companies in (None, [ONE]):
        control.subscribe(companies)
    control.ledger.add(ONE, count=3)
    matched_all(control.fan_out())
    ended(control, status)
    control.advance(days=30)
    pruned(control)
    assert (control.count(Delivery), control.count(Attempt), control.count(MatchedEvent)) == (6, 6, 3)
    control.advance(milliseconds=1)
    pruned(control)
    assert (control.count(Delivery), control.count(Attempt), control.count(MatchedEvent)) == (0, 0, 0)
    assert control.count(Subscription) == control.count(EndpointState) == 2


def test_what_is_newer_stays(control: Control) -> None:
    control.subscribe()
    fan_out = control.fan_out()
    control.ledger.add(ONE, count=2)
    matched_all(fan_out)
    control.advance(days=1)
    control.ledger.add(ONE, count=3)
    matched_all(fan_out)
    ended(control)
    control.advance(days=29, seconds=1)
    pruned(control)
    assert {row.sequence for row in control.rows(Delivery)} == {3, 4, 5}
    assert {row.sequence for row in control.rows(MatchedEvent)} == {3, 4, 5}
    assert control.count(Attempt) == 3


@pytest.mark.parametrize("status", ["pending", "retrying"])
def test_what_is_unfinished_stays_with_its_event(control: Control, status: str) -> None:
    """The engine was off for a month: everything is still delivered."""
    _, second = control.subscribe(), control.subscribe()
    control.ledger.add(ONE, count=3)
    matched_all(control.fan_out())
    ended(control)
    with control.database.writing() as session:
        one = (Delivery.subscription_id == second, Delivery.sequence == 2)
        session.execute(update(Delivery).where(*one).values(status=status))
    control.advance(days=45)
    pruned(control)
    assert [(row.subscription_id, row.sequence) for row in control.rows(Delivery)] == [(second, 2)]
    assert [row.sequence for row in control.rows(MatchedEvent)] == [2]
    assert control.count(Attempt, Attempt.delivery_id.is_not(None)) == 1


def test_what_waits_for_a_retry_by_hand_stays(control: Control) -> None:
    subscription = control.subscribe()
    control.ledger.add(ONE, count=2)
    matched_all(control.fan_out())
    ended(control, "failed")
    asked = next(row for row in control.rows(Delivery) if row.sequence == 1)
    with control.database.writing() as session:
        queued = {
            "subscription_id": subscription,
            "due_at": control.now,
            "attempt_id": "att_by_hand",
            "delivery_id": asked.delivery_id,
            "trigger": "manual",
        }
        session.execute(insert(QueuedAttempt), [queued])
    control.advance(days=31)
    pruned(control)
    assert [row.sequence for row in control.rows(Delivery)] == [1]
    assert [row.sequence for row in control.rows(MatchedEvent)] == [1]


def test_in_bounded_steps(control: Control, monkeypatch: Any) -> None:
    """No step takes more rows than it may, however many there are."""
    monkeypatch.setattr(retention, "STEP_ROWS", 10)
    for _ in range(3):
        control.subscribe()
    control.ledger.add(ONE, count=25)
    matched_all(control.fan_out())
    ended(control)
    control.advance(days=31)
    work = RetentionPruner(control.database, WebhookSettings(), control.clock, "first")
    left, sizes = (75, 25), []
    while work.step():
        now = (control.count(Delivery), control.count(MatchedEvent))
        sizes.append((left[0] - now[0], left[1] - now[1]))
        left = now
    assert left == (0, 0)
    assert max(deliveries for deliveries, _ in sizes) == max(events for _, events in sizes) == 10
    assert [one for one, _ in sizes][:9] == [10, 10, 5] * 3


def test_one_prunes_at_a_time(control: Control) -> None:
    control.subscribe()
    control.ledger.add(ONE, count=2)
    matched_all(control.fan_out())
    ended(control)
    control.advance(days=31)
    first = RetentionPruner(control.database, WebhookSettings(), control.clock, "first")
    assert first.step()
    assert pruned(control, "second") == 0
    while first.step():
        pass
    assert control.count(Lease, Lease.name == "pruning") == 0, "given back when the pass is over"
    assert control.count(Delivery) == 0


def test_a_shorter_retention(control: Control) -> None:
    control.subscribe()
    control.ledger.add(ONE)
    matched_all(control.fan_out())
    ended(control)
    control.advance(days=7, seconds=1)
    work = RetentionPruner(control.database, WebhookSettings(retention_days=7), control.clock, "first")
    while work.step():
        pass
    assert control.count(Delivery) == 0


def test_a_deleted_subscription_goes_with_its_last_delivery(control: Control) -> None:
    gone, stays = control.subscribe([ONE, "firm:SE:5599999991"]), control.subscribe([ONE])
    fan_out = control.fan_out()
    control.ledger.add(ONE)
    matched_all(fan_out)
    ended(control)
    with control.database.writing() as session:
        delete_subscription(session.connection(), gone, control.now)
    pruned(control)
    assert {row.subscription_id for row in control.rows(SubscribedCompany)} == {stays}, "matches nothing any more"
    assert control.count(Subscription) == 2, "its deliveries are still there"
    control.advance(days=31)
    pruned(control)
    assert [row.subscription_id for row in control.rows(Subscription)] == [stays]
    assert [row.subscription_id for row in control.rows(EndpointState)] == [stays]
    assert control.count(Delivery) == 0


def test_records_that_are_done(control: Control) -> None:
    subscription = control.subscribe()
    with control.database.writing() as session:
        for name, done in (("rpl_done", NOON), ("rpl_running", None)):
            session.execute(insert(Replay), [replay(name, subscription, done)])
        for name, due in (("eml_sent", None), ("eml_due", NOON)):
            session.execute(insert(Mail), [mail(name, due)])
        for name, at in (("old", NOON - timedelta(hours=25)), ("new", NOON - timedelta(hours=23))):
            session.execute(insert(IdempotentRequest), [request(name, at)])
    pruned(control)
    assert (control.count(Replay), control.count(Mail)) == (2, 2)
    assert [row.key for row in control.rows(IdempotentRequest)] == ["new"]
    control.advance(days=30, seconds=1)
    pruned(control)
    assert [row.replay_id for row in control.rows(Replay)] == ["rpl_running"]
    assert [row.mail_id for row in control.rows(Mail)] == ["eml_due"]
    assert control.count(IdempotentRequest) == 0


def test_days_of_usage_are_kept_for_a_year_and_a_month(control: Control, monkeypatch: Any) -> None:
    """More of them than one step takes; the day 400 days before stays, the one before it goes."""
    monkeypatch.setattr(retention, "STEP_ROWS", 2)
    days = [control.now - timedelta(days=ago) for ago in (900, 500, 402, 401, 400, 1)]
    numbers = [int(f"{day:%Y%m%d}") for day in days]
    with control.database.writing() as session:
        session.execute(insert(UsageDay), [{"account_id": ACCOUNT, "day": one, "count_before": 7} for one in numbers])
    pruned(control)
    assert sorted(row.day for row in control.rows(UsageDay)) == numbers[4:]


def test_previous_secrets_are_forgotten_when_they_sign_nothing_more(control: Control) -> None:
    ends = NOON + timedelta(hours=1)
    subscription = control.subscribe(previous_secret=b"former", previous_secret_expires_at=ends)
    pruned(control)
    (row,) = control.rows(Subscription)
    assert (row.previous_secret, row.previous_secret_expires_at) == (b"former", ends)
    control.advance(hours=1)
    pruned(control)
    (row,) = control.rows(Subscription, Subscription.subscription_id == subscription)
    assert (row.previous_secret, row.previous_secret_expires_at, row.revision) == (None, None, 1)


def replay(name: str, subscription_id: str, done: datetime | None) -> dict[str, Any]:
    counts = {"matched": 1, "succeeded": 0, "failed": 0}
    window = {"since": NOON, "until": NOON, "statuses": ["failed"], "created_at": NOON, "completed_at": done}
    return {"replay_id": name, "subscription_id": subscription_id} | window | counts


def mail(name: str, due: datetime | None) -> dict[str, Any]:
    text = {"subject": "s", "body": "b", "recipient": "owner@example.com", "account_id": ACCOUNT}
    return {"mail_id": name, "occasion": name, "created_at": NOON, "next_attempt_at": due, "attempts": 1} | text


def request(key: str, at: datetime) -> dict[str, Any]:
    names = {"account_id": ACCOUNT, "operation": "POST /api/v1/webhooks", "key": key, "claimed_by": "req_1"}
    return names | {"fingerprint": b"x" * 32, "created_at": at}
