"""The log as it is stored: windows are ranges of ids, filters, pages, retries and replays; on both engines."""

from datetime import timedelta

import pytest
from sqlalchemy.event import listen

from api.database.migrate import prepare_database
from api.problems.problem import ProblemError
from api.webhooks.deliveries import service
from api.webhooks.deliveries.models import DeliveryQuery
from api.webhooks.deliveries.service import DeliveryScope, ReplayRequest
from tests.api.fixtures import delivery_log as stored
from tests.tables import check_cases

NOW, MINUTE, DAY = stored.NOW, stored.MINUTE, stored.DAY
MILLISECOND = timedelta(milliseconds=1)
ALL = ("pending", "retrying", "succeeded", "failed", "held", "canceled")


class World:
    """One account with one subscription, and who asks for it."""

    def __init__(self, database):
        self.database = database
        self.log = stored.Log(database)
        self.account = self.log.account()
        self.subscription = self.log.subscription(self.account)

    def place(self, **more):
        values = {"account_id": self.account, "subscription_id": self.subscription}
        return DeliveryScope(**values | {"oldest": NOW - 30 * DAY, "retention_days": 30} | more)

    def delivered(self, status="failed", at=NOW, event_type="status.changed", **more):
        self.log.at = at
        return self.log.deliver(self.subscription, self.log.event(event_type), status, **more)

    def page(self, query, before=None, limit=100, **place):
        with self.database.reading() as session:
            found = service.list_deliveries(session.connection(), self.place(**place), query, before, limit)
        return [record.id for record in found]

    def asked(self, what, *arguments, **place):
        with self.database.writing() as session:
            return what(session.connection(), self.place(**place), *arguments)

    def replay(self, since=NOW - DAY, until=NOW + DAY, statuses=("failed", "held"), event_types=None):
        self.log.at += MINUTE
        asked = ReplayRequest(since, until, statuses, event_types)
        replay_id = self.log.ulids.make("rpl")
        return self.asked(service.start_replay, asked, replay_id, self.log.at)


@pytest.fixture
def world(control_url):
    database = prepare_database(control_url)
    yield World(database)
    database.close()


def everything(**more):
    return DeliveryQuery(**more)


def test_the_newest_come_first_page_after_page(world):
    made = [world.delivered(status, NOW + number * MINUTE) for number, status in enumerate(ALL * 3)]
    newest = list(reversed(made))
    assert world.page(everything()) == newest
    read, before = [], None
    for _ in range(len(made)):
        page = world.page(everything(), before, 4)
        read, before = read + page, page[-1] if page else before
    assert read == newest
    wanted = everything(statuses=("held", "failed", "retrying"))
    assert world.page(wanted, None, 5) == [one for one in newest if made.index(one) % 6 in {1, 3, 4}][:5]
    with_succeeded = everything(statuses=("held", "succeeded"))
    assert world.page(with_succeeded) == [one for one in newest if made.index(one) % 6 in {2, 4}]
    assert world.page(wanted, newest[9]) == [one for one in newest[10:] if made.index(one) % 6 in {1, 3, 4}]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (everything(), "PRIMARY KEY"),
        (everything(statuses=("failed",)), "ix_webhook_deliveries_unsucceeded"),
        (
            DeliveryQuery(NOW - DAY, NOW + DAY, ("held", "pending"), ("filing.added",)),
            "ix_webhook_deliveries_unsucceeded",
        ),
    ],
    ids=["all", "failed", "everything at once"],
)
def test_a_list_is_read_where_it_begins(tmp_path, query, index):
    """However long the log is: SQLite says which index it uses, and sorts nothing."""
    database = prepare_database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    world, asked = World(database), []
    listen(database.engine, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
    world.page(query, world.delivered())
    statements = [one for one in asked if "ORDER BY" in one[0]]
    assert len(statements) == max(1, len(query.statuses))
    with database.reading() as session:
        for statement, values in statements:
            told = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
            steps = [row[3] for row in told]
            assert index in steps[0], steps
            assert "delivery_id<?" in steps[0], steps
            assert not any("TEMP B-TREE" in step or step.startswith("SCAN") for step in steps), steps
    database.close()


def test_a_window_holds_its_beginning_and_not_its_end(world):
    at = [NOW, NOW + MILLISECOND, NOW + 2 * MILLISECOND]
    made = [world.delivered(at=moment) for moment in at]
    half = timedelta(microseconds=500)
    for since, until, expected in (
        (NOW, None, made),
        (NOW + MILLISECOND, None, made[1:]),
        (NOW + half, None, made[1:]),
        (None, NOW + MILLISECOND, made[:1]),
        (None, NOW + MILLISECOND + half, made[:2]),
        (NOW + MILLISECOND, NOW + 2 * MILLISECOND, made[1:2]),
        (NOW + MILLISECOND, NOW, []),
    ):
        assert world.page(DeliveryQuery(since, until)) == expected[::-1], (since, until)


def test_an_event_and_its_type_are_found(world):
    filing = world.delivered(event_type="filing.added")
    status = world.delivered(event_type="status.changed")  # in the same millisecond
    both = world.log.event("news.published")
    first = world.log.deliver(world.subscription, both)
    other = world.log.subscription(world.account)
    world.log.deliver(other, both)
    assert world.page(everything(event_types=("filing.added", "status.changed"))) == sorted(
        (filing, status), reverse=True
    )
    assert world.page(everything(event_id=f"evt_{both:026}")) == [first]
    assert world.page(everything(event_id=f"evt_{both:026}", event_types=("filing.added",))) == []
    assert world.page(everything(event_id="evt_" + "9" * 26)) == []


def test_what_is_older_than_the_log_reaches_is_not_told(world):
    old = world.delivered(at=NOW - 30 * DAY - MILLISECOND)
    last = world.delivered(at=NOW - 30 * DAY)
    assert world.page(everything()) == [last]
    assert world.page(DeliveryQuery(since=NOW - 60 * DAY)) == [last]
    for what in (service.delivery_detail, lambda *asked: service.retry_delivery(*asked, "att_" + "0" * 26, NOW)):
        with pytest.raises(ProblemError, match="delivery_not_found"):
            world.asked(what, old)


def test_a_delivery_is_told_with_its_latest_attempts_in_their_order(world):
    delivery = world.delivered("failed")
    made = []
    for number in range(104):
        world.log.at = NOW + number * MINUTE
        made.append(world.log.attempt(delivery, number=min(number + 1, 6), trigger="manual"))
    found = world.asked(service.delivery_detail, delivery)
    assert [attempt.id for attempt in found.attempts] == made[-100:]
    assert found.attempts[0].response_headers == {"content-type": "text/plain"}
    assert found.data == b'{"sequence": 1}'
    assert found.delivery.event_id == f"evt_{1:026}"


@pytest.mark.parametrize("status", [status for status in ALL if status != "canceled"])
def test_a_retry_is_due_at_once_whatever_became_of_the_delivery(world, status):
    delivery = world.delivered(status)
    told = world.asked(service.retry_delivery, delivery, "att_" + "1" * 26, NOW)
    assert (told.id, told.status) == (delivery, status)
    assert world.log.queue(world.subscription) == [(delivery, "manual", "att_" + "1" * 26, NOW)]
    assert world.log.next_due(world.subscription) == NOW
    assert world.log.delivery(delivery).status == status, "a retry by hand changes no state"


def test_every_retry_is_an_attempt_of_its_own(world):
    delivery = world.delivered()
    for number in range(3):
        world.asked(service.retry_delivery, delivery, f"att_{number:026}", NOW)
    assert len(world.log.queue(world.subscription)) == 3


def test_what_was_canceled_is_not_sent_again(world):
    delivery = world.delivered("canceled")
    with pytest.raises(ProblemError, match="invalid_state") as refused:
        world.asked(service.retry_delivery, delivery, "att_" + "1" * 26, NOW)
    assert refused.value.extra == {"current_status": "canceled"}
    assert world.log.queue(world.subscription) == []


def test_the_log_of_another_account_is_none(world):
    delivery = world.delivered()
    stranger = world.log.account("stranger@example.com")
    theirs = world.log.subscription(stranger)
    gone = world.log.subscription(world.account, deleted_at=NOW)
    wrong = "whs_" + "0" * 26
    for asked in ({"account_id": stranger}, {"subscription_id": gone}, {"subscription_id": wrong}):
        for what, *more in (
            (service.list_deliveries, everything(), None, 5),
            (service.delivery_detail, delivery),
            (service.retry_delivery, delivery, "att_" + "1" * 26, NOW),
            (service.start_replay, ReplayRequest(NOW, NOW, ("held",), None), "rpl_" + "1" * 26, NOW),
            (service.find_replay, "rpl_" + "1" * 26),
        ):
            with pytest.raises(ProblemError, match="webhook_not_found"):
                world.asked(what, *more, **asked)
    with pytest.raises(ProblemError, match="delivery_not_found"):
        world.asked(service.delivery_detail, delivery, account_id=stranger, subscription_id=theirs)
    assert world.log.queue(world.subscription) == []


@check_cases("odd", ["", "whs", "dlv_\x00", "dlv_" + "Z" * 26, "é" * 30, "dlv_" + "0" * 27])
def test_what_is_no_id_is_not_found(world, odd):
    with pytest.raises(ProblemError, match="webhook_not_found"):
        world.asked(service.delivery_detail, odd, subscription_id=odd)
    with pytest.raises(ProblemError, match="delivery_not_found"):
        world.asked(service.delivery_detail, odd)
    with pytest.raises(ProblemError, match="replay_not_found"):
        world.asked(service.find_replay, odd)


def test_a_replay_takes_up_its_window_with_a_fresh_schedule(world):
    failed = world.delivered("failed", tries=6, attempt_count=7, completed_at=NOW)
    held = world.delivered("held", NOW + MINUTE, "filing.added")
    others = [world.delivered(status, NOW + MINUTE) for status in ("pending", "retrying", "canceled")]
    succeeded = world.delivered("succeeded", NOW + MINUTE)
    early, late = world.delivered(at=NOW - 2 * DAY), world.delivered(at=NOW + DAY)
    made = world.replay()
    assert (made.matched, made.succeeded, made.failed, made.completed_at) == (2, 0, 0, None)
    for delivery in (failed, held):
        row = world.log.delivery(delivery)
        assert (row.status, row.tries, row.replay_id) == ("pending", 0, made.replay_id)
        assert (row.next_attempt_at, row.completed_at) == (made.created_at, None)
    assert world.log.delivery(failed).attempt_count == 7
    for delivery in (*others, succeeded, early, late):
        assert world.log.delivery(delivery).replay_id is None
    queued = world.log.queue(world.subscription)
    assert queued == [
        (delivery, "replay", f"att_{made.replay_id[4:14]}{delivery[14:]}", made.created_at)
        for delivery in (failed, held)
    ]
    assert world.log.next_due(world.subscription) == made.created_at
    assert world.asked(service.find_replay, made.replay_id) == made


def test_a_replay_may_choose_types_and_what_succeeded(world):
    filing = world.delivered("succeeded", event_type="filing.added")
    status = world.delivered("succeeded", event_type="status.changed")
    made = world.replay(statuses=("succeeded",), event_types=["filing.added"])
    assert (made.matched, made.statuses, made.event_types) == (1, ["succeeded"], ["filing.added"])
    assert world.log.delivery(filing).status == "pending"
    assert world.log.delivery(status).status == "succeeded"


def test_a_replay_of_nothing_is_complete(world):
    world.delivered("succeeded")
    made = world.replay()
    assert (made.matched, made.completed_at) == (0, made.created_at)
    assert world.log.next_due(world.subscription) is None


def test_what_one_replay_took_up_another_leaves(world):
    delivery = world.delivered("held")
    first, second = world.replay(), world.replay()
    assert (first.matched, second.matched) == (1, 0)
    assert world.log.delivery(delivery).replay_id == first.replay_id


def test_a_replay_needs_an_active_subscription(world):
    world.subscription = world.log.subscription(world.account, status="paused", status_reason="manual")
    delivery = world.delivered("held")
    with pytest.raises(ProblemError, match="invalid_state") as refused:
        world.replay()
    assert refused.value.extra == {"current_status": "paused"}
    assert world.log.delivery(delivery).status == "held"
    assert world.log.replays(world.subscription) == []
