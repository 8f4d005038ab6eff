"""Table of mails to account owners. Does not belong here: queries (`api.email.outbox_repository`)."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from api.database.models.base import Base, MillisecondInstant


class Mail(Base):
    """A mail to an account's owner: an outbox entry until a mail server accepts it, then a record."""

    __tablename__ = "mail_outbox"
    __table_args__ = (
        Index(
            "ix_mail_outbox_due",
            "next_attempt_at",
            sqlite_where=text("next_attempt_at IS NOT NULL"),
            postgresql_where=text("next_attempt_at IS NOT NULL"),
        ),
    )

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
