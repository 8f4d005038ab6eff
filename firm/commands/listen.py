"""`firm listen`: reads the streaming feeds of a market between its runs.

Does not belong here: reading a stream (`pipelines.sources.stream_listener`).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from firm.cli_errors import USAGE, exit_on_error, fail
from firm.demo.settings import require_sandbox_url
from firm.environment import read_ingest_settings

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from pipelines.settings import IngestSettings


def listen(
    market: Annotated[str, typer.Argument(help="Market code, as uk.")],
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Listen to the sandbox served at FIRM_SANDBOX_URL.")
    ] = False,
) -> None:
    """Read the feeds of a market until Ctrl-C; the next `firm ingest --live` ingests the received entries."""
    import connectors
    from connectors.kit.http.errors import FetchError
    from pipelines.sources import stream_listener
    from pipelines.workspace import UnknownMarketError, Workspace, chosen_markets
    from warehouse.storage.locks import AlreadyLockedError

    settings = read_ingest_settings()
    with exit_on_error(UnknownMarketError, code=USAGE):
        [chosen] = chosen_markets([market], connectors.JURISDICTIONS)
    feeds = [dataset.key for dataset in stream_listener.streaming_datasets(chosen)]
    if not feeds:
        fail(f"market {chosen.code} has no streaming feed: use `firm ingest`", USAGE)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    workspace = Workspace(settings, connectors.JURISDICTIONS, report_progress=typer.echo)
    typer.echo(f"listening to {', '.join(feeds)}")
    with exit_on_error(FetchError, AlreadyLockedError, OSError), _http_client(settings, sandbox) as http:
        stream_listener.listen(workspace, chosen, http, stop)


@contextmanager
def _http_client(settings: IngestSettings, sandbox: bool) -> Iterator[HttpClient]:
    """HTTP client for the registries or, with `sandbox`, for `firm sandbox serve`."""
    if not sandbox:
        from pipelines.sources.live import registry_http

        with registry_http(settings) as http:
            yield http
        return
    from firm.demo.sandbox_origin import sandbox_source

    with sandbox_source(require_sandbox_url(), settings) as live:
        yield live.http
