"""Time, injected: the one source of «now» for the service, so that tests never sleep and never patch.

Does not belong here: formats of instants in answers (`api.answers`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall seconds for what is told and stored, monotonic seconds for what is measured."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.wall(), UTC)

    def today(self) -> date:
        return self.now().date()
