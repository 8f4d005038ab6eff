"""Slow clients are refused a few at a time, so that those who are served wait for none of them."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from api.runtime.connection_guard import ConnectionGuard, Progress
from api.settings.connections import ConnectionSettings
from api.settings.service import ApiSettings

COUNT = 500
LATE = ConnectionSettings().head_seconds + 1


class Turns:
    """Counts the turns of the event loop."""

    number = 0

    def count(self, loop):
        self.number += 1
        loop.call_soon(self.count, loop)


@dataclass(eq=False)
class SlowClient:
    """A connection whose request line does not end. `refused_in`: the turns of the event loop."""

    turns: Turns
    refused_in: Counter
    progress: Progress
    address: str | None = None
    unsent_bytes: int = 0
    is_read_paused: bool = False

    def refuse(self, _problem):
        self.refused_in[self.turns.number] += 1


async def refuse_all(went_on):
    """Turns in which clients were refused, `went_on` of them having sent their request in the first of these turns."""
    loop, turns, refused_in, done = asyncio.get_running_loop(), Turns(), Counter(), asyncio.Event()
    guard = ConnectionGuard(ApiSettings())
    clients = [SlowClient(turns, refused_in, Progress(loop.time() - LATE)) for _ in range(COUNT)]
    for client in clients:
        assert guard.add(client, loop) is None

    class FirstClient(SlowClient):
        def refuse(self, problem):
            super().refuse(problem)
            loop.call_soon(turns.count, loop)
            for client in clients[-went_on:]:
                client.progress.begun = loop.time()
            loop.call_later(0.2, done.set)

    clients[0].__class__ = FirstClient
    await done.wait()
    for client in clients:
        guard.remove(client)
    return refused_in


def test_slow_clients_are_refused_a_few_in_each_turn_of_the_event_loop():
    refused_in = asyncio.run(refuse_all(went_on=50))
    assert refused_in.total() == COUNT - 50
    assert max(refused_in.values()) <= COUNT // 10
