"""Tables of watchlists. Does not belong here: queries (`api.watchlists.repository`)."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from api.database.models.base import Base, MillisecondInstant


class Watchlist(Base):
    """A named list of companies of an account."""

    __tablename__ = "watchlists"

    watchlist_id: Mapped[str] = mapped_column(String(30), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.account_id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    companies: Mapped[int] = mapped_column(Integer())
    """Number of its companies, kept with every change."""
    created_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    updated_at: Mapped[datetime] = mapped_column(MillisecondInstant())
    revision: Mapped[int] = mapped_column(BigInteger())
    """Incremented by every change of its name or companies; its ETag."""


class WatchlistCompany(Base):
    """A company of a watchlist; also found by company, to match events."""

    __tablename__ = "watchlist_companies"
    __table_args__ = ({"sqlite_with_rowid": False},)

    watchlist_id: Mapped[str] = mapped_column(
        ForeignKey("watchlists.watchlist_id", ondelete="CASCADE"), primary_key=True
    )
    company_id: Mapped[str] = mapped_column(String(40), primary_key=True, index=True)
    added_at: Mapped[datetime] = mapped_column(MillisecondInstant())
