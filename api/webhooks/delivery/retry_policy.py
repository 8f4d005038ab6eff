"""Retry policy: when an attempt is repeated, and its effect on the delivery.

See docs/contract/contract.md 4.7, 4.8. Pure: instants are whole milliseconds passed in by the caller. Does not
belong here: the rows (`api.webhooks.delivery.attempt_repository`), or when a worker polls
(`api.webhooks.delivery.worker`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

RETRY_AFTER_STATUSES: Final = (429, 503)
LONGEST_RETRY_AFTER: Final = 3_600.0
"""Maximum seconds by which a receiver may lengthen a wait (docs/contract/delivery.md 1)."""


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """State of a delivery after a scheduled attempt."""

    status: Literal["succeeded", "retrying", "failed"]
    tries: int
    next_attempt_at: int | None = None
    is_last_retry: bool = False
    """One retry is left: the owner is warned (docs/contract/contract.md 4.8)."""


def decide_retry(
    retry_delays: Sequence[float], tries: int, finished_at: int, succeeded: bool, more: float
) -> RetryDecision:
    """State after a scheduled attempt with `tries` before it; `more` as returned by `requested_delay`."""
    tries += 1
    if succeeded:
        return RetryDecision("succeeded", tries)
    if tries > len(retry_delays):
        return RetryDecision("failed", tries)
    seconds = max(retry_delays[tries - 1], min(more, retry_delays[tries - 1] + LONGEST_RETRY_AFTER))
    next_attempt_at = finished_at + round(seconds * 1_000)
    return RetryDecision("retrying", tries, next_attempt_at, is_last_retry=tries == len(retry_delays))


def requested_delay(response_status: int | None, retry_after: float | None) -> float:
    """Requested delay in seconds; 0 if there was none, or for other statuses than 429 and 503."""
    return retry_after or 0.0 if response_status in RETRY_AFTER_STATUSES else 0.0


def attempt_number(trigger: str, tries: int, retry_delays: Sequence[float]) -> int:
    """Value of X-Service-Attempt: 1 to 6; a manual attempt never exceeds the schedule's length."""
    return min(tries + 1, len(retry_delays) + 1) if trigger == "manual" else tries + 1
