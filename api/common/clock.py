"""Injected time: the only source of «now» for the service, so that tests never sleep and never patch.

Does not belong here: formats of instants in responses (`api.http.responses`).
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
