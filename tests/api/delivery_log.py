"""A log of deliveries for tests: subscriptions, events, deliveries and attempts as the engine would have stored them."""

import importlib.util
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert, select

from api.common.ids import UlidGenerator
from api.database.models.accounts import Account
from api.database.models.webhooks import (
    Attempt,
    Delivery,
    EndpointState,
    MatchedEvent,
    QueuedAttempt,
    Replay,
    Subscription,
)

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def loaded():
    """This module, for tests that import nothing by name (importmode importlib)."""
    spec = importlib.util.spec_from_file_location("delivery_log", Path(__file__))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Log:
    """What is stored; `at` is when whatever is added next happened."""

    def __init__(self, database):
        self.database = database
        self.at = NOW
        self.ulids = UlidGenerator(lambda: self.at.timestamp() + 0.0005)
        self.sequence = 0

    def add(self, model, **values):
        with self.database.writing() as session:
            session.execute(insert(model).values(values))

    def rows(self, model, *conditions):
        with self.database.reading() as session:
            return list(session.scalars(select(model).where(*conditions)))

    def account(self, email="owner@example.com"):
        made = self.ulids.make("acc")
        self.add(
            Account, account_id=made, email=email, tier="pro", status="active", created_at=NOW, updated_at=NOW
        )
        return made

    def subscription(self, account_id, **more):
        made = self.ulids.make("whs")
        values = {
            "endpoint_url": "https://hooks.example.com/events",
            "event_types": ["status.changed", "filing.added"],
            "event_mask": 63,
            "all_companies": True,
            "status": "active",
            "status_changed_at": self.at,
            "created_at": self.at,
            "updated_at": self.at,
            "revision": 1,
            "from_sequence": 0,
            "secret": b"sealed",
            "secret_hint": "whsec_…aaaa",
        }
        self.add(Subscription, subscription_id=made, account_id=account_id, **values | more)
        self.add(EndpointState, subscription_id=made, consecutive_failures=0)
        return made

    def event(self, event_type="status.changed", **data):
        """Its sequence."""
        self.sequence += 1
        self.add(
            MatchedEvent,
            sequence=self.sequence,
            event_id=f"evt_{self.sequence:026}",
            event_type=event_type,
            company_id="firm:SE:5599999991",
            data=json.dumps({"sequence": self.sequence} | data, ensure_ascii=False).encode(),
            matched_at=self.at,
        )
        return self.sequence

    def deliver(self, subscription_id, sequence, status="pending", **more):
        """Its id; made at the same moment as its event."""
        made = self.ulids.make("dlv")
        values = {"tries": 0, "attempt_count": 0, "created_at": self.at}
        self.add(
            Delivery,
            subscription_id=subscription_id,
            delivery_id=made,
            sequence=sequence,
            status=status,
            **values | more,
        )
        return made

    def attempt(self, delivery_id, **more):
        made = self.ulids.make("att")
        values = {
            "number": 1,
            "trigger": "schedule",
            "started_at": self.at,
            "duration_ms": 84,
            "outcome": "failed",
            "error": "http_status",
            "error_detail": "Endpoint returned 500.",
            "request_url": "https://hooks.example.com/events",
            "remote_ip": "203.0.113.9",
            "response_status": 500,
            "response_headers": json.dumps({"content-type": "text/plain"}),
            "response_body": "boom",
            "response_body_truncated": False,
        }
        self.add(Attempt, delivery_id=delivery_id, attempt_id=made, **values | more)
        return made

    def queue(self, subscription_id):
        """(delivery, trigger, attempt, due) of what is to be done, earliest first."""
        rows = self.rows(QueuedAttempt, QueuedAttempt.subscription_id == subscription_id)
        told = [(row.delivery_id, row.trigger, row.attempt_id, row.due_at) for row in rows]
        return sorted(told, key=lambda row: (row[3], row[0]))

    def next_due(self, subscription_id):
        return self.rows(EndpointState, EndpointState.subscription_id == subscription_id)[0].next_due_at

    def delivery(self, delivery_id):
        return self.rows(Delivery, Delivery.delivery_id == delivery_id)[0]

    def replays(self, subscription_id):
        return self.rows(Replay, Replay.subscription_id == subscription_id)
