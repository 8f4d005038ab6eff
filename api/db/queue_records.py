"""What the queue gives a worker and what it takes back. Instants are whole milliseconds since 1970.

Does not belong here: statements (`api.db.lanes`, `api.db.queue`, `api.db.finished`).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from api.webhooks.outcomes import Outcome
from api.webhooks.schedule import Step


class Queued(NamedTuple):
    """A row of the queue."""

    subscription_id: str
    due_at: int
    attempt_id: str
    delivery_id: str
    trigger: str


@dataclass(frozen=True, slots=True)
class Due:
    """An attempt to be made, with what it needs; `data` is None where the event or delivery is not there."""

    queued: Queued
    tries: int
    replay_id: str | None
    event_id: str
    event_type: str
    data: bytes | None = field(repr=False)
    names_company: bool
    """Whether the subscription wants events of this company."""


@dataclass(frozen=True, slots=True)
class LaneRecord:
    """A lane that was leased: how its endpoint did."""

    subscription_id: str
    consecutive_failures: int
    last_success_at: int | None


@dataclass(frozen=True, slots=True)
class SubscriberRecord:
    """A subscription as its lane's lessee must know it; secrets are sealed."""

    subscription_id: str
    revision: int
    status: str
    deleted_at: int | None
    endpoint_url: str
    secret: bytes = field(repr=False)
    previous_secret: bytes | None = field(repr=False)
    previous_secret_expires_at: int | None
    event_mask: int
    max_per_second: int | None


@dataclass(frozen=True, slots=True)
class Finished:
    """An attempt that was made, and what it means for its delivery; `step` is None for one asked for by hand."""

    due: Due
    number: int
    request_url: str
    started_at: int
    outcome: Outcome
    step: Step | None
    next_attempt_id: str

    @property
    def finished_at(self) -> int:
        """By the measured duration: a clock that is set meanwhile does not change it."""
        return self.started_at + self.outcome.duration_ms


@dataclass(frozen=True, slots=True)
class Aside:
    """A queued attempt that is not made, and what becomes of its delivery: `held` or `canceled`."""

    queued: Queued
    status: str


@dataclass(frozen=True, slots=True)
class Release:
    """A lane that is given back. Nobody takes it before `free_at`; it is due no earlier than `due_from`."""

    subscription_id: str
    free_at: int | None = None
    due_from: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """How an endpoint does, after what was written."""

    consecutive_failures: int
    last_attempt_at: int | None
    last_success_at: int | None
    last_failure_at: int | None
    failing_since: int | None
