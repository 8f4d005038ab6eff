"""Matching when something goes wrong: a crash in between, two leaders, others who change the same subscription."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import update

from api.database.migrate import prepare_database
from api.database.models.webhooks import Delivery, Lease, LedgerCursor, MatchedEvent, QueuedAttempt
from api.webhooks.delivery import fanout
from api.webhooks.subscriptions.repository import pause_subscription
from tests.api.fixtures.fanout import Control, matched_all

ONE = "firm:NO:999999999"
PATIENCE = 30


@pytest.fixture
def control(control_url: str) -> Iterator[Control]:
    database = prepare_database(control_url)
    yield Control(database)
    database.close()


class Killed(Exception):  # noqa: N818 -- it is none
    """Stands for a process that is gone: nothing after it happens."""


@pytest.mark.parametrize("point", ["advance_cursor", "store_deliveries", "store_events"])
def test_a_crash_in_between_repeats_and_loses_nothing(control: Control, monkeypatch: Any, point: str) -> None:
    control.subscribe([ONE])
    control.ledger.add(ONE, count=3)
    fan_out = control.fan_out()
    genuine = getattr(fanout, point)

    def dies(*arguments: Any) -> None:
        genuine(*arguments)
        raise Killed

    monkeypatch.setattr(fanout, point, dies)
    with pytest.raises(Killed):
        fan_out.step()
    for table in (Delivery, QueuedAttempt, MatchedEvent):
        assert control.count(table) == 0
    assert [row.sequence for row in control.rows(LedgerCursor)] == [0]
    monkeypatch.setattr(fanout, point, genuine)
    assert matched_all(fan_out) == 3
    assert control.count(Delivery) == control.count(QueuedAttempt) == control.count(MatchedEvent) == 3


def test_one_leads_and_the_other_takes_over_when_it_is_gone(control: Control) -> None:
    control.subscribe([ONE])
    first, second = control.fan_out("first"), control.fan_out("second")
    control.ledger.add(ONE)
    assert (first.step(), second.step()) == (1, 0)
    control.ledger.add(ONE)
    control.advance(seconds=10)
    assert (second.step(), first.step()) == (0, 1)  # that renews it
    control.ledger.add(ONE)
    control.advance(seconds=14)
    assert second.step() == 0
    control.advance(seconds=8)  # nothing was heard of the first one since
    assert second.step() == 1
    assert first.step() == 0
    assert control.count(Delivery) == 3
    assert [row.holder for row in control.rows(Lease)] == ["second"]


def test_who_ends_well_is_followed_at_once(control: Control) -> None:
    control.subscribe([ONE])
    first, second = control.fan_out("first"), control.fan_out("second")
    control.ledger.add(ONE, count=2)
    assert first.step() == 2
    first.close()
    control.ledger.add(ONE)
    assert second.step() == 1


def test_a_leader_that_slept_through_its_lease_finds_the_events_matched(control: Control) -> None:
    """Two who both think that they lead: the cursor lets one of them through."""
    control.subscribe([ONE])
    sleeper, waker = control.fan_out("sleeper"), control.fan_out("waker")
    control.ledger.add(ONE, count=2)
    asleep, awake = threading.Event(), threading.Event()
    genuine = control.ledger.events_after

    def sleeping(sequence: int, limit: int) -> Any:
        found = genuine(sequence, limit)
        if threading.current_thread().name == "sleeper":
            asleep.set()
            assert awake.wait(PATIENCE)
        return found

    control.ledger.events_after = sleeping  # type: ignore[method-assign]
    made: list[int] = []
    thread = threading.Thread(target=lambda: made.append(sleeper.step()), name="sleeper")
    thread.start()
    assert asleep.wait(PATIENCE)
    control.advance(seconds=16)
    assert waker.step() == 2
    awake.set()
    thread.join(PATIENCE)
    assert made == [0]
    assert control.count(Delivery) == control.count(QueuedAttempt) == control.count(MatchedEvent) == 2


def test_many_at_once_make_every_delivery_once(control: Control, monkeypatch: Any) -> None:
    """As if leases were no help at all: eight match the same ledger until nothing is new."""
    monkeypatch.setattr("api.database.leases.acquire_lease", lambda *_: True)
    monkeypatch.setattr("api.webhooks.delivery.fanout.MAX_EVENTS", 64)
    for _ in range(3):
        control.subscribe([ONE])
    control.ledger.add(ONE, count=640)

    def work(number: int) -> None:
        fan_out = control.fan_out(f"number {number}")
        while True:
            with control.database.reading() as session:
                if fanout.fanout_cursor(session.connection()) == 640:
                    return
            fan_out.step()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert control.count(Delivery) == control.count(QueuedAttempt) == 1_920
    assert control.count(MatchedEvent) == 640


def test_a_pause_while_events_are_matched_leaves_nothing_pending(control: Control, monkeypatch: Any) -> None:
    """A client pauses just when the batch is stored: whoever comes second sees what the first one did."""
    subscription = control.subscribe([ONE])
    control.ledger.add(ONE, count=5)
    pausing = threading.Event()

    def pause_now() -> None:
        with control.database.writing() as session:
            pausing.set()
            pause_subscription(session.connection(), subscription, "manual", control.now)

    thread = threading.Thread(target=pause_now)
    genuine = fanout.store_deliveries

    def matching(*arguments: Any) -> int:
        made = genuine(*arguments)
        thread.start()
        if control.database.url.get_backend_name() == "postgresql":
            assert pausing.wait(PATIENCE)  # SQLite lets nobody begin meanwhile
        return made

    monkeypatch.setattr(fanout, "store_deliveries", matching)
    assert control.fan_out().step() == 5
    thread.join(PATIENCE)
    assert [row.status for row in control.rows(Delivery)] == ["held"] * 5
    assert control.count(QueuedAttempt) == 0


def test_a_pause_that_comes_first_is_seen_by_who_waited_for_it(control: Control) -> None:
    """The lane is locked before its subscription is read: a batch that waited sees the pause."""
    subscription = control.subscribe([ONE])
    fan_out = control.fan_out()
    assert fan_out.step() == 0  # it leads from now on
    control.ledger.add(ONE, count=5)
    thread = threading.Thread(target=fan_out.step)
    with control.database.writing() as session:
        pause_subscription(session.connection(), subscription, "manual", control.now)
        thread.start()
        _until_it_waits(control)
    thread.join(PATIENCE)
    assert [row.status for row in control.rows(Delivery)] == ["held"] * 5
    assert control.count(QueuedAttempt) == 0


def _until_it_waits(control: Control) -> None:
    """On PostgreSQL, until somebody waits for a lock; SQLite's writers wait at their beginning."""
    import time

    from sqlalchemy import text

    if control.database.url.get_backend_name() != "postgresql":
        return
    until = time.monotonic() + PATIENCE
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    while time.monotonic() < until:
        with control.database.reading() as session:
            if session.scalar(waiting):
                return
    raise AssertionError("nobody waits for the lane")


def test_a_cursor_that_another_moved_is_read_again(control: Control) -> None:
    control.subscribe([ONE])
    control.ledger.add(ONE, count=4)
    fan_out = control.fan_out()
    assert matched_all(fan_out) == 4
    with control.database.writing() as session:
        session.execute(update(LedgerCursor).values(sequence=5))
    control.ledger.add(ONE, count=2)
    assert fan_out.step() == 0
    assert fan_out.step() == 1
    assert control.count(Delivery, Delivery.sequence == 6) == 1
    assert control.count(Delivery, Delivery.sequence == 5) == 0
