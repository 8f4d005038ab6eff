"""Plain frozen records returned by repositories, never ORM rows of a session.

Does not belong here: how they are stored (`api.database.models.accounts`).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from api.auth.api_keys import Kind

KeyState = Literal["active", "revoked", "expired"]


@dataclass(frozen=True, slots=True)
class AccountRecord:
    account_id: str
    email: str
    tier: str
    status: str
    created_at: datetime
    trial_ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """An API key with the account fields that access control needs. The key itself is not stored."""

    key_id: str
    account_id: str
    kind: Kind
    label: str | None
    shown_prefix: str
    shown_last: str
    domains: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    tier: str
    account_status: str
    month: int = 0
    """The month of `used`; 0 if usage was not queried."""
    used: int = 0

    def state(self, now: datetime) -> KeyState:
        """State of the key at an instant."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"
