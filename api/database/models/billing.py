"""Tables of billing with Stripe. Does not belong here: queries (`api.billing.repository`)."""

from datetime import datetime

from sqlalchemy import ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from api.database.models.base import Base, Instant


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
