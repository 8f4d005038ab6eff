"""Tables of signing in to the dashboard, and of secrets it displays once.

Does not belong here: queries (`api.accounts.session_repository`, `api.dashboard.one_time_secret_repository`).
"""

from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from api.database.models.base import Base, Instant


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
