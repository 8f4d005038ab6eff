"""`firm deliver`: delivers webhooks without the API, in any number of processes.

Does not belong here: delivering (`api.webhooks.runner`), or delivering within the API process (`serve`).
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from api.auth.service_secrets import SecretsError
from api.settings.env import SettingError
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error, fail

if TYPE_CHECKING:
    from api.observability.metrics import Metrics
    from api.webhooks.runner import DeliveryRunner

_ENDING = (signal.SIGINT, signal.SIGTERM)


def deliver(
    metrics_port: Annotated[
        int | None, typer.Option(help="Port of the Prometheus metrics; none by default.", min=1, max=65535)
    ] = None,
    metrics_host: Annotated[str, typer.Option(help="Address of that port.")] = "127.0.0.1",
) -> None:
    """Deliver webhooks until Ctrl-C, without serving the API; any number of these may run at once."""
    from api.observability.logging import LOGGER, configure_logging
    from api.observability.metrics import Metrics
    from api.runtime.uvicorn_server import run_without_server
    from warehouse.reader.reader import ReleaseReader

    with exit_on_error(SettingError, SecretsError), _catch_stop_signals() as asked:
        installation = Installation.read()
        configure_logging()
        with installation.database():  # migrated first
            pass
        metrics = Metrics()
        with (
            _serve_metrics(metrics, metrics_host, metrics_port),
            installation.followed(),
            closing(ReleaseReader(installation.layout)) as reader,
            installation.deliveries(reader, metrics.attempted) as deliveries,
        ):
            run_without_server(_deliver_until_stopped(deliveries, asked))
    LOGGER.info("stopped")


@contextmanager
def _serve_metrics(metrics: Metrics, host: str, port: int | None) -> Iterator[None]:
    """Exposes this process's attempts to Prometheus; the backlog is exposed by every API process."""
    if port is None:
        yield
        return
    from prometheus_client import CollectorRegistry, start_http_server

    from api.observability.prometheus import AttemptCollector

    registry = CollectorRegistry()
    registry.register(AttemptCollector(metrics))
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
def _catch_stop_signals() -> Iterator[threading.Event]:
    """Records a signal that arrives before the event loop handles signals; it could be lost otherwise."""
    asked = threading.Event()
    former = {number: signal.signal(number, lambda *_: asked.set()) for number in _ENDING}
    try:
        yield asked
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


async def _deliver_until_stopped(deliveries: DeliveryRunner, asked: threading.Event) -> None:
    """Delivers until SIGINT or SIGTERM; running attempts may end, and no others begin."""
    stop = asyncio.Event()
    with _stop_on_signals(stop):
        if asked.is_set():
            stop.set()
        await deliveries.run(stop)


@contextmanager
def _stop_on_signals(stop: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in _ENDING:
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in _ENDING:
            loop.remove_signal_handler(number)
