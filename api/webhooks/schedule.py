"""The rules of when an attempt is made again, and what a finished one means (docs/contract/contract.md 4.7, 4.8).

Pure: instants are whole milliseconds that the caller gives. Does not belong here: which row that becomes
(`api.db.finished`), or when a worker looks (`api.webhooks.worker`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

RETRY_AFTER_STATUSES: Final = (429, 503)
LONGEST_RETRY_AFTER: Final = 3_600.0
"""Seconds by which a receiver may lengthen a wait (docs/contract/delivery.md 1)."""

_MILLISECONDS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Step:
    """Where a delivery stands after an attempt of its schedule."""

    status: Literal["succeeded", "retrying", "failed"]
    tries: int
    next_attempt_at: int | None = None
    warns: bool = False
    """One retry is left: the owner is told (docs/contract/contract.md 4.8)."""


def after(waits: Sequence[float], tries: int, finished_at: int, succeeded: bool, more: float) -> Step:
    """What an attempt of a schedule means that had made `tries` before it; `more` as `asked_to_wait` gives it."""
    tries += 1
    if succeeded:
        return Step("succeeded", tries)
    if tries > len(waits):
        return Step("failed", tries)
    seconds = max(waits[tries - 1], min(more, waits[tries - 1] + LONGEST_RETRY_AFTER))
    next_attempt_at = finished_at + round(seconds * _MILLISECONDS)
    return Step("retrying", tries, next_attempt_at, warns=tries == len(waits))


def asked_to_wait(response_status: int | None, retry_after: float | None) -> float:
    """Seconds that the receiver asked for; 0 where it asked for none, or with a status that has no say."""
    return retry_after or 0.0 if response_status in RETRY_AFTER_STATUSES else 0.0


def number(trigger: str, tries: int, waits: Sequence[float]) -> int:
    """What X-Service-Attempt says: 1 to 6; a manual attempt never says more than the schedule has."""
    return min(tries + 1, len(waits) + 1) if trigger == "manual" else tries + 1
