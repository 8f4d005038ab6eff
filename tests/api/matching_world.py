"""Subscriptions as rows, and a ledger as a list: what tests of matching and pruning start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, select

from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.models.accounts import Account
from api.database.models.webhooks import EndpointState, SubscribedCompany, Subscription
from api.webhooks.delivery.fanout import FanOut
from warehouse.reader.types import LedgerEvent
from warehouse.schema.codes import EVENT_TYPES
from warehouse.schema.ids import natural_id

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ACCOUNT = "acc_01kaf3w9c8m2v7q4x1z6t5y0r2"


def event(sequence: int, company_id: str, event_type: str = "status.changed") -> LedgerEvent:
    data = f'{{"company_id":"{company_id}","sequence":{sequence},"name":"Blåbær «1»"}}'
    event_id = natural_id("evt", sequence)
    return LedgerEvent(sequence, event_id, event_type, company_id, NOON, NOON, data.encode())


@dataclass
class Published:
    """A ledger whose events are visible from the moment they are appended."""

    events: list[LedgerEvent] = field(default_factory=list)
    asked: list[tuple[int, int]] = field(default_factory=list)

    def add(self, company_id: str, event_type: str = "status.changed", count: int = 1) -> None:
        for _ in range(count):
            self.events.append(event(len(self.events) + 1, company_id, event_type))

    def events_after(self, sequence: int, limit: int) -> Sequence[LedgerEvent]:
        self.asked.append((sequence, limit))
        return self.events[sequence : sequence + limit]


class Control:
    """A control-plane database with one account, under a clock that tests move."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now = NOON
        self.clock = Clock(wall=self._seconds)
        self.ledger = Published()
        self._ulids = UlidGenerator(self.clock.wall)
        with database.writing() as session:
            account = {
                "account_id": ACCOUNT,
                "email": "subscriber@example.com",
                "tier": "pro",
                "status": "active",
            }
            session.execute(insert(Account), [account | {"created_at": NOON, "updated_at": NOON}])

    def _seconds(self) -> float:
        return self.now.timestamp()

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)

    def fan_out(self, name: str = "first") -> FanOut:
        return FanOut(self.database, self.ledger, self.clock, name)

    def subscribe(
        self,
        companies: Sequence[str] | None = None,
        types: Sequence[str] = EVENT_TYPES,
        **more: Any,
    ) -> str:
        subscription_id = self._ulids.make("whs")
        row = {
            "subscription_id": subscription_id,
            "account_id": ACCOUNT,
            "endpoint_url": "https://hooks.example.com/",
            "event_types": list(types),
            "event_mask": sum(1 << EVENT_TYPES.index(one) for one in types),
            "all_companies": companies is None,
            "status": "active",
            "status_changed_at": self.now,
            "created_at": self.now,
            "updated_at": self.now,
            "revision": 1,
            "from_sequence": len(self.ledger.events),
            "secret": b"sealed",
            "secret_hint": "whsec_…none",
        }
        with self.database.writing() as session:
            session.execute(insert(Subscription), [row | more])
            session.execute(
                insert(EndpointState), [{"subscription_id": subscription_id, "consecutive_failures": 0}]
            )
            named = [
                {"subscription_id": subscription_id, "company_id": one, "position": place}
                for place, one in enumerate(companies or ())
            ]
            if named:
                session.execute(insert(SubscribedCompany), named)
        return subscription_id

    def rows(self, model: Any, *conditions: Any) -> list[Any]:
        with self.database.reading() as session:
            return list(session.scalars(select(model).where(*conditions)))

    def count(self, model: Any, *conditions: Any) -> int:
        with self.database.reading() as session:
            return session.scalar(select(func.count()).select_from(model).where(*conditions)) or 0


def matched_all(fan_out: FanOut) -> int:
    """Steps until nothing is new; how many events there were."""
    total = 0
    while count := fan_out.step():
        total += count
    return total
