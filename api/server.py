"""Runs the service under uvicorn until it is told to stop.

Does not belong here: what is served (`api.app`) or opened (the composition root).
"""

import gc

import uvicorn
from litestar.types import ASGIApp

from api.logs import configure
from api.settings import ApiSettings

_BACKLOG = 2048
_COLLECT_AFTER = (20_000, 20, 50)  # allocations; the default of 700 costs a few per cent


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


def serve(app: ASGIApp, settings: ApiSettings, host: str | None = None, port: int | None = None) -> None:
    """Serve until SIGINT or SIGTERM; running requests are finished, new connections refused."""
    configure()
    tune_memory()
    server(app, settings, host, port).run()
