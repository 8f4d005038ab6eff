"""Rate limit per endpoint (`max_per_second`): attempt starts within any second.

A sliding window remembers the starts of the last second, so that no second, wherever it begins, exceeds the
limit; a fixed bucket would let twice as many through around its edge. Does not belong here: the limit of
concurrent attempts (`api.webhooks.delivery.scheduler`).
"""

from collections import deque
from typing import Final

SECOND: Final = 1.0


class EndpointRateLimit:
    """Recent attempt starts of one endpoint queue; times are seconds of a monotonic clock."""

    __slots__ = ("_started",)

    def __init__(self) -> None:
        self._started: deque[float] = deque()

    def wait(self, now: float, max_wait: int) -> float:
        """Seconds until another attempt may start; 0 if it may now."""
        while self._started and now - self._started[0] >= SECOND:
            self._started.popleft()
        if len(self._started) < max_wait:
            return 0.0
        return self._started[len(self._started) - max_wait] + SECOND - now

    def start(self, now: float) -> None:
        """Records a start."""
        self._started.append(now)

    def is_fresh(self, now: float) -> bool:
        """Whether an attempt started within the last second."""
        return bool(self._started) and now - self._started[-1] < SECOND
