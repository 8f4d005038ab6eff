"""Runs the service in a background thread, for commands that use it and then end.

Does not belong here: `firm serve`, which ends on signals (`firm.commands.serve`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from firm.bootstrap import Installation


@contextmanager
def run_background_server(installation: Installation) -> Iterator[str]:
    """Serves and delivers on a free local port for the duration of the block; yields the base URL."""
    from api.runtime.uvicorn_server import build_server, open_listener

    settings = installation.settings.model_copy(update={"host": "127.0.0.1", "port": 0, "access_log": False})
    with installation.database() as database:  # migrated first
        installation.checked_secrets(database)
    listener = open_listener(settings)
    with replace(installation, settings=settings).application() as app:
        service = build_server(app, settings)
        thread = threading.Thread(target=service.run, args=([listener],), name="firm-service")
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            service.should_exit = True
            thread.join()
