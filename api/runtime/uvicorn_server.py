"""Runs the service under uvicorn until it is stopped.

Does not belong here: the application (`api.app`), opening files (the composition root), or several processes
(`api.runtime.supervisor`).
"""

import asyncio
import gc
import logging
import signal
import socket
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp
from uvicorn.loops.auto import auto_loop_factory

from api.runtime.http_protocol import guarded_protocol
from api.settings.service import ApiSettings

_LOGGER = logging.getLogger("firm.api")
_BACKLOG = 2048
_SWITCH_SECONDS = 0.001  # the event loop waits for no longer while a thread computes; the default is 5 ms
_UNSENT_BYTES = 1 << 17  # in the kernel; by itself it takes megabytes for a client that reads nothing
_COLLECT_AFTER = (20_000, 20, 50)  # allocations; the default of 700 costs a few per cent of CPU time


class ListenAddressError(RuntimeError):
    """The address is in use or not available; the message says which and what to do."""


class ApiServer(uvicorn.Server):
    """uvicorn's server, which ends the streams of events before it waits for the responses under way."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if isinstance(self.config.app, Litestar):
            self.config.app.state.service.event_streams.tail.stop()
        await super().shutdown(sockets)


def build_server(
    app: ASGIApp, settings: ApiSettings, host: str | None = None, port: int | None = None
) -> uvicorn.Server:
    """A configured server; tests and the command line may stop it by `should_exit`."""
    return ApiServer(
        uvicorn.Config(
            app,
            host=host or settings.host,
            port=settings.port if port is None else port,
            http=guarded_protocol(settings),
            ws="none",
            lifespan="on",
            proxy_headers=False,  # handled by `api.http.client_ip`, which only trusts the configured proxies
            log_config=None,  # `api.observability.logging` formats everything
            access_log=False,  # `api.observability.logging`, with request ids and without keys
            server_header=False,
            date_header=True,
            backlog=_BACKLOG,
            timeout_keep_alive=settings.connections.keep_alive_seconds,
            timeout_graceful_shutdown=int(settings.shutdown_seconds),
        )
    )


def tune_memory() -> None:
    """Freezes the objects loaded so far, so that the garbage collector skips them, and makes it run less often.

    Before workers are forked, this also keeps the collector from writing to shared pages.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


@contextmanager
def tuned_memory() -> Iterator[None]:
    """Applies `tune_memory` for the duration of the block: otherwise extension modules report leaks at exit."""
    tune_memory()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def graceful_exit() -> Iterator[None]:
    """Exits with code 0 on SIGINT or SIGTERM: uvicorn raises the signal again after it has shut down."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    former = {asked: signal.signal(asked, end) for asked in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for asked, handler in former.items():
            signal.signal(asked, handler)


def serve(app: ASGIApp, settings: ApiSettings, listener: socket.socket) -> None:
    """Serves until SIGINT or SIGTERM; running requests are finished, new connections refused."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    with graceful_exit(), tuned_memory():
        build_server(app, settings).run(sockets=[listener])


def run_without_server(work: Coroutine[Any, Any, None]) -> None:
    """Runs a process without an HTTP server on the service's event loop, with the same memory tuning."""
    with tuned_memory(), asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(work)


def open_listener(settings: ApiSettings) -> socket.socket:
    """Opens the listening socket; ListenAddressError if the address is not available."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # Inherited by connections. Bounds what waits in the kernel, not what is under way: downloads keep their speed.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        told = f"cannot listen on {host} port {port} ({reason}): choose another --host or --port"
        raise ListenAddressError(told) from None
    _LOGGER.info("listening on %s port %d", host, listener.getsockname()[1])
    return listener
