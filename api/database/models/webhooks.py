"""Tables of subscriptions, deliveries and the fan-out, and of leases.

Instants of these tables are whole milliseconds (`MillisecondInstant`): raw SQL on the queue must compare them alike
in both engines. Small hot tables (endpoint queues, attempt queue) are separate from large cold ones (deliveries,
attempts), so that a backlog or a long log slows nothing down. Does not belong here: queries, or the rules of
states.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import JSON

from api.database.models.base import Base, MillisecondInstant, partial_index

_CLUSTERED: Final = {"sqlite_with_rowid": False}
"""SQLite stores the rows in the primary key's B-tree: one tree less to write."""

AGAIN: Final = "substr(attempt_id, 15) <> substr(delivery_id, 15)"
"""True for queue rows other than a delivery's or replay's first attempt, which shares its random characters."""
BY_HAND: Final = "\"trigger\" = 'manual'"
_SORTED_ID: Final = String(30).with_variant(String(30, collation="C"), "postgresql")
"""An id queried by range: compared bytewise, as some collations sort «aa» after «z» (Norwegian, Danish)."""


class Subscription(Base):
    """A subscription: client settings, state and secrets (docs/contract/contract.md 4.8)."""

    __tablename__ = "webhook_subscriptions"
    __table_args__ = (
        CheckConstraint("status IN ('active', 'paused')", name="status"),
        CheckConstraint("status_reason IN ('manual', 'retries_exhausted', 'tier_downgraded')", name="status_reason"),
        # subscriptions to all companies without filters: few, found without scanning the others
        partial_index(
            "ix_webhook_subscriptions_everything",
            "subscription_id",
            where="all_companies AND filters IS NULL AND deleted_at IS NULL",
        ),
        partial_index("ix_webhook_subscriptions_watchlist_id", "watchlist_id", where="watchlist_id IS NOT NULL"),
    )

    subscription_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    endpoint_url: Mapped[str] = mapped_column(String(2048))
    """The URL that stands for the destination (`api.webhooks.destinations.addresses.destination_url`)."""
    destination_kind: Mapped[str] = mapped_column(String(10), server_default="https")
    destination: Mapped[str | None] = mapped_column(Text())
    """Settings of a queue or bucket as JSON, without secrets; null for an https endpoint."""
    credentials: Mapped[bytes | None] = mapped_column(LargeBinary())
    """Its access key as JSON, encrypted like `secret`."""
    event_types: Mapped[list[str]] = mapped_column(JSON())
    """Canonical names, in the order of `warehouse.schema.codes.EVENT_TYPES`."""
    event_mask: Mapped[int] = mapped_column(Integer())
    """The same as bits by position in EVENT_TYPES, for matching."""
    all_companies: Mapped[bool]
    """True if no list of companies was given."""
    description: Mapped[str | None] = mapped_column(String(256))
    max_per_second: Mapped[int | None] = mapped_column(Integer())
    status: Mapped[str] = mapped_column(String(10))
    status_reason: Mapped[str | None] = mapped_column(String(20))
    status_changed_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    created_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    updated_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    revision: Mapped[int] = mapped_column(BigInteger())
    """Incremented by every change of this row; its ETag."""
    from_sequence: Mapped[int] = mapped_column(BigInteger())
    """Only events above it are delivered: those published before the subscription was created are not."""
    secret: Mapped[bytes] = mapped_column(LargeBinary())
    """Encrypted (`api.auth.encryption`), like `previous_secret`."""
    secret_hint: Mapped[str] = mapped_column(String(20))
    previous_secret: Mapped[bytes | None] = mapped_column(LargeBinary())
    previous_secret_expires_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    deleted_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    """Soft delete: invisible to callers; the row is deleted when its deliveries are pruned."""
    filters: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """Filters as served (docs/contract/contract.md 4.8c); the columns below are made of them, for matching."""
    watchlist_id: Mapped[str | None] = mapped_column(String(30))
    """A watchlist of the account, which cannot be deleted meanwhile (`api.watchlists.service`)."""
    filter_countries: Mapped[str | None] = mapped_column(Text())
    """Words with a blank around each, like `filter_industries`."""
    filter_industries: Mapped[str | None] = mapped_column(Text())
    filter_scheme: Mapped[str | None] = mapped_column(String(20))
    filter_listed: Mapped[bool | None]
    filter_change: Mapped[int | None] = mapped_column(Integer())
    """Least change of a share, in units of 0.0001 percentage points."""
    filter_thresholds: Mapped[int | None] = mapped_column(Integer())
    """Bits, like `filter_fields` (`api.webhooks.filters.event_facts`)."""
    filter_fields: Mapped[int | None] = mapped_column(Integer())


class SubscribedCompany(Base):
    """A company of a subscription that lists companies; indexed by company."""

    __tablename__ = "webhook_companies"
    __table_args__ = (_CLUSTERED,)

    company_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    subscription_id: Mapped[str] = mapped_column(
        ForeignKey("webhook_subscriptions.subscription_id"), primary_key=True, index=True
    )
    position: Mapped[int] = mapped_column(Integer())
    """Its position in the client's `entity_ids`."""


class SubscriptionSelector(Base):
    """A selector of a subscription to all companies with filters (`api.webhooks.filters.matching`)."""

    __tablename__ = "webhook_selectors"
    __table_args__ = (_CLUSTERED,)

    selector: Mapped[str] = mapped_column(String(60), primary_key=True)
    least_change: Mapped[int] = mapped_column(Integer(), primary_key=True)
    """Least change of a share, in units of 0.0001 percentage points; 0 where none is asked for."""
    subscription_id: Mapped[str] = mapped_column(
        ForeignKey("webhook_subscriptions.subscription_id"), primary_key=True, index=True
    )


class EndpointState(Base):
    """The endpoint queue of one subscription: next due time, lease, endpoint health.

    One worker leases it at a time, which enforces the endpoint's limits (concurrent requests, requests per
    second).
    """

    __tablename__ = "webhook_lanes"
    __table_args__ = (partial_index("ix_webhook_lanes_due", "next_due_at", where="next_due_at IS NOT NULL"),)

    subscription_id: Mapped[str] = mapped_column(ForeignKey("webhook_subscriptions.subscription_id"), primary_key=True)
    next_due_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    """The earliest `due_at` of its queued attempts, or earlier; null if there are none."""
    lessee: Mapped[str | None] = mapped_column(String(60))
    leased_until: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    last_attempt_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    last_success_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    last_failure_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    failing_since: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    """First failure since the last success."""
    consecutive_failures: Mapped[int] = mapped_column(BigInteger())
    """Failed attempts since the last success; tests and manual retries are not counted."""


class MatchedEvent(Base):
    """An event with at least one delivery, stored once for all of them. Workers need no ledger."""

    __tablename__ = "webhook_events"

    sequence: Mapped[int] = mapped_column(BigInteger(), primary_key=True, autoincrement=False)
    event_id: Mapped[str] = mapped_column(String(30), unique=True)
    event_type: Mapped[str] = mapped_column(String(30))
    company_id: Mapped[str] = mapped_column(String(40))
    data: Mapped[bytes] = mapped_column(LargeBinary())
    """`data` of docs/contract/contract.md 4.6 as JSON in UTF-8, copied bytewise into every body."""
    matched_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    """When it was matched; its deliveries carry the same millisecond in their ids."""
    industry_code: Mapped[str | None] = mapped_column(String(20))
    """What filters read, as it was when the event was matched, here and below (`api.webhooks.filters.event_facts`)."""
    industry_scheme: Mapped[str | None] = mapped_column(String(20))
    is_listed: Mapped[bool | None]
    share_change: Mapped[int | None] = mapped_column(BigInteger())
    thresholds: Mapped[int | None] = mapped_column(Integer())
    changed_fields: Mapped[int | None] = mapped_column(Integer())


class Delivery(Base):
    """A delivery: one event for one subscription, in any state. Ids rise with time."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        CheckConstraint("status IN ('pending', 'retrying', 'succeeded', 'failed', 'held', 'canceled')", name="status"),
        partial_index(
            "ix_webhook_deliveries_unsucceeded",
            "subscription_id",
            "status",
            "delivery_id",
            where="status <> 'succeeded'",
        ),
        _CLUSTERED,
    )

    subscription_id: Mapped[str] = mapped_column(ForeignKey("webhook_subscriptions.subscription_id"), primary_key=True)
    delivery_id: Mapped[str] = mapped_column(_SORTED_ID, primary_key=True)
    sequence: Mapped[int] = mapped_column(BigInteger())
    """References `webhook_events` without a foreign key, which would cost one look-up per row."""
    status: Mapped[str] = mapped_column(String(10))
    tries: Mapped[int] = mapped_column(Integer())
    """Attempts in the current schedule: 0 to 6. A replay restarts at 0."""
    attempt_count: Mapped[int] = mapped_column(Integer())
    """All attempts ever, manual ones included."""
    next_attempt_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    last_outcome: Mapped[str | None] = mapped_column(String(10))
    last_error: Mapped[str | None] = mapped_column(String(30))
    last_response_status: Mapped[int | None] = mapped_column(Integer())
    created_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    completed_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    replay_id: Mapped[str | None] = mapped_column(String(30))
    """The latest replay that included it."""


class QueuedAttempt(Base):
    """A queued attempt. The worker that deletes the row owns the attempt: its log is written in the same commit."""

    __tablename__ = "webhook_queue"
    __table_args__ = (
        CheckConstraint("\"trigger\" IN ('schedule', 'manual', 'replay')", name="trigger"),
        # indexes for manual attempts, which go first, and for retries, which must not wait behind a backlog
        partial_index("ix_webhook_queue_by_hand", "subscription_id", "due_at", "attempt_id", where=BY_HAND),
        partial_index("ix_webhook_queue_again", "subscription_id", "due_at", "attempt_id", where=AGAIN),
        _CLUSTERED,
    )

    subscription_id: Mapped[str] = mapped_column(ForeignKey("webhook_lanes.subscription_id"), primary_key=True)
    due_at: Mapped[datetime] = mapped_column(MillisecondInstant(), primary_key=True)
    attempt_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    delivery_id: Mapped[str] = mapped_column(String(30))
    trigger: Mapped[str] = mapped_column(String(10))


class Attempt(Base):
    """An attempt that was made, and the response (docs/contract/contract.md 4.8)."""

    __tablename__ = "webhook_attempts"
    __table_args__ = (_CLUSTERED,)

    delivery_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    attempt_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    number: Mapped[int] = mapped_column(Integer())
    trigger: Mapped[str] = mapped_column(String(10))
    started_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    duration_ms: Mapped[int] = mapped_column(Integer())
    outcome: Mapped[str] = mapped_column(String(10))
    error: Mapped[str | None] = mapped_column(String(30))
    error_detail: Mapped[str | None] = mapped_column(String(500))
    request_url: Mapped[str] = mapped_column(String(2048))
    """Without the query string, which may hold a secret of the receiver."""
    remote_ip: Mapped[str | None] = mapped_column(String(45))
    response_status: Mapped[int | None] = mapped_column(Integer())
    response_headers: Mapped[str | None] = mapped_column(Text())
    """A JSON object."""
    response_body: Mapped[str | None] = mapped_column(Text())
    response_body_truncated: Mapped[bool]


class Replay(Base):
    """A replay request; its deliveries are counted as they end."""

    __tablename__ = "webhook_replays"

    replay_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    subscription_id: Mapped[str] = mapped_column(ForeignKey("webhook_subscriptions.subscription_id"), index=True)
    since: Mapped[datetime] = mapped_column(MillisecondInstant())
    until: Mapped[datetime] = mapped_column(MillisecondInstant())
    statuses: Mapped[list[str]] = mapped_column(JSON())
    event_types: Mapped[list[str] | None] = mapped_column(JSON())
    matched: Mapped[int] = mapped_column(BigInteger())
    succeeded: Mapped[int] = mapped_column(BigInteger())
    failed: Mapped[int] = mapped_column(BigInteger())
    """Failed, or removed from the queue before success (pause, deletion, changed filter)."""
    created_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    completed_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())


class LedgerCursor(Base):
    """Cursor of a ledger reader, moved in the commit that stores what was derived from the events."""

    __tablename__ = "ledger_cursors"

    name: Mapped[str] = mapped_column(String(30), primary_key=True)
    sequence: Mapped[int] = mapped_column(BigInteger())


class Lease(Base):
    """A lease: the one holder of a task (fan-out, pruning)."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(30), primary_key=True)
    holder: Mapped[str] = mapped_column(String(60))
    until: Mapped[datetime] = mapped_column(MillisecondInstant())
