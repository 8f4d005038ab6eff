"""Tables of accounts: their keys, usage, and requests with an Idempotency-Key.

Does not belong here: queries (`api.accounts.repository`, `api.usage.repository`,
`api.http.idempotency_repository`).
"""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Integer, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import JSON

from api.database.models.base import Base, Instant, MillisecondInstant


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
    """Id of the request that processes it, or did."""
    status: Mapped[int | None] = mapped_column(Integer())
    """Null while the first request runs."""
    answer: Mapped[bytes | None] = mapped_column(LargeBinary())
    """Headers and body, encrypted: they may hold a secret."""
