"""Tables of accounts: keys, usage, requests with an Idempotency-Key, signing in, secrets displayed once, billing, mail.

Does not belong here: queries (the repositories of `api.accounts`, `api.usage`, `api.http`, `api.dashboard`,
`api.billing`, `api.email`).
"""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import JSON

from api.database.models.base import Base, Instant, MillisecondInstant, partial_index


class Account(Base):
    """An account: one e-mail address, one tier, many API keys."""

    __tablename__ = "accounts"
    __table_args__ = (CheckConstraint("status IN ('active', 'suspended', 'payment_required')", name="status"),)

    account_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), unique=True)
    tier: Mapped[str] = mapped_column(String(20))
    status: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(Instant())
    updated_at: Mapped[datetime] = mapped_column(Instant())
    trial_ends_at: Mapped[datetime | None] = mapped_column(Instant())


class ApiKey(Base):
    """An API key: its digest, its displayable parts, and its validity."""

    __tablename__ = "api_keys"
    __table_args__ = (CheckConstraint("kind IN ('live', 'secret', 'public')", name="kind"),)

    key_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    label: Mapped[str | None] = mapped_column(String(100))
    shown_prefix: Mapped[str] = mapped_column(String(20))
    shown_last: Mapped[str] = mapped_column(String(4))
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    domains: Mapped[list[str]] = mapped_column(JSON())
    created_at: Mapped[datetime] = mapped_column(Instant())
    expires_at: Mapped[datetime | None] = mapped_column(Instant())
    revoked_at: Mapped[datetime | None] = mapped_column(Instant())
    last_used_at: Mapped[datetime | None] = mapped_column(Instant())


class Usage(Base):
    """Request count of one account in one month (202611)."""

    __tablename__ = "usage"
    __table_args__ = (CheckConstraint("count >= 0", name="count"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    month: Mapped[int] = mapped_column(Integer(), primary_key=True, autoincrement=False)
    count: Mapped[int] = mapped_column(BigInteger())


class UsageDay(Base):
    """The month's count of an account just before a day's (20261122) first request."""

    __tablename__ = "usage_days"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    day: Mapped[int] = mapped_column(Integer(), primary_key=True, autoincrement=False, index=True)
    count_before: Mapped[int] = mapped_column(BigInteger())


class EventStream(Base):
    """An open stream of events, which counts until then unless its process extends it."""

    __tablename__ = "event_streams"

    stream_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    holder: Mapped[str] = mapped_column(String(60))
    """The process (`api.common.background.process_name`)."""
    until: Mapped[datetime] = mapped_column(MillisecondInstant())


class IdempotentRequest(Base):
    """A request with an Idempotency-Key, and its response (docs/contract/contract.md 4.12)."""

    __tablename__ = "idempotent_requests"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    operation: Mapped[str] = mapped_column(String(200), primary_key=True)
    """Method and path."""
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(32))
    created_at: Mapped[datetime] = mapped_column(MillisecondInstant(), index=True)
    claimed_by: Mapped[str] = mapped_column(String(30))
    """Id of the claim of the request that processes it, or did."""
    status: Mapped[int | None] = mapped_column(Integer())
    """Null while the first request runs."""
    answer: Mapped[bytes | None] = mapped_column(LargeBinary())
    """Headers and body, encrypted: they may hold a secret."""


class SignInLink(Base):
    """An unused sign-in link: the digest of its token and the address it was mailed to."""

    __tablename__ = "sign_in_links"

    digest: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), index=True)
    """With or without an account: opening the link proves ownership of the address."""
    created_at: Mapped[datetime] = mapped_column(Instant())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class DashboardSession(Base):
    """A signed-in browser session; the row is deleted on sign-out."""

    __tablename__ = "dashboard_sessions"

    session_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    browser: Mapped[str | None] = mapped_column(String(200))
    """The browser's self-description, by which the owner recognises it in a list."""
    created_at: Mapped[datetime] = mapped_column(Instant())
    seen_at: Mapped[datetime] = mapped_column(Instant())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class ShownOnce(Base):
    """A secret to display once, encrypted with the token of its session."""

    __tablename__ = "shown_once"

    view_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("dashboard_sessions.session_id", ondelete="CASCADE"), index=True)
    sealed: Mapped[bytes] = mapped_column(LargeBinary())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class StripeCustomer(Base):
    """The Stripe customer of an account, and the last fetched state of its subscription."""

    __tablename__ = "stripe_customers"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    customer_id: Mapped[str] = mapped_column(String(255), unique=True)
    revision: Mapped[int] = mapped_column(Integer())
    subscription_id: Mapped[str | None] = mapped_column(String(255))
    stripe_status: Mapped[str | None] = mapped_column(String(40))
    ends_at: Mapped[datetime | None] = mapped_column(Instant())
    asked_at: Mapped[datetime | None] = mapped_column(Instant())


class StripeEvent(Base):
    """A processed Stripe event, kept to ignore repeated deliveries of it."""

    __tablename__ = "stripe_events"

    event_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    event_type: Mapped[str] = mapped_column(String(100))
    received_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class SecretFingerprint(Base):
    """Fingerprint of a secret that the data needs (`api.accounts.secret_fingerprints`)."""

    __tablename__ = "secret_fingerprints"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(16))
    recorded_at: Mapped[datetime] = mapped_column(Instant())


class Mail(Base):
    """A mail to an account's owner: an outbox entry until a mail server accepts it, then a record."""

    __tablename__ = "mail_outbox"
    __table_args__ = (partial_index("ix_mail_outbox_due", "next_attempt_at", where="next_attempt_at IS NOT NULL"),)

    mail_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    occasion: Mapped[str] = mapped_column(String(120), unique=True)
    """Unique occasion: `paused:whs_…:revision`, `warning:whs_…:failing since`."""
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    recipient: Mapped[str] = mapped_column(String(320))
    subject: Mapped[str] = mapped_column(String(200))
    body: Mapped[str] = mapped_column(Text())
    created_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    next_attempt_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    """Null when finished: sent, logged where there is no mail server, or given up."""
    attempts: Mapped[int] = mapped_column(Integer())
    sent_at: Mapped[datetime | None] = mapped_column(MillisecondInstant())
    last_error: Mapped[str | None] = mapped_column(String(500))
