"""Table of leases. Does not belong here: taking and renewing one (`api.database.leases`)."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from api.database.models.base import Base, MillisecondInstant


class Lease(Base):
    """A lease: the one holder of a task (fan-out, pruning)."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(30), primary_key=True)
    holder: Mapped[str] = mapped_column(String(60))
    until: Mapped[datetime] = mapped_column(MillisecondInstant())
