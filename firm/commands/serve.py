"""`firm serve`: the API over the published releases. `firm deliver` is a module of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from api.secrets import SecretsError
from api.settings import SettingError
from firm.compose import Installation
from firm.failures import explained

if TYPE_CHECKING:
    import socket

    from api.metrics import Desk
    from api.webhooks.service import Observe
    from warehouse.reader import Reader


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (FIRM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (FIRM_PORT).", min=0, max=65535)] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of worker processes (FIRM_SERVE_WORKERS).", min=1, max=256)
    ] = None,
) -> None:
    """Serve the API until Ctrl-C; new releases are picked up while it runs."""
    with explained(SettingError, SecretsError):
        installation = Installation.read()
        if workers is not None:
            chosen = replace(installation.settings, serve_workers=workers)
            installation = replace(installation, settings=chosen)
        serve_installation(installation, host, port)


def serve_installation(installation: Installation, host: str | None = None, port: int | None = None) -> None:
    """Opens the service's resources, serves, and closes them."""
    import api.app
    import api.webhooks.service  # noqa: F401 -- both loaded before workers are forked, so that they share them
    from api.logs import LOGGER, configure
    from api.server import CannotListen, listening

    installation = installation.reached(host, port)
    configure()
    with installation.database():  # migrated once, before any worker serves
        installation.secrets()
    with explained(CannotListen):
        listener = listening(installation.settings)
    if installation.settings.serve_workers == 1:
        _work(installation, listener)
    else:
        _supervise(installation, listener)
    LOGGER.info("stopped")


def _supervise(installation: Installation, listener: socket.socket) -> None:
    from api.board import Board
    from api.metrics import Desk
    from api.server import tuned_memory
    from api.workers import Supervisor

    settings = installation.settings
    board = Board(settings.serve_workers)
    supervisor = Supervisor(
        lambda place: _work(installation, listener, Desk(board, place)),
        settings.serve_workers,
        listener,
        settings.shutdown_seconds,
    )
    with tuned_memory():
        supervisor.run()


def _work(installation: Installation, listener: socket.socket, desk: Desk | None = None) -> None:
    """Serves in this process."""
    from api.app import create_app
    from api.db.engine import Database
    from api.server import serve as run
    from warehouse.reader import Reader

    settings = installation.settings
    reader = Reader(installation.layout, seconds=settings.list_seconds)
    database = Database(settings.control_database_url)
    delivers = settings.webhooks.deliver and (desk is None or desk.place == 0)
    beside = partial(delivering, installation, reader) if delivers else None
    follows = desk is None or desk.place == 0
    try:
        app = create_app(settings, reader, database, installation.secrets(), desk=desk, deliveries=beside)
        with installation.followed() if follows else nullcontext():
            run(app, settings, listener)
    finally:
        database.close()
        reader.close()


@asynccontextmanager
async def delivering(installation: Installation, reader: Reader, observe: Observe) -> AsyncIterator[None]:
    """Delivers in the event loop of one API process: SQLite has one writer anyway."""
    with installation.deliveries(reader, observe) as deliveries:
        async with deliveries.beside():
            yield
