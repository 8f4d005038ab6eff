"""Runs the service under uvicorn until it is told to stop.

Does not belong here: what is served (`api.app`) or opened (the composition root).
"""

import gc
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from litestar.types import ASGIApp

from api.logs import configure
from api.settings import ApiSettings

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
            ws="none",
            lifespan="on",
            proxy_headers=False,
            log_config=None,  # `api.logs` formats everything
            access_log=False,  # `api.access_log`, with request ids and without keys
            server_header=False,
            date_header=True,
            backlog=_BACKLOG,
            timeout_graceful_shutdown=int(settings.shutdown_seconds),
        )
    )


def tune_memory() -> None:
    """What is loaded by now stays: the collector need not look at it again, nor every few requests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


@contextmanager
def _ending_well() -> Iterator[None]:
    """To be told to stop is no failure: uvicorn raises the signal once more when it has shut down."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    former = {asked: signal.signal(asked, end) for asked in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for asked, handler in former.items():
            signal.signal(asked, handler)
        gc.unfreeze()  # or extension modules report at the end what was never freed


def serve(app: ASGIApp, settings: ApiSettings, host: str | None = None, port: int | None = None) -> None:
    """Serve until SIGINT or SIGTERM; running requests are finished, new connections refused.

    CannotListen where the address cannot be had.
    """
    configure()
    with _ending_well():
        tune_memory()
        running = server(app, settings, host, port)
        running.run(sockets=[_listening(running.config.host, running.config.port)])


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        told = f"cannot listen on {host} port {port} ({reason}): choose another --host or --port"
        raise CannotListen(told) from None
