"""Records exchanged between the attempt queue and a worker. Instants are milliseconds since 1970.

Does not belong here: statements (`api.webhooks.delivery.queue_repository`,
`api.webhooks.delivery.attempt_repository`).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from api.webhooks.delivery.retry_policy import RetryDecision
from api.webhooks.destinations.opening import StoredDestination
from api.webhooks.egress.attempt_result import AttemptResult


class QueueEntry(NamedTuple):
    subscription_id: str
    due_at: int
    attempt_id: str
    delivery_id: str
    trigger: str


@dataclass(frozen=True, slots=True)
class PreparedAttempt:
    """An attempt to make, with its details; `data` is None if the event or delivery is missing."""

    queued: QueueEntry
    tries: int
    replay_id: str | None
    event_id: str
    event_type: str
    data: bytes | None = field(repr=False)
    covers_event: bool
    """Whether the subscription covers the event's company, and the event passes its filters."""


@dataclass(frozen=True, slots=True)
class LeasedEndpoint:
    subscription_id: str
    consecutive_failures: int
    last_success_at: int | None


@dataclass(frozen=True, slots=True)
class SubscriberRecord(StoredDestination):
    """The subscription fields a worker needs; secrets are encrypted."""

    subscription_id: str
    revision: int
    status: str
    deleted_at: int | None
    secret: bytes = field(repr=False)
    previous_secret: bytes | None = field(repr=False)
    previous_secret_expires_at: int | None
    event_mask: int
    max_per_second: int | None


@dataclass(frozen=True, slots=True)
class FinishedAttempt:
    """A finished attempt and the delivery's next step; `retry_decision` is None for a manual one."""

    due: PreparedAttempt
    number: int
    request_url: str
    started_at: int
    result: AttemptResult
    retry_decision: RetryDecision | None
    next_attempt_id: str

    @property
    def finished_at(self) -> int:
        """Start plus measured duration, so that clock changes meanwhile have no effect."""
        return self.started_at + self.result.duration_ms


@dataclass(frozen=True, slots=True)
class DeferredAttempt:
    """A queued attempt not to be made; its delivery becomes `held` or `canceled`."""

    queued: QueueEntry
    status: str


@dataclass(frozen=True, slots=True)
class EndpointRelease:
    """An endpoint queue to release: not leased again before `leasable_from`, not due before `not_due_before`."""

    subscription_id: str
    leasable_from: int | None = None
    not_due_before: int = 0


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    consecutive_failures: int
    last_attempt_at: int | None
    last_success_at: int | None
    last_failure_at: int | None
    failing_since: int | None
