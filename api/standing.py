"""Health of webhook delivery for readiness and metrics, over the whole installation.

Does not belong here: the statements (`api.db.backlog`), or the response format (`api.routes`).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlalchemy import Connection

from api.call import Call
from api.db import backlog
from api.db.backlog import Lag, Sizes
from api.problems import Problem
from api.webhooks.matching import LEASE
from warehouse.reader import NoRelease

T = TypeVar("T")
DATABASE_PATIENCE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Backlog and leadership of webhook delivery."""

    unmatched_events: int
    """Published events without fan-out."""
    lag_seconds: float
    """How long the most overdue attempt has been waiting."""
    is_led: bool
    """Whether some process holds the fan-out lease."""


async def standing(call: Call) -> Standing | None:
    """The current delivery health; None while the database is unavailable."""
    now = call.service.clock.now()
    lag = await _asked(call, lambda connection: backlog.lag(connection, LEASE, now))
    if lag is None:
        return None
    overdue = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    return Standing(_unmatched(call, lag), overdue, lag.leader is not None)


async def sizes(call: Call) -> Sizes | None:
    """The current table sizes; None while the database is unavailable."""
    return await _asked(call, backlog.sizes)


async def _asked(call: Call, question: Callable[[Connection], T]) -> T | None:
    """Runs a query; None if it does not finish in time, so that a readiness check does not wait for a database."""
    try:
        async with asyncio.timeout(DATABASE_PATIENCE_SECONDS):
            return await call.service.control.read(question)
    except (Problem, TimeoutError):
        return None


def _unmatched(call: Call, lag: Lag) -> int:
    if lag.cursor is None:
        return 0
    try:
        with call.service.reader.pin() as snapshot:
            return max(0, snapshot.last_sequence - lag.cursor)
    except NoRelease:
        return 0
