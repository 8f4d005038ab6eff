"""`firm serve`: the API over the published releases. `firm deliver` comes with webhooks."""

from __future__ import annotations

from typing import Annotated

import typer

from api.secrets import SecretsError
from api.settings import SettingError
from firm.compose import Installation
from firm.failures import explained, not_built_yet


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (FIRM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (FIRM_PORT).", min=0, max=65535)] = None,
) -> None:
    """Serve the API until Ctrl-C; it follows new releases while it runs."""
    with explained(SettingError, SecretsError):
        serve_installation(Installation.read(), host, port)


def serve_installation(installation: Installation, host: str | None = None, port: int | None = None) -> None:
    """Open what the service needs, serve, and close it again."""
    from api.app import create_app
    from api.server import CannotListen
    from api.server import serve as run
    from warehouse.reader import Reader

    installation = installation.reached(host, port)
    reader = Reader(installation.layout)
    try:
        with explained(CannotListen), installation.database() as database:
            run(
                create_app(installation.settings, reader, database, installation.secrets()),
                installation.settings,
            )
    finally:
        reader.close()


def deliver() -> None:
    """Deliver webhooks without serving the API (not built yet)."""
    not_built_yet("`firm deliver`", "Events can be read at GET /api/v1/companies/{id}/events until then.")
