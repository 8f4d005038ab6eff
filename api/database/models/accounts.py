"""Tables of the control plane, as SQLAlchemy models; a test keeps them equal to the migrations.

Does not belong here: queries (`api.accounts.repository`).
"""

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    TypeDecorator,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import JSON

# Constraint names independent of the engine, so that migrations can refer to them.
_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Instant(TypeDecorator[datetime]):
    """An instant in UTC: timezone-aware in Python; stored without zone by engines that have none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime needs a time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=_NAMES)


class Account(Base):
    """An account: one e-mail address, one tier, many API keys."""

    __tablename__ = "accounts"
    __table_args__ = (
        CheckConstraint("status IN ('active', 'suspended', 'payment_required')", name="status"),
    )

    account_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), unique=True)
    tier: Mapped[str] = mapped_column(String(20))
    status: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(Instant())
    updated_at: Mapped[datetime] = mapped_column(Instant())
    trial_ends_at: Mapped[datetime | None] = mapped_column(Instant())
    keys: Mapped[list["ApiKey"]] = relationship(back_populates="account", lazy="raise")


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
    account: Mapped[Account] = relationship(back_populates="keys", lazy="raise")


class Usage(Base):
    """Request count of one account in one month (202611)."""

    __tablename__ = "usage"
    __table_args__ = (CheckConstraint("count >= 0", name="count"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    month: Mapped[int] = mapped_column(Integer(), primary_key=True, autoincrement=False)
    count: Mapped[int] = mapped_column(BigInteger())


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


class UsageDay(Base):
    """The month's count of an account just before a day's (20261122) first request."""

    __tablename__ = "usage_days"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    day: Mapped[int] = mapped_column(Integer(), primary_key=True, autoincrement=False, index=True)
    count_before: Mapped[int] = mapped_column(BigInteger())


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
    session_id: Mapped[str] = mapped_column(
        ForeignKey("dashboard_sessions.session_id", ondelete="CASCADE"), index=True
    )
    sealed: Mapped[bytes] = mapped_column(LargeBinary())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)
