"""How delivering stands, as readiness and metrics tell it: of the whole installation, whichever process delivers.

Does not belong here: the statements (`api.db.backlog`), or the form it is told in (`api.routes`).
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
    """How far behind it is."""

    unmatched_events: int
    """Published, and not matched yet."""
    lag_seconds: float
    """How long the attempt that waits longest is overdue."""
    is_led: bool
    """Whether some process matches events."""


async def standing(call: Call) -> Standing | None:
    """None while the database is away."""
    now = call.service.clock.now()
    lag = await _asked(call, lambda connection: backlog.lag(connection, LEASE, now))
    if lag is None:
        return None
    overdue = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    return Standing(_unmatched(call, lag), overdue, lag.leader is not None)


async def sizes(call: Call) -> Sizes | None:
    """None while the database is away."""
    return await _asked(call, backlog.sizes)


async def _asked(call: Call, question: Callable[[Connection], T]) -> T | None:
    """None where no answer comes in time: who asks whether the service is ready does not wait for a database."""
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
