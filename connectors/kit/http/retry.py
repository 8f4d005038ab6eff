"""Retry policy: after the pause the host requested, else with exponential backoff and jitter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

AGAIN: Final = frozenset({408, 425, 429, 502, 503, 504})  # not 500: for some records it is the permanent answer


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits of retries.

    attempts: in all. first, longest: seconds of the first pause, which doubles up to the longest.
    max_total_seconds: seconds of the longest pause that a host may request. outage_share: part of the seconds that a
    dataset pauses through an outage (`HttpClient.pause`); less where no real registry is asked.
    """

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0
    max_total_seconds: float = 900.0
    outage_share: float = 1.0

    def backoff_seconds(self, attempt: int, random_fraction: float, retry_after_seconds: float | None) -> float:
        """Seconds to wait after attempt number `attempt`; a pause requested by the host takes precedence.

        random_fraction: 0 to 1, spreads the other pauses.
        """
        if retry_after_seconds is not None:
            return retry_after_seconds
        grown = min(self.longest, self.first * 2.0 ** (attempt - 1))
        return grown * (0.5 + random_fraction / 2)


def parse_http_date(value: str | None) -> datetime | None:
    """An HTTP date in UTC; None for anything else."""
    if not value:
        return None
    try:
        parsed = parsedate_to_datetime(value)
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    # OverflowError: the time zone moves the day out of the calendar
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """Seconds of a Retry-After header, in either form; None if absent or unreadable."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value.strip()[:9])
    until = parse_http_date(value)
    return None if until is None else max(0.0, (until - now).total_seconds())


def requested_wait_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait according to an answer: Retry-After, else the time in X-Ratelimit-Reset."""
    asked = retry_after_seconds(headers.get("retry-after"), now)
    reset = headers.get("x-ratelimit-reset", "").strip()
    if asked is not None or not reset.isdecimal():
        return asked
    left = float(reset[:12]) - now.timestamp()
    return left if left > 0 else None
