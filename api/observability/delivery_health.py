"""Health of webhook delivery for readiness and metrics, over the whole installation.

Does not belong here: the statements (`api.observability.delivery_health_repository`), or the response format
(`api.routes`).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlalchemy import Connection

from api.http.context import RequestContext
from api.observability import delivery_health_repository
from api.observability.delivery_health_repository import DeliveryLag, QueueSizes
from api.problems.problem import ProblemError
from api.webhooks.delivery.fanout import LEASE
from warehouse.reader.reader import NoReleaseError

T = TypeVar("T")
DATABASE_PATIENCE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class DeliveryHealth:
    """Backlog and leadership of webhook delivery."""

    unmatched_events: int
    """Published events without fan-out."""
    lag_seconds: float
    """How long the most overdue attempt has been waiting."""
    has_leader: bool
    """Whether some process holds the fan-out lease."""


async def delivery_health(context: RequestContext) -> DeliveryHealth | None:
    """The current delivery health; None while the database is unavailable."""
    now = context.services.clock.now()
    lag = await _query_or_none(
        context, lambda connection: delivery_health_repository.delivery_lag(connection, LEASE, now)
    )
    if lag is None:
        return None
    overdue = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    return DeliveryHealth(_unmatched_events(context, lag), overdue, lag.leader is not None)


async def read_queue_sizes(context: RequestContext) -> QueueSizes | None:
    """The current table sizes; None while the database is unavailable."""
    return await _query_or_none(context, delivery_health_repository.queue_sizes)


async def _query_or_none(call: RequestContext, question: Callable[[Connection], T]) -> T | None:
    """Runs a query; None if it does not finish in time, so that a readiness check does not wait for a database."""
    try:
        async with asyncio.timeout(DATABASE_PATIENCE_SECONDS):
            return await call.services.control_database.read(question)
    except (ProblemError, TimeoutError):
        return None


def _unmatched_events(call: RequestContext, lag: DeliveryLag) -> int:
    if lag.cursor is None:
        return 0
    try:
        with call.services.release_reader.pin_release() as snapshot:
            return max(0, snapshot.last_sequence - lag.cursor)
    except NoReleaseError:
        return 0
