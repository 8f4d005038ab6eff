"""`firm deliver`: delivers webhooks without the API, in any number of processes.

Does not belong here: delivering (`api.webhooks.service`), or delivering within the API process (`serve`).
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from api.secrets import SecretsError
from api.settings import SettingError
from firm.compose import Installation
from firm.failures import explained, fail

if TYPE_CHECKING:
    from api.metrics import Metrics
    from api.webhooks.service import Deliveries

_ENDING = (signal.SIGINT, signal.SIGTERM)


def deliver(
    metrics_port: Annotated[
        int | None, typer.Option(help="Port of the Prometheus metrics; none by default.", min=1, max=65535)
    ] = None,
    metrics_host: Annotated[str, typer.Option(help="Address of that port.")] = "127.0.0.1",
) -> None:
    """Deliver webhooks until Ctrl-C, without serving the API; any number of these may run at once."""
    from api.logs import LOGGER, configure
    from api.metrics import Metrics
    from api.server import run_alone
    from warehouse.reader import Reader

    with explained(SettingError, SecretsError), _heard() as asked:
        installation = Installation.read()
        configure()
        with installation.database():  # migrated first
            pass
        metrics = Metrics()
        with (
            _told_to_prometheus(metrics, metrics_host, metrics_port),
            installation.followed(),
            closing(Reader(installation.layout)) as reader,
            installation.deliveries(reader, metrics.attempted) as deliveries,
        ):
            run_alone(_until_told(deliveries, asked))
    LOGGER.info("stopped")


@contextmanager
def _told_to_prometheus(metrics: Metrics, host: str, port: int | None) -> Iterator[None]:
    """Exposes this process's attempts to Prometheus; the backlog is exposed by every API process."""
    if port is None:
        yield
        return
    from prometheus_client import CollectorRegistry, start_http_server

    from api.exposition import Attempted

    registry = CollectorRegistry()
    registry.register(Attempted(metrics))
    try:
        server, _ = start_http_server(port, host, registry)
    except OSError as error:
        fail(f"cannot listen on {host} port {port} ({error.strerror}): choose another --metrics-port")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _heard() -> Iterator[threading.Event]:
    """Records a signal that arrives before the event loop handles signals; it could be lost otherwise."""
    asked = threading.Event()
    former = {number: signal.signal(number, lambda *_: asked.set()) for number in _ENDING}
    try:
        yield asked
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


async def _until_told(deliveries: Deliveries, asked: threading.Event) -> None:
    """Delivers until SIGINT or SIGTERM; running attempts may end, and no others begin."""
    stop = asyncio.Event()
    with _told(stop):
        if asked.is_set():
            stop.set()
        await deliveries.run(stop)


@contextmanager
def _told(stop: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in _ENDING:
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in _ENDING:
            loop.remove_signal_handler(number)
