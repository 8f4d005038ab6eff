"""Rate limiter: a token bucket per host on an injected clock.

The kit's only access to the time and to waiting. Does not belong here: when a failed request is retried
(`retry`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock


@dataclass(frozen=True, slots=True)
class FetchClock:
    """Time, waiting and randomness, injected: a test's clock advances on `sleep`."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random_fraction: Callable[[], float] = random.random  # 0 to 1, spreads retries; no secret depends on it


@dataclass(slots=True)
class _TokenBucket:
    tokens: float
    filled: float  # monotonic time at which `tokens` was computed


class HostRateLimiter:
    """Takes a token before every request. Threads share the buckets; each waits outside the lock.

    together: host -> the name of the bucket that it shares with others.
    """

    def __init__(
        self,
        per_second: Mapping[str, float],
        default: float,
        clock: FetchClock,
        shared_limiters: Mapping[str, str] | None = None,
    ) -> None:
        self._rates = per_second
        self._together = shared_limiters or {}
        self._default = default
        self._clock = clock
        self._lock = Lock()
        self._buckets: dict[str, _TokenBucket] = {}

    def wait(self, host: str) -> None:
        """Waits until the next request to the host is allowed. The token is taken at once: waiters queue up."""
        rate = self._rates.get(host, self._default)
        # no bursts for a shared limit: a second that begins with a burst would exceed it
        burst = 1.0 if host in self._together else max(1.0, rate)
        host = self._together.get(host, host)
        with self._lock:
            now = self._clock.monotonic()
            bucket = self._buckets.setdefault(host, _TokenBucket(burst, now))
            # `filled` may lie in the future: the host requested a pause.
            bucket.tokens = min(burst, bucket.tokens + max(0.0, now - bucket.filled) * rate)
            paused = max(0.0, bucket.filled - now)
            bucket.filled = max(now, bucket.filled)
            bucket.tokens -= 1.0
            delay = paused + max(0.0, -bucket.tokens / rate)
        if delay > 0:
            self._clock.sleep(delay)

    def pause(self, host: str, seconds: float) -> None:
        """Blocks requests to the host for a time, as the host requested."""
        host = self._together.get(host, host)
        with self._lock:
            until = self._clock.monotonic() + seconds
            bucket = self._buckets.setdefault(host, _TokenBucket(0.0, until))
            bucket.tokens = min(bucket.tokens, 1.0)
            bucket.filled = max(bucket.filled, until)
