"""States of subscriptions: pausing, activating, deleting, tiers and their limits; on both engines.

See docs/contract/contract.md 4.8.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select, update

from api.accounts.service import AccountError, AccountService
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.models.webhooks import Delivery, EndpointState, QueuedAttempt, SubscribedCompany, Subscription
from api.webhooks.subscriptions.repository import pause_subscription

ALL = "/api/v1/webhooks"
GOOD = {"endpoint_url": "https://hooks.example.com/x", "event_types": ["status.changed"]}
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
OWNER = "owner@example.com"


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


@pytest.fixture
def database(service):
    opened = Database(service.parts.settings.control_database_url)
    yield opened
    opened.close()


def send(service, method, path, body=None, **headers):
    return service.client.request(method, path, headers=service.headers | headers, json=body)


def make(service, **members):
    answer = send(service, "POST", ALL, GOOD | members)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def deliver(database, subscription_id, *statuses):
    """Deliveries in these states, those that are not finished in the queue."""
    with database.writing() as session:
        for place, status in enumerate(statuses):
            delivery_id, waits = f"dlv_{place:026d}", status in ("pending", "retrying")
            session.add(
                Delivery(
                    subscription_id=subscription_id,
                    delivery_id=delivery_id,
                    sequence=place,
                    status=status,
                    tries=0,
                    attempt_count=0,
                    next_attempt_at=NOW if waits else None,
                    created_at=NOW,
                )
            )
            if waits:
                session.add(
                    QueuedAttempt(
                        subscription_id=subscription_id,
                        due_at=NOW,
                        attempt_id=f"att_{place:026d}",
                        delivery_id=delivery_id,
                        trigger="schedule",
                    )
                )
        session.execute(
            update(EndpointState)
            .where(EndpointState.subscription_id == subscription_id)
            .values(next_due_at=NOW, consecutive_failures=7, failing_since=NOW)
        )


def states(database):
    with database.reading() as session:
        rows = session.execute(select(Delivery.status).order_by(Delivery.delivery_id)).scalars().all()
        queued = session.scalar(select(func.count()).select_from(QueuedAttempt))
    return list(rows), queued


def test_paused_to_active_keeps_held(service, database):
    made = make(service)
    path = f"{ALL}/{made}"
    deliver(database, made, "pending", "retrying", "failed", "succeeded", "held")
    service.hands.seconds += 60
    paused = send(service, "PATCH", path, {"status": "paused"}).json()
    assert (paused["status"], paused["status_reason"]) == ("paused", "manual")
    assert paused["status_changed_at"] == paused["updated_at"] == "2026-11-21T09:01:00Z"
    assert (paused["held_deliveries"], paused["consecutive_failures"]) == (3, 7)
    assert states(database) == (["held", "held", "failed", "succeeded", "held"], 0)

    service.hands.seconds += 60
    active = send(service, "PATCH", path, {"status": "active"}).json()
    assert (active["status"], active["status_reason"]) == ("active", None)
    assert active["status_changed_at"] == "2026-11-21T09:02:00Z"
    assert (active["held_deliveries"], active["consecutive_failures"]) == (3, 0)
    assert states(database) == (["held", "held", "failed", "succeeded", "held"], 0)


def test_a_pause_by_the_engine_keeps_its_reason_until_it_is_lifted(service, database):
    made = make(service)
    path = f"{ALL}/{made}"
    with database.writing() as session:
        assert pause_subscription(session.connection(), made, "retries_exhausted", NOW)
    read = service.get(path)
    assert (read.json()["status_reason"], read.headers["etag"]) == ("retries_exhausted", '"2"')
    same = send(service, "PATCH", path, {"status": "paused"})
    assert (same.json()["status_reason"], same.headers["etag"]) == ("retries_exhausted", '"2"')
    stale = send(service, "PATCH", path, {"description": "x"}, **{"If-Match": '"1"'})
    assert stale.status_code == 412
    assert send(service, "PATCH", path, {"status": "active"}).json()["status_reason"] is None


def test_delete_cancels_and_forgets(service, database):
    made = make(service, entity_ids=["firm:SE:5599999991", "firm:NO:999999999"])
    deliver(database, made, "pending", "retrying", "held", "failed", "succeeded")
    assert send(service, "DELETE", f"{ALL}/{made}").status_code == 204
    assert states(database)[1] == 0
    assert states(database)[0][:2] == ["canceled", "canceled"]
    with database.reading() as session:
        row = session.execute(select(Subscription.secret, Subscription.previous_secret)).one()
        assert session.scalar(select(func.count()).select_from(SubscribedCompany)) == 0
    assert tuple(row) == (b"", None)


def test_a_new_subscription_begins_after_what_is_published(service, database, world):
    make(service)
    with database.reading() as session:
        assert session.scalars(select(Subscription.from_sequence)).all() == [12]  # the world's events


def test_before_the_first_release_it_begins_at_the_beginning(serve, make_world_less):
    service, database = make_world_less
    make(service)
    with database.reading() as session:
        assert session.scalars(select(Subscription.from_sequence)).all() == [0]


@pytest.fixture
def make_world_less(serve, make):
    service = serve(make().world)
    opened = Database(service.parts.settings.control_database_url)
    yield service, opened
    opened.close()


def test_what_matching_and_the_engine_read(service, database):
    make(service, event_types=["event.regulatory", "filing.added"])
    one = make(service, entity_ids=["firm:SE:5599999991", "firm:NO:999999999"])
    with database.reading() as session:
        masks = session.execute(
            select(Subscription.event_mask, Subscription.all_companies).order_by(Subscription.revision)
        ).all()
        assert sorted(map(tuple, masks)) == [(8, False), (0b100001, True)]
        companies = session.execute(
            select(SubscribedCompany.company_id, SubscribedCompany.position).order_by(SubscribedCompany.position)
        ).all()
        assert list(map(tuple, companies)) == [("firm:SE:5599999991", 0), ("firm:NO:999999999", 1)]
        assert session.scalar(select(func.count()).select_from(EndpointState)) == 2
    changes = {"entity_ids": None, "event_types": ["ownership.changed"]}
    assert send(service, "PATCH", f"{ALL}/{one}", changes).headers["etag"] == '"2"'
    with database.reading() as session:
        changed = session.execute(
            select(Subscription.event_mask, Subscription.all_companies).where(Subscription.subscription_id == one)
        ).one()
    assert tuple(changed) == (4, True)


def test_tier_gates(service):
    made = make(service)
    path = f"{ALL}/{made}"
    service.accounts.set_tier(OWNER, "starter")
    service.hands.seconds += 31  # callers are believed for half a minute
    for method, where, body in (
        ("POST", ALL, GOOD),
        ("POST", ALL, {}),
        ("PATCH", path, {"status": "active"}),
        ("POST", f"{path}/secret/rotate", {}),
        ("POST", f"{path}/test", {"event_type": "status.changed"}),
    ):
        answer = send(service, method, where, body)
        told = answer.json()
        assert (answer.status_code, told["code"]) == (403, "tier_required"), where
        assert told["detail"] == "Webhooks need the Pro or Business tier; this account has 'starter'."
        assert (told["required_tiers"], told["current_tier"]) == (["pro", "business"], "starter")
    read = service.get(path).json()
    assert (read["status"], read["status_reason"]) == ("paused", "tier_downgraded")
    assert send(service, "PATCH", path, {"description": "x", "status": "paused"}).status_code == 200
    assert service.get(f"{ALL}?status=paused").json()["data"][0]["id"] == made
    assert send(service, "DELETE", path).status_code == 204


def test_a_tier_without_webhooks_pauses_everything(service, database):
    active, manual = make(service), make(service, status="paused")
    deliver(database, active, "pending", "retrying")
    service.accounts.set_tier(OWNER, "business")
    assert service.get(f"{ALL}/{active}").headers["etag"] == '"1"'
    service.hands.seconds += 60
    service.accounts.set_tier(OWNER, "basic")
    for one in (active, manual):
        told = service.get(f"{ALL}/{one}").json()
        assert (told["status"], told["status_reason"]) == ("paused", "tier_downgraded")
        assert told["updated_at"] == "2026-11-21T09:01:00Z"
    assert states(database) == (["held", "held"], 0)
    # back again: nothing starts by itself
    service.accounts.set_tier(OWNER, "pro")
    service.hands.seconds += 31
    assert service.get(f"{ALL}/{active}").json()["status"] == "paused"
    assert send(service, "PATCH", f"{ALL}/{active}", {"status": "active"}).status_code == 200


def test_a_suspended_account_receives_nothing_and_misses_nothing(service, database):
    active, other = make(service), make(service)
    deliver(database, active, "pending", "retrying")
    service.accounts.set_status(OWNER, "suspended")
    assert states(database) == (["held", "held"], 0)
    with pytest.raises(AccountError, match=f"{OWNER} is suspended and could not use a key: activate the account first"):
        service.accounts.create_key(OWNER, "live")
    service.accounts.set_status(OWNER, "active")
    service.hands.seconds += 31
    for one in (active, other):
        told = service.get(f"{ALL}/{one}").json()
        assert (told["status"], told["status_reason"]) == ("paused", "manual")
        assert send(service, "PATCH", f"{ALL}/{one}", {"status": "active"}).status_code == 200


def test_a_tier_that_was_lost_a_moment_ago_activates_nothing(service):
    """Callers are believed for half a minute; what decides is read under the account's lock."""
    made = make(service)
    service.accounts.set_tier(OWNER, "starter")
    for method, path, body in (("POST", ALL, GOOD), ("PATCH", f"{ALL}/{made}", {"status": "active"})):
        answer = send(service, method, path, body)
        assert (answer.status_code, answer.json()["code"]) == (403, "tier_required")
    assert service.get(f"{ALL}/{made}").json()["status"] == "paused"


def test_limit_reached(service):
    made = [make(service, status="paused" if number else "active") for number in range(10)]
    answer = send(service, "POST", ALL, GOOD)
    assert (answer.status_code, answer.json()["code"]) == (403, "subscription_limit_reached")
    assert (answer.json()["limit"], answer.json()["detail"]) == (10, "This tier allows 10 subscriptions.")
    usage = service.get("/api/v1/usage").json()
    assert (usage["subscriptions_used"], usage["subscriptions_limit"]) == (10, 10)
    assert send(service, "DELETE", f"{ALL}/{made[0]}").status_code == 204
    assert service.get("/api/v1/usage").json()["subscriptions_used"] == 9
    make(service)
    assert send(service, "POST", ALL, GOOD).status_code == 403


def test_racing_creations_stay_within_the_limit(service):
    for _ in range(8):
        make(service)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: send(service, "POST", ALL, GOOD).status_code, range(6)))
    assert sorted(answers) == [201, 201, 403, 403, 403, 403]


def test_racing_patches_of_one_revision_have_one_winner(service):
    path = f"{ALL}/{make(service)}"
    match = {"If-Match": '"1"'}
    with ThreadPoolExecutor(6) as pool:
        answers = list(
            pool.map(
                lambda number: send(service, "PATCH", path, {"description": f"{number}"}, **match).status_code, range(6)
            )
        )
    assert sorted(answers) == [200, 412, 412, 412, 412, 412]
    assert service.get(path).headers["etag"] == '"2"'


def test_a_tier_that_goes_while_subscriptions_are_made(service, database):
    """Whoever comes first, nothing stays active on a tier without webhooks."""
    clock = Clock(wall=service.hands, monotonic=service.hands)
    accounts = AccountService(database, service.secrets.pepper, clock, UlidGenerator(clock.wall))
    begun = threading.Barrier(4)

    def create(_):
        begun.wait()
        return send(service, "POST", ALL, GOOD).status_code

    def lose(_):
        begun.wait()
        accounts.set_tier(OWNER, "basic")
        return 0

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda work: work(None), [create, create, create, lose]))
    assert set(answers) <= {0, 201, 403}
    with database.reading() as session:
        assert set(session.scalars(select(Subscription.status_reason))) <= {"tier_downgraded"}
