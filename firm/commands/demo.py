"""`firm demo` (`make run`): ingest, events and deliveries on the embedded sandbox, then the service."""

from __future__ import annotations

import ipaddress
import json
import shutil
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import httpx
import typer

from api.email.webhook_notices import format_span
from firm.bootstrap import Installation, read_ingest_settings
from firm.cli_errors import exit_on_error, fail
from firm.console import print_table
from firm.demo.background_server import run_background_server
from firm.demo.webhook_receiver import WebhookReceiver, run_receiver
from pipelines.reporting.report import IngestReport
from warehouse.ledger.read_index import LedgerEvent
from warehouse.schema.codes import EVENT_TYPES
from warehouse.settings.errors import SettingError

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings
    from sandbox.http.server import SandboxServer

_SHOWN: Final = 8
_PATIENCE: Final = 60.0
_LOOK_SECONDS: Final = 0.05
_MARK: Final = "made-by-firm-demo"
_EMAIL: Final = "demo@firmdata.example"
_HERE: Final = ("http://127.0.0.1:*", "http://localhost:*")
_LINK_LIFETIME: Final = timedelta(hours=1)
_COUNTS: Final = {
    "companies": "select company_id[6:7], count(*) from companies group by 1",
    "filings": "select company_id[6:7], count(*) from filings group by 1",
    "financials": "select company_id[6:7], count(*) from financials group by 1",
}


def demo(
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the result until Ctrl-C.")] = True,
    companies: Annotated[int, typer.Option(min=300, help="Companies on the first day.")] = 400,
    days: Annotated[int, typer.Option(min=2, max=3, help="Days of the world, the first load included.")] = 3,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to serve on.")] = None,
) -> None:
    """Load a generated world, deliver days of changes to a subscriber, print a key and URLs, and serve."""
    with exit_on_error(SettingError):
        installation = Installation.read()
    settings = read_ingest_settings()
    installation = _with_demo_settings(installation.at(_prepare_folder(installation.settings.data / "demo")))
    settings = settings.alone_in(installation.settings.data)
    with run_receiver() as receiver:
        key, subscription = _run_days(installation, settings, (companies, days), receiver)
        installation = _with_public_pages(installation)
        _print_summary(installation, key, subscription, port)
        if serve:
            from firm.commands.serve import serve_installation

            serve_installation(installation, port=port)


def _with_demo_settings(installation: Installation) -> Installation:
    """Allows deliveries to this machine, for the demo's own receiver, and makes the demo account operator."""
    settings = installation.settings
    own = {"deliver": True, "allow_http": True, "allow_networks": (ipaddress.ip_network("127.0.0.0/8"),)}
    webhooks = settings.webhooks.model_copy(update=own)
    settings = settings.model_copy(update={"webhooks": webhooks, "operators": frozenset({_EMAIL})})
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
    from sandbox import World, serve

    companies, days = size
    world = World(seed=1, companies=companies, days=days)
    with serve(world) as registry:
        rows = _run_day(settings, registry, world.date(0).isoformat())
        key = _create_account_key(installation)
        with run_background_server(installation) as base:
            subscription = _subscribe_receiver(base, key, receiver)
            for number in range(1, days):
                registry.advance()
                rows += _run_day(settings, registry, world.date(number).isoformat())
            print_table(
                ("day", "market", "companies", "filings", "financial rows", "events", "seconds"), rows, "What happened"
            )
            _wait_for_events(receiver, len(_read_events(installation)))
    print_table(
        ("event", "received and verified"),
        [(one, str(count)) for one, count in sorted(receiver.by_type.items())],
        f"Events received by the subscriber at {receiver.url}",
    )
    return key, subscription


def _run_day(settings: IngestSettings, registry: SandboxServer, day: str) -> list[tuple[str, ...]]:
    from firm.commands.ingest import print_report, run_ingest
    from firm.demo.sandbox_origin import sandbox_source

    started = time.monotonic()
    with sandbox_source(registry.url, settings) as origin:
        report = run_ingest(settings, [], origin, registry.now, quiet=True)
    if report.exit_code:
        print_report(report, settings.layout)
        fail(f"the day {day} ended with exit code {report.exit_code}", report.exit_code)
    typer.echo(f"{day}: release {report.release} after {time.monotonic() - started:.1f} s", err=True)
    return _day_rows(settings, report, day)


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
        fail(f"{receiver.refused} deliveries to {receiver.url} were not signed by the subscription's secret")


def _day_rows(settings: IngestSettings, report: IngestReport, day: str) -> list[tuple[str, ...]]:
    from warehouse.publish.release_tables import open_release_tables

    with open_release_tables(settings.layout, report.release or 0) as release:
        counts = {name: dict(release.execute(statement).fetchall()) for name, statement in _COUNTS.items()}
    return [
        (
            day,
            market,
            *(f"{counts[name].get(market, 0):,}" for name in counts),
            str(sum(row.events for row in report.datasets if row.dataset.startswith(f"{market.lower()}."))),
            f"{seconds:.1f}",
        )
        for market, seconds in report.seconds.items()
    ]


def _print_summary(installation: Installation, key: str, subscription: str, port: int | None) -> None:
    """Prints the newest events, the key and URLs to try."""
    events = _read_events(installation)
    print_table(
        ("when", "event", "company", "what"), [_event_row(event) for event in events[-_SHOWN:]], "Newest events"
    )
    base = installation.reached(None, port).settings.public_url
    typer.echo(f"\nAPI key (shown once): {key}\n")
    for path in _example_paths(events):
        typer.echo(f"curl -H 'Authorization: Bearer {key}' '{base}{path}'")
    typer.echo(f"curl -H 'Authorization: Bearer {key}' '{base}/api/v1/webhooks/{subscription}/deliveries?limit=3'")
    typer.echo(
        f"curl -X POST -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' "
        f"-d '{{\"event_type\":\"status.changed\"}}' '{base}/api/v1/webhooks/{subscription}/test'"
    )
    typer.echo(f"\nPages of companies for everybody: {base}/companies/{events[-1].company_id}")
    link = installation.reached(None, port).sign_in_link(_EMAIL, _LINK_LIFETIME)
    typer.echo(
        f"\nDashboard: {base}/dashboard\n"
        f"Signed in as {_EMAIL}, once, within {format_span(_LINK_LIFETIME)}: {link}\n"
        f"Later: FIRM_DATA={installation.settings.data} firm accounts link {_EMAIL}"
    )
    typer.echo(f"\nAPI description: {base}/api/openapi.json. Data: {installation.settings.data}")


def _read_events(installation: Installation) -> list[LedgerEvent]:
    from warehouse.reader.reader import ReleaseReader

    reader = ReleaseReader(installation.layout)
    try:
        return reader.events_after(0, 10_000)
    finally:
        reader.close()


def _event_row(event: LedgerEvent) -> tuple[str, str, str, str]:
    data = json.loads(event.data)
    changed = next(data[key] for key in ("change", "filing", "news", "notice") if key in data)
    if event.event_type == "ownership.changed":
        holder = changed["holder_name"] or "a protected holder"
        what = f"{holder}: {changed['previous_pct']} % → {changed['current_pct']} %"
    elif event.event_type == "status.changed":
        what = f"{changed['previous_status']} → {changed['current_status']}"
    elif event.event_type == "company.changed":
        what = ", ".join(one["field"] for one in changed["changes"])
    elif event.event_type in ("news.published", "event.regulatory"):
        what = changed["title"]
    else:
        what = f"accounts of {changed['period']}, version {changed['version']}"
    return f"{event.occurred_at:%Y-%m-%d}", event.event_type, f"{data['org_nr']} {data['name']}", what


def _example_paths(events: list[LedgerEvent]) -> list[str]:
    """Example URLs of a company with events, so that every endpoint has data to show."""
    owned = [event for event in events if event.event_type == "ownership.changed"]
    for event in (*owned, *events):
        number = json.loads(event.data)["org_nr"]
        below = ("", "/financials", "/ownership", "/events")
        return [*(f"/api/v1/companies/{number}{part}" for part in below), "/api/v1/companies?q=a&country=NO,UK"]
    return ["/api/v1/companies?country=NO,UK"]
