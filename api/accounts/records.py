"""Plain frozen records returned by repositories, never ORM rows of a session.

Does not belong here: how they are stored (`api.database.models.accounts`).
"""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AccountRecord:
    account_id: str
    email: str
    tier: str
    status: str
    created_at: datetime
    trial_ends_at: datetime | None = None
