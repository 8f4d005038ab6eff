"""`max_per_second`: how many attempts to one endpoint may start within any second.

The starts of the last second are remembered, so that no second, wherever it begins, holds more than allowed; a
bucket would let twice as many through around its edge. Does not belong here: how many may be under way at once
(`api.webhooks.lanes`).
"""

from collections import deque
from typing import Final

SECOND: Final = 1.0


class Pace:
    """The starts of one lane; times are seconds of a monotonic clock."""

    __slots__ = ("_started",)

    def __init__(self) -> None:
        self._started: deque[float] = deque()

    def wait(self, now: float, most: int) -> float:
        """Seconds until another may start; 0 if it may now."""
        while self._started and now - self._started[0] >= SECOND:
            self._started.popleft()
        if len(self._started) < most:
            return 0.0
        return self._started[len(self._started) - most] + SECOND - now

    def start(self, now: float) -> None:
        """One starts."""
        self._started.append(now)

    def is_fresh(self, now: float) -> bool:
        """Whether one started within the last second."""
        return bool(self._started) and now - self._started[-1] < SECOND
