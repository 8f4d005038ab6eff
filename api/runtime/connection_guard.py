"""Budgets of connections: how many, and how long each may be waited for (docs/limits.md).

One timer per process looks at every connection once a second, so that a request costs no timer. Among connections whose
request does not arrive the oldest are closed first: whoever sends a request at once is served while others keep
thousands open. Behind a trusted proxy all clients have the proxy's address, so addresses of proxies are not counted.
Does not belong here: the protocol (`api.runtime.http_protocol`).
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from operator import attrgetter
from typing import Final, Protocol

from api.http.client_ip import ClientIpResolver
from api.problems.problem import ProblemError, new_problem, service_unavailable_problem
from api.settings.connections import ConnectionSettings
from api.settings.service import ApiSettings

_LOGGER: Final = logging.getLogger("firm.api")
SWEEP_SECONDS: Final = 1.0
LINGER_SECONDS: Final = 2.0
"""Seconds in which a refused client can read the answer before its connection is closed."""
_RETRY_AFTER: Final = 5
_REFUSED_AT_ONCE: Final = 16  # a millisecond


class Phase(Enum):
    """What a connection waits for."""

    HEAD = auto()  # a request line and headers, or the rest of them
    BODY = auto()
    IDLE = auto()  # nothing: a request has arrived in full, or the connection is kept alive
    REFUSED = auto()  # the client to read the last answer
    ENDING = auto()  # the responses to what arrived before a refused request


@dataclass(slots=True)
class Progress:
    """How far a client has come with what its connection waits for; instants are the event loop's."""

    begun: float
    phase: Phase = Phase.HEAD
    received: int = 0
    unsent_since: float | None = None

    def enter(self, phase: Phase, now: float) -> None:
        self.phase, self.begun, self.received = phase, now, 0

    def is_late(self, limits: ConnectionSettings, now: float) -> bool:
        """True if the client takes too long to send."""
        seconds = now - self.begun
        if self.phase is Phase.HEAD:
            return seconds > limits.head_seconds
        if self.phase is Phase.BODY:
            return seconds > limits.body_seconds + self.received / limits.body_bytes_per_second
        return self.phase is Phase.REFUSED and seconds > LINGER_SECONDS

    def is_stuck(self, limits: ConnectionSettings, unsent_bytes: int, now: float) -> bool:
        """True if the client has not taken what was written for too long."""
        if not unsent_bytes:
            self.unsent_since = None
        elif self.unsent_since is None:
            self.unsent_since = now
        return self.unsent_since is not None and now - self.unsent_since > limits.write_seconds


class Connection(Protocol):
    """A connection as the guard sees it."""

    address: str | None
    progress: Progress

    @property
    def unsent_bytes(self) -> int: ...

    @property
    def is_read_paused(self) -> bool: ...

    def refuse(self, problem: ProblemError) -> None: ...

    def abort(self) -> None: ...


class ConnectionGuard:
    """Counts the connections of one process, and ends those whose client is too slow."""

    def __init__(self, settings: ApiSettings) -> None:
        self.limits = settings.connections
        self._resolver = ClientIpResolver(settings.trusted_proxies)
        self._connections: dict[Connection, None] = {}
        self._by_address: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None
        self._swept = 0.0

    def counted_address(self, peer: tuple[str, int] | None) -> str | None:
        """The client's address; None if all clients of a proxy share it."""
        if peer is None or not peer[0] or self._resolver.is_trusted_proxy(peer[0]):
            return None
        return peer[0]

    def add(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> ProblemError | None:
        """Counts a new connection; the problem if it is one too many."""
        self._connections[connection] = None
        if connection.address is not None:
            self._by_address[connection.address] += 1
        if self._timer is None:
            self._swept = loop.time()
            self._timer = loop.call_later(SWEEP_SECONDS, self._sweep, loop)
        if len(self._connections) > self.limits.connections:
            return service_unavailable_problem("Too many connections are open.", _RETRY_AFTER)
        if connection.address and self._by_address[connection.address] > self.limits.connections_per_address:
            return service_unavailable_problem("Too many connections of one address are open.", _RETRY_AFTER)
        return None

    def remove(self, connection: Connection) -> None:
        self._connections.pop(connection, None)
        if connection.address is not None:
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now, passed = loop.time(), loop.time() - self._swept
        self._swept = now
        late: dict[Connection, float] = {}
        for connection in tuple(self._connections):
            progress = connection.progress
            if progress.is_stuck(self.limits, connection.unsent_bytes, now):
                connection.abort()
            elif connection.is_read_paused:
                progress.begun += passed  # the service reads nothing, so the client loses no time
            elif progress.is_late(self.limits, now):
                late[connection] = progress.begun
        in_time = (one for one in self._connections if one not in late)
        excess = {one: one.progress.begun for one in surplus_heads(in_time, self.limits, now)}
        slow = sum(one.progress.phase is not Phase.REFUSED for one in late)
        if slow or excess:
            _LOGGER.warning("closed %d slow connections, %d unfinished ones over the limit", slow, len(excess))
        self._refuse_some([*late.items(), *excess.items()], loop)
        self._timer = loop.call_later(SWEEP_SECONDS, self._sweep, loop) if self._connections else None

    def _refuse_some(self, slow: Sequence[tuple[Connection, float]], loop: asyncio.AbstractEventLoop) -> None:
        """Refuses a few connections, then lets other requests run before the next; spares those that went on since."""
        for connection, begun in slow[:_REFUSED_AT_ONCE]:
            if connection in self._connections and connection.progress.begun == begun:
                connection.refuse(_too_slow_problem())
        if len(slow) > _REFUSED_AT_ONCE:
            loop.call_soon(self._refuse_some, slow[_REFUSED_AT_ONCE:], loop)


def surplus_heads(connections: Iterable[Connection], limits: ConnectionSettings, now: float) -> Sequence[Connection]:
    """The oldest connections on which a request is awaited for over a second, beyond the limits."""
    waiting = sorted(
        (one for one in connections if one.progress.phase is Phase.HEAD and now - one.progress.begun >= SWEEP_SECONDS),
        key=attrgetter("progress.begun"),
    )
    excess = len(waiting) - limits.unfinished_heads
    by_address = Counter(one.address for one in waiting)
    surplus = []
    for connection in waiting:
        is_over = connection.address and by_address[connection.address] > limits.unfinished_heads_per_address
        if len(surplus) < excess or is_over:
            surplus.append(connection)
            by_address[connection.address] -= 1
    return surplus


def _too_slow_problem() -> ProblemError:
    return new_problem("request_timeout", "The request did not arrive in time.")
