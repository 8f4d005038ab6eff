"""Injected time, the only source of «now» for the service, so that tests never sleep and never patch; and its format.

Does not belong here: instants as columns (`api.database.models.base`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall seconds for published and stored instants, monotonic seconds for durations."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.wall(), UTC)

    def today(self) -> date:
        return self.now().date()


def format_instant(at: datetime | None) -> str | None:
    """An instant as responses show it: RFC 3339 in UTC, in whole seconds; None stays None."""
    return None if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
