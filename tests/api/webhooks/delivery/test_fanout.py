"""Published events become deliveries: whom they concern, once each, in one commit.

See docs/architecture.md 10, docs/contract/delivery.md 1.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from api.common.ids import earliest_id
from api.database.migrate import prepare_database
from api.database.models.base import to_milliseconds
from api.database.models.webhooks import (
    Delivery,
    EndpointState,
    LedgerCursor,
    MatchedEvent,
    QueuedAttempt,
    Subscription,
)
from api.webhooks.delivery import fanout
from api.webhooks.subscriptions.repository import delete_subscription, pause_subscription, resume_subscription
from tests.api.fixtures.fanout import NOON, Control, matched_all

ONE, OTHER = "firm:NO:999999999", "firm:SE:5599999991"


@pytest.fixture
def control(control_url: str) -> Iterator[Control]:
    database = prepare_database(control_url)
    yield Control(database)
    database.close()


def told(control: Control) -> dict[str, list[int]]:
    """Sequences delivered to each subscription."""
    found: dict[str, list[int]] = {}
    for row in sorted(control.rows(Delivery), key=lambda row: row.delivery_id):
        found.setdefault(row.subscription_id, []).append(row.sequence)
    return found


def test_events_for_a_bucket_fall_due_at_the_end_of_their_window(control: Control) -> None:
    """Events of one minute are one object; others are due at once (docs/contract/contract.md 4.8f)."""
    bucket, endpoint = control.subscribe(destination_kind="s3"), control.subscribe()
    control.subscribe(destination_kind="s3", status="paused")
    for seconds in (0, 59.999, 0.001):
        control.advance(seconds=seconds)
        control.ledger.add(ONE)
        assert matched_all(control.fan_out()) == 1
    minute = to_milliseconds(NOON)
    due = {lane: [to_milliseconds(row.due_at) - minute for row in control.rows(QueuedAttempt) if row.subscription_id == lane]
           for lane in (bucket, endpoint)}  # fmt: skip
    assert due == {bucket: [60_000, 60_000, 120_000], endpoint: [0, 59_999, 60_000]}
    assert {row.next_due_at for row in control.rows(EndpointState, EndpointState.subscription_id == bucket)} == {
        NOON + timedelta(minutes=1)
    }
    waits = [row.next_attempt_at for row in control.rows(Delivery, Delivery.subscription_id == bucket)]
    assert sorted(waits) == [NOON + timedelta(minutes=one) for one in (1, 1, 2)]


def test_types_and_companies_decide(control: Control) -> None:
    everything = control.subscribe()
    named = control.subscribe([ONE])
    both = control.subscribe([OTHER, ONE])
    typed = control.subscribe([ONE], types=["filing.added", "news.published"])
    all_typed = control.subscribe(types=["event.regulatory"])
    control.subscribe(["firm:UK:99999999"])
    control.ledger.add(ONE, "status.changed")
    control.ledger.add(OTHER, "filing.added")
    control.ledger.add(ONE, "news.published")
    control.ledger.add("firm:DK:12345678", "event.regulatory")
    assert matched_all(control.fan_out()) == 4
    assert told(control) == {everything: [1, 2, 3, 4], named: [1, 3], both: [1, 2, 3], typed: [3], all_typed: [4]}


def test_every_type_has_its_own_bit(control: Control) -> None:
    from warehouse.schema.codes import EVENT_TYPES

    subscribed = {one: control.subscribe(types=[one]) for one in EVENT_TYPES}
    for one in EVENT_TYPES:
        control.ledger.add(ONE, one)
    matched_all(control.fan_out())
    places = {one: [place] for place, one in enumerate(EVENT_TYPES, start=1)}
    assert told(control) == {subscribed[one]: places[one] for one in EVENT_TYPES}


def test_subscription_to_the_six_types_of_before_gets_no_changed_company(control: Control) -> None:
    from warehouse.schema.codes import EVENT_TYPES

    six = control.subscribe(types=[one for one in EVENT_TYPES if one != "company.changed"])
    named = control.subscribe(types=["company.changed"])
    control.ledger.add(ONE, "company.changed")
    control.ledger.add(ONE, "status.changed")
    matched_all(control.fan_out())
    assert told(control) == {six: [2], named: [1]}


def test_a_type_of_a_later_edition_concerns_nobody(control: Control) -> None:
    control.subscribe()
    control.ledger.add(ONE, "owner.sneezed")
    control.ledger.add(ONE)
    assert matched_all(control.fan_out()) == 2
    assert [row.sequence for row in control.rows(MatchedEvent)] == [2]


def test_what_was_published_before_a_subscription_does_not_concern_it(control: Control) -> None:
    control.subscribe()
    control.ledger.add(ONE, count=3)
    later = control.subscribe([ONE])
    control.ledger.add(ONE, count=2)
    matched_all(control.fan_out())
    assert told(control)[later] == [4, 5]


def test_the_cursor_begins_where_the_oldest_subscription_does(control: Control) -> None:
    control.ledger.add(ONE, count=7)
    fan_out = control.fan_out()
    assert fan_out.step() == 0
    assert control.count(LedgerCursor) == 0, "nobody has subscribed to anything yet"
    assert control.ledger.asked == []
    control.subscribe()
    control.ledger.add(ONE)
    assert matched_all(fan_out) == 1
    assert control.ledger.asked[0][0] == 7, "what nobody can be due is not read"
    assert [row.sequence for row in control.rows(LedgerCursor)] == [8]


def test_a_delivery_as_it_begins(control: Control) -> None:
    control.now = NOON.replace(microsecond=123_456)
    subscription = control.subscribe([ONE])
    control.ledger.add(ONE)
    matched_all(control.fan_out())
    at = NOON.replace(microsecond=123_000)
    (delivery,) = control.rows(Delivery)
    (queued,) = control.rows(QueuedAttempt)
    (lane,) = control.rows(EndpointState)
    assert (delivery.subscription_id, delivery.status, delivery.tries) == (subscription, "pending", 0)
    assert (delivery.attempt_count, delivery.completed_at, delivery.replay_id) == (0, None, None)
    assert delivery.created_at == delivery.next_attempt_at == queued.due_at == lane.next_due_at == at
    assert (queued.subscription_id, queued.delivery_id) == (subscription, delivery.delivery_id)
    assert (queued.trigger, queued.attempt_id) == ("schedule", f"att_{delivery.delivery_id[4:]}")
    assert len(delivery.delivery_id) == 30
    assert delivery.delivery_id[:14] == earliest_id("dlv", to_milliseconds(at))[:14]


def test_an_event_is_kept_once_byte_for_byte(control: Control) -> None:
    for _ in range(3):
        control.subscribe()
    control.ledger.add(ONE, count=2)
    control.ledger.add(OTHER, "owner.sneezed")
    matched_all(control.fan_out())
    kept = sorted(control.rows(MatchedEvent), key=lambda row: row.sequence)
    assert [(row.event_id, row.company_id, row.event_type, row.data) for row in kept] == [
        (one.event_id, one.company_id, one.event_type, one.data) for one in control.ledger.events[:2]
    ]
    assert json.loads(kept[0].data)["name"] == "Blåbær «1»"
    assert control.count(Delivery) == 6


def test_paused_to_held(control: Control) -> None:
    paused = control.subscribe([ONE], status="paused", status_reason="manual")
    active = control.subscribe([ONE])
    control.ledger.add(ONE, count=2)
    matched_all(control.fan_out())
    rows = control.rows(Delivery, Delivery.subscription_id == paused)
    assert [(row.status, row.next_attempt_at) for row in rows] == [("held", None)] * 2
    assert {row.subscription_id for row in control.rows(QueuedAttempt)} == {active}
    (lane,) = control.rows(EndpointState, EndpointState.subscription_id == paused)
    assert lane.next_due_at is None


def test_held_stays_held_and_new_events_go_out_after_resuming(control: Control) -> None:
    subscription = control.subscribe([ONE])
    fan_out = control.fan_out()
    with control.database.writing() as session:
        pause_subscription(session.connection(), subscription, "manual", control.now)
    control.ledger.add(ONE)
    matched_all(fan_out)
    with control.database.writing() as session:
        resume_subscription(session.connection(), subscription, control.now)
    control.ledger.add(ONE)
    matched_all(fan_out)
    rows = sorted(control.rows(Delivery), key=lambda row: row.sequence)
    assert [(row.sequence, row.status) for row in rows] == [(1, "held"), (2, "pending")]


def test_a_deleted_subscription_gets_nothing(control: Control) -> None:
    named, everything = control.subscribe([ONE]), control.subscribe()
    for one in (named, everything):
        with control.database.writing() as session:
            delete_subscription(session.connection(), one, control.now)
    control.ledger.add(ONE)
    assert matched_all(control.fan_out()) == 1
    assert control.count(Delivery) == control.count(MatchedEvent) == 0


def test_companies_left_over_from_before_it_wanted_all_count_once(control: Control) -> None:
    control.subscribe([ONE], all_companies=True)
    control.ledger.add(ONE)
    matched_all(control.fan_out())
    assert control.count(Delivery) == 1


def test_a_lane_that_is_due_earlier_stays_so(control: Control) -> None:
    from datetime import timedelta

    early, late = control.subscribe([ONE]), control.subscribe([ONE])
    for one, due in ((early, -timedelta(hours=1)), (late, timedelta(hours=1))):
        with control.database.writing() as session:
            session.execute(
                update(EndpointState).where(EndpointState.subscription_id == one).values(next_due_at=control.now + due)
            )
    control.ledger.add(ONE)
    matched_all(control.fan_out())
    due = {row.subscription_id: row.next_due_at for row in control.rows(EndpointState)}
    assert due == {early: control.now - timedelta(hours=1), late: control.now}


def test_ids_are_all_different_and_rise_with_sequence(control: Control) -> None:
    """Also without their time: a replay makes attempts' ids of what is left."""
    for _ in range(5):
        control.subscribe()
    control.ledger.add(ONE, count=40)
    matched_all(control.fan_out())
    rows = control.rows(Delivery)
    assert len({row.delivery_id[14:] for row in rows}) == 200
    for subscription in {row.subscription_id for row in rows}:
        mine = sorted((row for row in rows if row.subscription_id == subscription), key=lambda row: row.sequence)
        assert [row.delivery_id for row in mine] == sorted(row.delivery_id for row in mine)
    assert {row.attempt_id[4:] for row in control.rows(QueuedAttempt)} == {row.delivery_id[4:] for row in rows}


def test_large_batches_grow_and_shrink_with_what_they_make(control: Control, monkeypatch: Any) -> None:
    monkeypatch.setattr("api.webhooks.delivery.fanout.ENOUGH_DELIVERIES", 300)
    control.subscribe([ONE])
    fan_out = control.fan_out()
    control.ledger.add(OTHER, count=1_500)
    matched_all(fan_out)
    asked = [limit for _, limit in control.ledger.asked]
    assert asked[:5] == [64, 128, 256, 512, 1024], "nothing was made of them"
    control.ledger.add(ONE, count=1_500)
    assert matched_all(fan_out) == 1_500
    assert control.ledger.asked[-1][1] < 1_024
    assert control.count(Delivery) == control.count(QueuedAttempt) == control.count(MatchedEvent) == 1_500


def test_more_subscriptions_than_a_statement_takes_parameters(control: Control) -> None:
    """An event for all of many: lists go as one value."""
    from tests.api.fixtures.fanout import ACCOUNT

    with control.database.writing() as session:
        connection = session.connection()
        names = [f"whs_01kaf3w9c8{number:016d}" for number in range(2_500)]
        connection.execute(
            Subscription.__table__.insert(),
            [
                {
                    "subscription_id": name,
                    "account_id": ACCOUNT,
                    "endpoint_url": "https://hooks.example.com/",
                    "event_types": ["status.changed"],
                    "event_mask": 63,
                    "all_companies": True,
                    "status": "active",
                    "status_changed_at": NOON,
                    "created_at": NOON,
                    "updated_at": NOON,
                    "revision": 1,
                    "from_sequence": 0,
                    "secret": b"",
                    "secret_hint": "",
                }
                for name in names
            ],
        )
        connection.execute(
            EndpointState.__table__.insert(), [{"subscription_id": name, "consecutive_failures": 0} for name in names]
        )
    control.ledger.add(ONE, count=2)
    matched_all(control.fan_out())
    assert control.count(Delivery) == control.count(QueuedAttempt) == 5_000
    assert control.count(EndpointState, EndpointState.next_due_at.is_not(None)) == 2_500


def test_the_cursor_of_statements(control: Control) -> None:
    control.subscribe()
    with control.database.writing() as session:
        assert fanout.fanout_cursor(session.connection()) is None
        assert fanout.start_cursor(session.connection()) == 0
        assert fanout.start_cursor(session.connection()) == 0
        assert fanout.advance_cursor(session.connection(), 0, 5)
        assert not fanout.advance_cursor(session.connection(), 0, 6)
        assert fanout.start_cursor(session.connection()) == 5
