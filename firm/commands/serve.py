"""`firm serve`: the API over the published releases. `firm deliver` is a module of its own."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from api.auth.service_secrets import SecretsError
from api.settings.env import SettingError
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error

if TYPE_CHECKING:
    import socket

    from api.observability.metrics import WorkerSlot


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (FIRM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (FIRM_PORT).", min=0, max=65535)] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of worker processes (FIRM_SERVE_WORKERS).", min=1, max=256)
    ] = None,
) -> None:
    """Serve the API until Ctrl-C; new releases are picked up while it runs."""
    with exit_on_error(SettingError, SecretsError):
        installation = Installation.read()
        if workers is not None:
            chosen = replace(installation.settings, serve_workers=workers)
            installation = replace(installation, settings=chosen)
        serve_installation(installation, host, port)


def serve_installation(installation: Installation, host: str | None = None, port: int | None = None) -> None:
    """Opens the service's resources, serves, and closes them."""
    import api.app
    import api.webhooks.runner  # noqa: F401 -- both loaded before workers are forked, so that they share them
    from api.observability.logging import LOGGER, configure_logging
    from api.runtime.uvicorn_server import ListenAddressError, open_listener

    installation = installation.reached(host, port)
    configure_logging()
    with installation.database():  # migrated once, before any worker serves
        installation.secrets()
    with exit_on_error(ListenAddressError):
        listener = open_listener(installation.settings)
    if installation.settings.serve_workers == 1:
        _serve_in_process(installation, listener)
    else:
        _run_supervisor(installation, listener)
    LOGGER.info("stopped")


def _run_supervisor(installation: Installation, listener: socket.socket) -> None:
    from api.common.shared_memory import SharedSlots
    from api.observability.metrics import WorkerSlot
    from api.runtime.supervisor import Supervisor
    from api.runtime.uvicorn_server import tuned_memory

    settings = installation.settings
    board = SharedSlots(settings.serve_workers)
    supervisor = Supervisor(
        lambda place: _serve_in_process(installation, listener, WorkerSlot(board, place)),
        settings.serve_workers,
        listener,
        settings.shutdown_seconds,
    )
    with tuned_memory():
        supervisor.run()


def _serve_in_process(installation: Installation, listener: socket.socket, desk: WorkerSlot | None = None) -> None:
    """Serves in this process."""
    from api.app import create_app
    from api.database.engine import Database
    from api.runtime.uvicorn_server import serve as run
    from warehouse.reader.reader import ReleaseReader

    settings = installation.settings
    reader = ReleaseReader(installation.layout, seconds=settings.list_seconds)
    database = Database(settings.control_database_url)
    delivers = settings.webhooks.deliver and (desk is None or desk.index == 0)
    beside = partial(installation.run_deliveries, reader) if delivers else None
    follows = desk is None or desk.index == 0
    try:
        app = create_app(settings, reader, database, installation.secrets(), worker_slot=desk, deliveries=beside)
        with installation.followed() if follows else nullcontext():
            run(app, settings, listener)
    finally:
        database.close()
        reader.close()
