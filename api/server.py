"""Runs the service under uvicorn until it is told to stop.

Does not belong here: what is served (`api.app`) or opened (the composition root), or several processes
(`api.workers`).
"""

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from litestar.types import ASGIApp
from uvicorn.loops.auto import auto_loop_factory

from api.packets import Protocol
from api.settings import ApiSettings

_LOGGER = logging.getLogger("firm.api")
_BACKLOG = 2048
_COLLECT_AFTER = (20_000, 20, 50)  # allocations; the default of 700 costs a few per cent


class CannotListen(RuntimeError):  # noqa: N818 - named for what it says
    """The address is taken or not ours; the message says which and what to do."""


def server(
    app: ASGIApp, settings: ApiSettings, host: str | None = None, port: int | None = None
) -> uvicorn.Server:
    """A server that is ready to run; tests and the command line may stop it by `should_exit`."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host or settings.host,
            port=settings.port if port is None else port,
            http=Protocol,
            ws="none",
            lifespan="on",
            proxy_headers=False,  # `api.proxies`, which believes only whom it was told to
            log_config=None,  # `api.logs` formats everything
            access_log=False,  # `api.access_log`, with request ids and without keys
            server_header=False,
            date_header=True,
            backlog=_BACKLOG,
            timeout_graceful_shutdown=int(settings.shutdown_seconds),
        )
    )


def tune_memory() -> None:
    """What is loaded by now stays: the collector need not look at it again, nor every few requests.

    Before workers are forked, it also keeps the collector from writing to pages that they share.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


@contextmanager
def tuned_memory() -> Iterator[None]:
    """The same for as long as the block runs: else extension modules report at the end what was never freed."""
    tune_memory()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def ending_well() -> Iterator[None]:
    """To be told to stop is no failure: uvicorn raises the signal once more when it has shut down."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    former = {asked: signal.signal(asked, end) for asked in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for asked, handler in former.items():
            signal.signal(asked, handler)


def serve(app: ASGIApp, settings: ApiSettings, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM; running requests are finished, new connections refused."""
    with ending_well(), tuned_memory():
        server(app, settings).run(sockets=[listener])


def run_alone(work: Coroutine[Any, Any, None]) -> None:
    """Runs what serves nobody, on the same event loop as the service and with the same care for memory."""
    with tuned_memory(), asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(work)


def listening(settings: ApiSettings) -> socket.socket:
    """The socket to serve on; CannotListen where the address cannot be had."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        told = f"cannot listen on {host} port {port} ({reason}): choose another --host or --port"
        raise CannotListen(told) from None
    _LOGGER.info("listening on %s port %d", host, listener.getsockname()[1])
    return listener
