"""A control-plane database with subscriptions and matched events, receivers, and workers over it.

Does not belong here: tests, or how events are matched (`matching_world`).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from sqlalchemy import BigInteger, cast, func, insert, select, update

from api.auth.encryption import SecretBox
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.accounts import Account
from api.database.models.webhooks import (
    Attempt,
    Delivery,
    EndpointState,
    MatchedEvent,
    QueuedAttempt,
    SubscribedCompany,
    Subscription,
    to_milliseconds,
)
from api.settings.env import EnvReader
from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery.attempt_result import AttemptResult
from api.webhooks.delivery.payload import OutgoingRequest
from api.webhooks.delivery.signing import make_secret
from api.webhooks.delivery.worker import DeliveryWorker
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.subscriptions.state_transitions import refresh_queue_time
from warehouse.schema.codes import EVENT_TYPES

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ONE = "firm:NO:999999999"
ACCOUNT = "acc_01kaf3w9c8m2v7q4x1z6t5y0r2"
EMAIL = "owner@example.com"
LOCAL = EnvReader({"X": "127.0.0.0/8,::1/128"}).networks("X")
SEALER = SecretBox([b"k" * 32])


class Hands:
    """A clock whose hands tests move; both kinds of time by default."""

    def __init__(self, at: datetime = NOON) -> None:
        self.wall = at.timestamp()
        self.monotonic = 1_000.0
        self.clock = Clock(wall=lambda: self.wall, monotonic=lambda: self.monotonic)

    def move(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds

    @property
    def at(self) -> int:
        return to_milliseconds(self.clock.now())


class Running:
    """The clock of the machine, where processes and real endpoints take part."""

    clock = Clock()

    @property
    def at(self) -> int:
        return to_milliseconds(self.clock.now())


def outcome(status: int | None = 204, *, error: str | None = None, ms: int = 0, **more: Any) -> AttemptResult:
    """What a receiver's answer comes to, for tests in which the wire does not matter."""
    succeeded = status is not None and 200 <= status < 300
    named = error or (None if succeeded else "http_status" if status else "timeout")
    told = {
        "error_detail": None if succeeded else "it failed",
        "remote_ip": "203.0.113.9",
        "retry_after": None,
    }
    told |= {"response_headers": {}, "response_body": "", "response_body_truncated": False}
    return AttemptResult(
        succeeded=succeeded, error=named, response_status=status, duration_ms=ms, **(told | more)
    )


@dataclass
class Scripted:
    """An egress that answers what it is told to: by a function of the request, or one after the other."""

    answer: Callable[[OutgoingRequest], AttemptResult] = lambda _: outcome()
    posts: list[OutgoingRequest] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def send(self, post: OutgoingRequest) -> AttemptResult:
        self.posts.append(post)
        if self.gate is not None:
            await self.gate.wait()
        return self.answer(post)


class Control:
    """Rows as the other parts write them."""

    def __init__(self, database: Database, hands: Any = None) -> None:
        self.database = database
        self.hands: Any = hands or Hands()
        self.ulids = UlidGenerator(self.hands.clock.wall)
        self.sequence = 0
        self.workers: list[DeliveryWorker] = []
        self.senders: list[Any] = []
        with self.writing() as connection:
            connection.execute(
                insert(Account).values(
                    account_id=ACCOUNT,
                    email=EMAIL,
                    tier="pro",
                    status="active",
                    created_at=NOON,
                    updated_at=NOON,
                )
            )

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with self.database.writing() as session:
            yield session.connection()

    def subscribe(
        self, url: str = "https://hooks.example.com/x", companies: list[str] | None = None, **more: Any
    ) -> str:
        now, secret = self.hands.clock.now(), more.pop("secret_text", None) or make_secret()
        subscription_id = self.ulids.make("whs")
        values = {
            "subscription_id": subscription_id,
            "account_id": ACCOUNT,
            "endpoint_url": url,
            "event_types": list(EVENT_TYPES),
            "event_mask": 63,
            "all_companies": companies is None,
            "status": "active",
            "status_changed_at": now,
            "created_at": now,
            "updated_at": now,
            "revision": 1,
            "from_sequence": 0,
            "secret": SEALER.seal(secret),
            "secret_hint": "whsec_…none",
        }
        with self.writing() as connection:
            connection.execute(insert(Subscription).values(values | more))
            connection.execute(
                insert(EndpointState).values(subscription_id=subscription_id, consecutive_failures=0)
            )
            for position, company in enumerate(companies or ()):
                connection.execute(
                    insert(SubscribedCompany).values(
                        company_id=company, subscription_id=subscription_id, position=position
                    )
                )
        return subscription_id

    def deliver(
        self, *subscription_ids: str, count: int = 1, event_type: str = "status.changed"
    ) -> list[str]:
        """Events for each of these subscriptions, due now; gives the deliveries' ids, by subscription."""
        now = self.hands.clock.now()
        events, deliveries, queue = [], [], []
        for subscription_id in subscription_ids:
            for _ in range(count):
                self.sequence += 1
                delivery_id = self.ulids.make("dlv")
                events.append(_event(self.sequence, event_type, now))
                deliveries.append(_delivery(subscription_id, delivery_id, self.sequence, now))
                queue.append(_queued(subscription_id, delivery_id, f"att_{delivery_id[4:]}", now))
        with self.writing() as connection:
            connection.execute(insert(MatchedEvent), events)
            connection.execute(insert(Delivery), deliveries)
            connection.execute(insert(QueuedAttempt), queue)
            for one in set(subscription_ids):
                refresh_queue_time(connection, one)
        return [row["delivery_id"] for row in deliveries]

    def retry(self, subscription_id: str, delivery_id: str) -> str:
        """An attempt by hand, as the API asks for it."""
        attempt_id = self.ulids.make("att")
        row = _queued(subscription_id, delivery_id, attempt_id, self.hands.clock.now()) | {
            "trigger": "manual"
        }
        with self.writing() as connection:
            connection.execute(insert(QueuedAttempt).values(row))
            refresh_queue_time(connection, subscription_id)
        return attempt_id

    def change(self, subscription_id: str, **values: Any) -> None:
        """A client's PATCH."""
        changed = update(Subscription).where(Subscription.subscription_id == subscription_id)
        with self.writing() as connection:
            connection.execute(changed.values(revision=Subscription.revision + 1, **values))

    def rows(self, model: Any, *conditions: Any) -> list[Any]:
        with self.database.reading() as session:
            key = list(model.__table__.primary_key)
            return list(session.scalars(select(model).where(*conditions).order_by(*key)))

    def count(self, model: Any, *conditions: Any) -> int:
        with self.database.reading() as session:
            return session.scalar(select(func.count()).select_from(model).where(*conditions)) or 0

    def statuses(self) -> dict[str, int]:
        with self.database.reading() as session:
            counted = select(Delivery.status, func.count()).group_by(Delivery.status)
            return {row[0]: row[1] for row in session.execute(counted)}

    def delivery(self, delivery_id: str) -> Any:
        return self.rows(Delivery, Delivery.delivery_id == delivery_id)[0]

    def attempts(self, delivery_id: str) -> list[Any]:
        found = self.rows(Attempt, Attempt.delivery_id == delivery_id)
        return sorted(found, key=lambda row: row.started_at)

    def subscription(self, subscription_id: str) -> Any:
        return self.rows(Subscription, Subscription.subscription_id == subscription_id)[0]

    def lane(self, subscription_id: str) -> Any:
        return self.rows(EndpointState, EndpointState.subscription_id == subscription_id)[0]

    def worker(self, sender: Any, name: str = "one", **settings: Any) -> DeliveryWorker:
        made = DeliveryWorker(
            self.database, SEALER, sender, WebhookSettings(**settings), self.hands.clock, self.ulids, name
        )
        self.workers.append(made)
        self.senders.append(sender)
        return made

    def next_due(self) -> int | None:
        """When the first attempt of the queue is due."""
        with self.database.reading() as session:
            return session.scalar(select(cast(func.min(QueuedAttempt.due_at), BigInteger)))


def _event(sequence: int, event_type: str, now: datetime) -> dict[str, Any]:
    data = {"company_id": ONE, "name": "Eksempel Æ", "sequence": sequence}
    return {
        "sequence": sequence,
        "event_id": f"evt_{sequence:026d}",
        "event_type": event_type,
        "company_id": ONE,
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(),
        "matched_at": now,
    }


def _delivery(subscription_id: str, delivery_id: str, sequence: int, now: datetime) -> dict[str, Any]:
    return {
        "subscription_id": subscription_id,
        "delivery_id": delivery_id,
        "sequence": sequence,
        "status": "pending",
        "tries": 0,
        "attempt_count": 0,
        "next_attempt_at": now,
        "created_at": now,
    }


def _queued(subscription_id: str, delivery_id: str, attempt_id: str, now: datetime) -> dict[str, Any]:
    return {
        "subscription_id": subscription_id,
        "due_at": now,
        "attempt_id": attempt_id,
        "delivery_id": delivery_id,
        "trigger": "schedule",
    }


@asynccontextmanager
async def controlled(url: str, hands: Any = None) -> AsyncIterator[Control]:
    """A new database; its workers end with it."""
    database = prepare_database(url)
    control = Control(database, hands)
    yield control
    for worker in control.workers:
        await worker.close()
    for egress in control.senders:
        if isinstance(egress, WebhookClient):
            await egress.close()
    database.close()


async def through(control: Control, *workers: DeliveryWorker, until: float | None = None) -> None:
    """Moves the hands from one due instant to the next, or for so many seconds; nothing is sent a moment early."""
    end = control.hands.at + round((1e9 if until is None else until) * 1_000)
    await exhaust(*workers)
    while (due := control.next_due()) is not None and due <= end:
        before = control.count(Attempt)
        control.hands.move((due - 1 - control.hands.at) / 1_000)
        await exhaust(*workers)
        assert control.count(Attempt) == before, "sent before it was due"
        control.hands.move((due - control.hands.at) / 1_000)
        await exhaust(*workers)
    if until is not None:
        control.hands.move((end - control.hands.at) / 1_000)
        await exhaust(*workers)


async def exhaust(*workers: DeliveryWorker) -> None:
    """Ticks until nothing is due and nothing under way."""
    while True:
        done = [await worker.tick() for worker in workers]
        if not any(done) and all(worker.is_idle for worker in workers):
            return
        await asyncio.sleep(0)


@asynccontextmanager
async def running(*workers: DeliveryWorker) -> AsyncIterator[None]:
    """Workers at work; they end well."""
    stop = asyncio.Event()
    tasks = [asyncio.ensure_future(worker.run(stop)) for worker in workers]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*tasks)


async def until(condition: Callable[[], bool], patience: float = 60.0) -> None:
    """Waits for a condition, never for time to pass."""
    async with asyncio.timeout(patience):
        while not condition():  # noqa: ASYNC110 -- it has no event
            await asyncio.sleep(0.005)


@asynccontextmanager
async def receiver(handle: Any) -> AsyncIterator[str]:
    """A genuine HTTP endpoint on this machine; gives its address."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return await handle(request)

    app = web.Application()
    app.router.add_post("/{tail:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}/hook"
    finally:
        await runner.cleanup()


def sender(clock: Clock | None = None, **settings: Any) -> WebhookClient:
    """The genuine egress, allowed to reach this machine."""
    return WebhookClient(WebhookSettings(allow_networks=LOCAL, allow_http=True, **settings), clock or Clock())
