"""`firm listen`: reads streaming feeds of a market continuously, in parallel to the runs, until Ctrl-C.

Does not belong here: reading itself (`pipelines.listening`), or ingesting what was read (`ingest`).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from firm.compose import environment
from firm.failures import USAGE, explained, fail
from pipelines.settings import SettingError, Settings

if TYPE_CHECKING:
    from connectors.kit.http import Http


def listen(
    market: Annotated[str, typer.Argument(help="Market code, as uk.")],
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Listen to the sandbox served at FIRM_SANDBOX_URL.")
    ] = False,
) -> None:
    """Read the feeds of a market until Ctrl-C; the next `firm ingest --live` ingests the received entries."""
    import connectors
    from connectors.kit.errors import FetchError
    from pipelines import listening
    from pipelines.resources import Workspace
    from pipelines.run import UnknownMarket, chosen_markets
    from warehouse.locks import Locked

    with explained(SettingError, UnknownMarket, code=USAGE):
        settings = Settings.read(environment())
        [chosen] = chosen_markets([market], connectors.JURISDICTIONS)
    feeds = [dataset.key for dataset in listening.listened(chosen)]
    if not feeds:
        fail(f"market {chosen.code} has no streaming feed: use `firm ingest`", USAGE)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    workspace = Workspace(settings, connectors.JURISDICTIONS, tell=typer.echo)
    typer.echo(f"listening to {', '.join(feeds)}")
    with explained(FetchError, Locked, OSError), _source(settings, sandbox) as http:
        listening.listen(workspace, chosen, http, stop)


@contextmanager
def _source(settings: Settings, sandbox: bool) -> Iterator[Http]:
    """HTTP client for the registries or, with `sandbox`, for `firm sandbox serve`."""
    if not sandbox:
        from pipelines.registries import registry_http

        with registry_http(settings) as http:
            yield http
        return
    from firm.worlds import live_at

    base = environment().get("FIRM_SANDBOX_URL")
    if not base:
        fail("--sandbox needs FIRM_SANDBOX_URL, the address that `firm sandbox serve` prints", USAGE)
    with live_at(base, settings) as live:
        yield live.http
