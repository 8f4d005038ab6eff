"""`firm listen`: reads the feeds of a market while they happen, beside the runs, until Ctrl-C.

Does not belong here: what reading is (`pipelines.listening`), or taking in what was read (`ingest`).
"""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from firm.compose import environment
from firm.failures import USAGE, explained, fail
from pipelines.settings import SettingError, Settings


def listen(market: Annotated[str, typer.Argument(help="Market code, as uk.")]) -> None:
    """Read the feeds of a market until Ctrl-C; the next `firm ingest --live` takes in what came."""
    import connectors
    from connectors.kit.errors import FetchError
    from pipelines import listening
    from pipelines.registries import registry_http
    from pipelines.resources import Workspace
    from pipelines.run import UnknownMarket, chosen_markets
    from warehouse.locks import Locked

    with explained(SettingError, UnknownMarket, code=USAGE):
        settings = Settings.read(environment())
        [chosen] = chosen_markets([market], connectors.JURISDICTIONS)
    feeds = [dataset.key for dataset in listening.listened(chosen)]
    if not feeds:
        fail(f"market {chosen.code} has no feed that can be listened to: `firm ingest` asks it", USAGE)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    workspace = Workspace(settings, connectors.JURISDICTIONS, tell=typer.echo)
    typer.echo(f"listening to {', '.join(feeds)}")
    with explained(FetchError, Locked), registry_http(settings) as http:
        listening.listen(workspace, chosen, http, stop)
