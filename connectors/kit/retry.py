"""When a failed request is asked again: after what the host said, else after growing, spread pauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

AGAIN: Final = frozenset(
    {408, 425, 429, 502, 503, 504}
)  # not 500: for some records it is the permanent answer


@dataclass(frozen=True, slots=True)
class Retry:
    """`attempts` in all; pauses from `first` doubling to `longest`; the host's own word up to `patience`."""

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0
    patience: float = 900.0

    def pause(self, attempt: int, chance: float, asked: float | None) -> float:
        """Seconds after attempt number `attempt`; `chance` (0 to 1) spreads those that nobody asked for."""
        if asked is not None:
            return asked
        grown = min(self.longest, self.first * 2.0 ** (attempt - 1))
        return grown * (0.5 + chance / 2)


def http_date(value: str | None) -> datetime | None:
    """An HTTP date in UTC; None for anything else."""
    if not value:
        return None
    try:
        parsed = parsedate_to_datetime(value)
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    # the last: a day that its zone moves over the calendar's edge
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, in either form; None where it asks nothing readable."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value.strip()[:9])
    until = http_date(value)
    return None if until is None else max(0.0, (until - now).total_seconds())


def asked_to_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that an answer asks for: by Retry-After, else by the instant that X-Ratelimit-Reset names."""
    asked = retry_after(headers.get("retry-after"), now)
    reset = headers.get("x-ratelimit-reset", "").strip()
    if asked is not None or not reset.isdecimal():
        return asked
    left = float(reset[:12]) - now.timestamp()
    return left if left > 0 else None
