"""`firm demo` (`make run`): ingest, events and deliveries on the embedded sandbox, then the service."""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import httpx
import typer

from api.email.webhook_notices import format_span
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error, fail
from firm.demo.background_server import run_background_server
from firm.demo.webhook_receiver import WebhookReceiver, run_receiver
from firm.environment import read_ingest_settings
from pipelines.reporting.report import IngestReport
from pipelines.runtime.counted_words import counted
from warehouse.ledger.read_index import LedgerEvent
from warehouse.schema.codes import EVENT_TYPES
from warehouse.settings.errors import SettingError

if TYPE_CHECKING:
    from pipelines.ingest.market_workers import MarketWorkers
    from pipelines.settings import IngestSettings
    from sandbox.http.server import SandboxServer

_PATIENCE: Final = 60.0
_LOOK_SECONDS: Final = 0.05
_MARK: Final = "made-by-firm-demo"
_EMAIL: Final = "demo@firmdata.example"
_HERE: Final = ("http://127.0.0.1:*", "http://localhost:*")
_LINK_LIFETIME: Final = timedelta(hours=1)
_COUNTS: Final = "select count(*), count(distinct company_id[6:7]) from companies"


def demo(
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the result until Ctrl-C.")] = True,
    companies: Annotated[int, typer.Option(min=300, help="Companies on the first day.")] = 400,
    days: Annotated[int, typer.Option(min=2, max=3, help="Days of the world, the first load included.")] = 3,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to serve on.")] = None,
) -> None:
    """Load a generated world, deliver days of changes to a subscriber, print a key and what to open, and serve."""
    with exit_on_error(SettingError):
        installation = Installation.read()
    settings = read_ingest_settings()
    installation = _with_demo_settings(installation.at(_prepare_folder(installation.settings.data / "demo")))
    settings = settings.alone_in(installation.settings.data)
    if serve:
        _check_address(installation.reached(None, port))
    with run_receiver() as receiver:
        key, subscription = _run_days(installation, settings, (companies, days), receiver)
        installation = _with_public_pages(installation)
        _print_summary(installation.reached(None, port), key, subscription)
        if serve:
            from firm.commands.serve import serve_installation

            serve_installation(installation, port=port, log_level=logging.WARNING)


def _check_address(installation: Installation) -> None:
    """Fails before the world is loaded if nothing can be served afterwards."""
    from api.runtime.uvicorn_server import ListenAddressError, open_listener

    with exit_on_error(ListenAddressError):
        open_listener(installation.settings).close()


def _with_demo_settings(installation: Installation) -> Installation:
    """Allows deliveries to the demo's own receiver, makes its account operator, and keeps the terminal readable."""
    settings = installation.settings
    own = {"deliver": True, "allow_http": True, "allow_networks": (ipaddress.ip_network("127.0.0.0/8"),)}
    webhooks = settings.webhooks.model_copy(update=own)
    settings = settings.model_copy(update={"webhooks": webhooks, "operators": frozenset({_EMAIL}), "access_log": False})
    return replace(installation, settings=settings)


def _with_public_pages(installation: Installation) -> Installation:
    """Lets everybody see the companies of the demo, with a publishable key that is bound to this machine."""
    with installation.accounts() as accounts:
        key = accounts.create_key(_EMAIL, "public", _HERE, label="public pages").key
    settings = installation.settings.model_copy(update={"public_companies_key": key})
    return replace(installation, settings=settings)


def _prepare_folder(folder: Path) -> Path:
    """Recreates the demo's folder; a folder not made by the demo is left alone."""
    if folder.exists():
        if not (folder / _MARK).exists():
            fail(f"{folder} was not made by the demo; move it away or choose another FIRM_DATA")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / _MARK).touch()
    return folder


def _run_days(
    installation: Installation, settings: IngestSettings, size: tuple[int, int], receiver: WebhookReceiver
) -> tuple[str, str]:
    """Plays all days of a world of (companies, days) and returns key and subscription id.

    The first day is the initial load; the events of the others are delivered to a subscriber.
    """
    from firm.commands.ingest import market_workers
    from firm.demo.sandbox_origin import played_markets
    from sandbox import World, serve

    companies, days = size
    markets = played_markets()
    with market_workers(min(os.cpu_count() or 1, len(markets))) as workers, ExitStack() as stack:
        world = World(seed=1, companies=companies, days=days, markets=markets)
        registry = stack.enter_context(serve(world))
        run_day = partial(_run_day, settings, registry, workers)
        run_day(world.date(0).isoformat())
        key = _create_account_key(installation)
        with run_background_server(installation) as base:
            subscription = _subscribe_receiver(base, key, receiver)
            for number in range(1, days):
                registry.advance()
                run_day(world.date(number).isoformat())
            _wait_for_events(receiver, len(_read_events(installation)))
    typer.echo(f"A subscriber on this machine received and verified {_counted_events(receiver.by_type)}.")
    return key, subscription


def _counted_events(by_type: Mapping[str, int]) -> str:
    """As `3 events: 2 filing.added, 1 status.changed`."""
    each = ", ".join(f"{count} {event_type}" for event_type, count in sorted(by_type.items()))
    return f"{counted(sum(by_type.values()), 'event')}: {each}"


def _run_day(settings: IngestSettings, registry: SandboxServer, workers: MarketWorkers | None, day: str) -> None:
    """Ingests a day of the registries and prints what came of it."""
    from firm.commands.ingest import print_report, run_ingest
    from firm.demo.sandbox_origin import sandbox_source

    started = time.monotonic()
    with sandbox_source(registry.url, settings) as origin:
        report = run_ingest(settings, [], origin, registry.now, workers=workers, quiet=True)
    if report.exit_code:
        print_report(report, settings.layout)
        fail(f"the day {day} ended with exit code {report.exit_code}", report.exit_code)
    events = sum(row.events for row in report.datasets)
    typer.echo(
        f"{day}: {_stated_size(settings, report)}, {counted(events, 'event')} ({time.monotonic() - started:.0f} s)"
    )


def _create_account_key(installation: Installation) -> str:
    with installation.accounts() as accounts:
        account = accounts.create_account(_EMAIL, "pro")
        return accounts.create_key(account.account_id, "live", label="demo").key


def _subscribe_receiver(base: str, key: str, receiver: WebhookReceiver) -> str:
    """Subscribes over HTTP, like a client, to every event type of every company."""
    asked = {"endpoint_url": receiver.url, "event_types": list(EVENT_TYPES), "description": "demo"}
    answer = httpx.post(
        f"{base}/api/v1/webhooks",
        json=asked,
        headers={"Authorization": f"Bearer {key}"},
        timeout=_PATIENCE,
        trust_env=False,
    )
    if answer.is_error:
        fail(f"the subscription was rejected: {answer.text}")
    made = answer.json()
    receiver.secret = made["secret"]
    return made["id"]


def _wait_for_events(receiver: WebhookReceiver, count: int) -> None:
    until = time.monotonic() + _PATIENCE
    while len(receiver.seen) < count:
        if time.monotonic() > until:
            fail(f"{len(receiver.seen)} of {count} events arrived at {receiver.url} within {_PATIENCE:g} s")
        time.sleep(_LOOK_SECONDS)
    if receiver.refused:
        deliveries = counted(receiver.refused, "delivery", "deliveries")
        fail(f"not signed by the subscription's secret: {deliveries} to {receiver.url}")


def _stated_size(settings: IngestSettings, report: IngestReport) -> str:
    from warehouse.publish.release_tables import open_release_tables

    with open_release_tables(settings.layout, report.release or 0) as release:
        companies, markets = release.execute(_COUNTS).fetchall()[0]
    return f"{counted(companies, 'company', 'companies')} of {counted(markets, 'country', 'countries')}"


def _print_summary(installation: Installation, key: str, subscription: str) -> None:
    """Prints the key and what to try with it; at last the address to open."""
    base = installation.settings.public_url
    shown = _example_company(_read_events(installation))
    company = f"{base}/api/v1/companies/{shown}"
    link = installation.sign_in_link(_EMAIL, _LINK_LIFETIME)
    typer.echo(
        f"""
API key (shown once): {key}
curl -H 'Authorization: Bearer {key}' '{company}'
Of the same company: {company}/financials, …/ownership, …/events; as a page: {base}/companies/{shown}
Deliveries to the subscriber: {base}/api/v1/webhooks/{subscription}/deliveries
Tools for agents, with the same key: {base}/mcp
Dashboard, as {_EMAIL}, once, within {format_span(_LINK_LIFETIME)}: {link}
Real data: README.md, «Running it on real data». All of this is in {installation.settings.data}; Ctrl-C ends it.
{base}/"""
    )


def _read_events(installation: Installation) -> list[LedgerEvent]:
    from warehouse.reader.reader import ReleaseReader

    reader = ReleaseReader(installation.layout)
    try:
        return reader.events_after(0, 10_000)
    finally:
        reader.close()


def _example_company(events: list[LedgerEvent]) -> str:
    """Number of a company whose every route has something to show: one that changed owners, if there is one."""
    owned = [event for event in events if event.event_type == "ownership.changed"]
    number: str = json.loads((owned or events)[0].data)["org_nr"]
    return number
