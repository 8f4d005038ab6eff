"""DNS look-ups in dedicated threads.

The system's resolver blocks, for half a minute if a name server is silent. So each host has at most one look-up
in progress, which all callers share, and the many threads end with the process. Nothing is cached: every
connection resolves the name again. Does not belong here: checking the addresses (`api.webhooks.egress.ip_guard`).
"""

import asyncio
import errno
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from typing import Final

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a host to all its addresses; OSError if there are none or the look-up fails."""

_MOST_THREADS: Final = 512
"""Twice the attempts at once: half of these may hang, and a silent name server holds a look-up three times as long."""


class DnsResolver:
    """Async wrapper of the system's resolver."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Future[list[str]]] = {}
        self._room = asyncio.Semaphore(_MOST_THREADS)

    async def __call__(self, host: str) -> list[str]:
        under_way = self._under_way.get(host)
        if under_way is None:
            under_way = asyncio.get_running_loop().create_task(self._ask(host))
            under_way.add_done_callback(lambda done: self._ended(host, done))
            self._under_way[host] = under_way
        return await asyncio.shield(under_way)  # shared with other callers

    def _ended(self, host: str, done: "asyncio.Future[list[str]]") -> None:
        del self._under_way[host]
        if not done.cancelled():
            done.exception()  # mark the exception as retrieved, even if the caller is gone

    async def _ask(self, host: str) -> list[str]:
        async with self._room:
            found: Future[list[str]] = Future()
            # no executor: the end of the process would wait for a silent name server
            asking = threading.Thread(target=_resolve_in_thread, args=(host, found), name="firm-names", daemon=True)
            try:
                asking.start()
            except RuntimeError as error:
                raise OSError(errno.ENOMEM, "no thread could be started for a DNS lookup") from error
            return await asyncio.wrap_future(found)


def resolve_host(host: str) -> list[str]:
    """Resolves a host; returns each address once, in the resolver's order."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _resolve_in_thread(host: str, found: Future[list[str]]) -> None:
    if not found.set_running_or_notify_cancel():  # no caller is left
        return
    try:
        found.set_result(resolve_host(host))
    except OSError as error:
        found.set_exception(error)
    except ValueError as error:  # a name that no resolver is asked for: not ASCII, or with a NUL
        found.set_exception(OSError(errno.EINVAL, f"the host cannot be looked up: {error}"))
