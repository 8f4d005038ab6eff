"""`firm serve` and `firm deliver`: the API over the published releases, and delivery of webhooks without it.

Does not belong here: delivering (`api.webhooks.runner`).
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from api.auth.service_secrets import SecretsError
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error, fail
from warehouse.release.manifest import UnservedMarketError, check_served_markets
from warehouse.settings.errors import SettingError

if TYPE_CHECKING:
    import socket

    from api.observability.metrics import Metrics, WorkerSlot
    from api.webhooks.runner import DeliveryRunner

_ENDING = (signal.SIGINT, signal.SIGTERM)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (FIRM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (FIRM_PORT).", min=0, max=65535)] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of worker processes (FIRM_SERVE_WORKERS).", min=1, max=256)
    ] = None,
) -> None:
    """Serve the API until Ctrl-C; new releases are picked up while it runs."""
    with exit_on_error(SettingError, SecretsError, UnservedMarketError):
        installation = Installation.read()
        check_served_markets(installation.layout)
        if workers is not None:
            chosen = installation.settings.model_copy(update={"serve_workers": workers})
            installation = replace(installation, settings=chosen)
        serve_installation(installation, host, port)


def serve_installation(
    installation: Installation, host: str | None = None, port: int | None = None, log_level: int = logging.INFO
) -> None:
    """Opens the service's resources, serves, and closes them."""
    import api.app
    import api.webhooks.runner  # noqa: F401 -- both loaded before workers are forked, so that they share them
    from api.observability.logging import LOGGER, configure_logging
    from api.runtime.uvicorn_server import ListenAddressError, open_listener
    from firm.doctor.setting_names import misspelt_lines

    installation = installation.reached(host, port)
    configure_logging(log_level)
    for line in misspelt_lines(installation.environment):
        LOGGER.warning(line)
    with installation.database() as database:  # migrated once, before any worker serves
        installation.checked_secrets(database)
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


def _serve_in_process(
    installation: Installation, listener: socket.socket, worker_slot: WorkerSlot | None = None
) -> None:
    """Serves in this process; of several, the first one also delivers and follows releases."""
    from api.runtime.uvicorn_server import serve as run

    is_first = worker_slot is None or worker_slot.index == 0
    delivers = installation.settings.webhooks.deliver and is_first
    with (
        installation.application(worker_slot, delivers=delivers) as app,
        installation.followed() if is_first else nullcontext(),
    ):
        run(app, installation.settings, listener)


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
    from firm.doctor.setting_names import misspelt_lines
    from warehouse.reader.reader import ReleaseReader

    with exit_on_error(SettingError, SecretsError, UnservedMarketError), _catch_stop_signals() as asked:
        installation = Installation.read()
        check_served_markets(installation.layout)
        configure_logging()
        for line in misspelt_lines(installation.environment):
            LOGGER.warning(line)
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
