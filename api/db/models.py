"""Tables of the control plane, as SQLAlchemy models; a test keeps them equal to the migrations.

Does not belong here: queries (`api.db.repositories`).
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

# Names that do not depend on the engine, so that migrations can name what they change.
_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Instant(TypeDecorator[datetime]):
    """An instant in UTC: aware in Python; engines without time zones keep it as written."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=_NAMES)


class Account(Base):
    """Who pays: one e-mail, one tier, many keys."""

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
    """One key: its digest, what may be shown of it, and until when it works."""

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
    """Counted requests of one account in one month (202611)."""

    __tablename__ = "usage"
    __table_args__ = (CheckConstraint("count >= 0", name="count"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    month: Mapped[int] = mapped_column(Integer(), primary_key=True, autoincrement=False)
    count: Mapped[int] = mapped_column(BigInteger())


class StripeCustomer(Base):
    """An account as Stripe knows it, and what Stripe last said of its subscription."""

    __tablename__ = "stripe_customers"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    customer_id: Mapped[str] = mapped_column(String(255), unique=True)
    revision: Mapped[int] = mapped_column(Integer())
    subscription_id: Mapped[str | None] = mapped_column(String(255))
    stripe_status: Mapped[str | None] = mapped_column(String(40))
    ends_at: Mapped[datetime | None] = mapped_column(Instant())
    asked_at: Mapped[datetime | None] = mapped_column(Instant())


class StripeEvent(Base):
    """An event of Stripe's that has been acted upon: another copy of it is not."""

    __tablename__ = "stripe_events"

    event_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    event_type: Mapped[str] = mapped_column(String(100))
    received_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class UsageDay(Base):
    """Where an account's count of the month stood when a day (20261122) counted its first request."""

    __tablename__ = "usage_days"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), primary_key=True)
    day: Mapped[int] = mapped_column(Integer(), primary_key=True, autoincrement=False, index=True)
    count_before: Mapped[int] = mapped_column(BigInteger())


class SignInLink(Base):
    """A link that was mailed and not used yet: the digest of its token, and to whom it went."""

    __tablename__ = "sign_in_links"

    digest: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), index=True)
    """Whether it has an account or not: whoever opens the link has shown that it is theirs."""
    created_at: Mapped[datetime] = mapped_column(Instant())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class DashboardSession(Base):
    """A browser that is signed in; its row goes when it is signed out."""

    __tablename__ = "dashboard_sessions"

    session_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    browser: Mapped[str | None] = mapped_column(String(200))
    """What it calls itself, so that its owner knows it in a list."""
    created_at: Mapped[datetime] = mapped_column(Instant())
    seen_at: Mapped[datetime] = mapped_column(Instant())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)


class ShownOnce(Base):
    """What a page is to show once, sealed by the token of the session that it is for."""

    __tablename__ = "shown_once"

    view_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    session_id: Mapped[str] = mapped_column(
        ForeignKey("dashboard_sessions.session_id", ondelete="CASCADE"), index=True
    )
    sealed: Mapped[bytes] = mapped_column(LargeBinary())
    expires_at: Mapped[datetime] = mapped_column(Instant(), index=True)
