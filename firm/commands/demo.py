"""`firm demo`, which is `make run`: the main job from end to end on the embedded world, then the service."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from firm.compose import Installation, environment
from firm.failures import explained, fail
from firm.printing import table
from pipelines.report import IngestReport
from pipelines.settings import SettingError, Settings
from warehouse.reading import Event

_DAYS: Final = 3
_SHOWN: Final = 8
_MARK: Final = "made-by-firm-demo"
_EMAIL: Final = "demo@firmdata.example"
_COUNTS: Final = {
    "companies": "select company_id[6:7], count(*) from companies group by 1",
    "filings": "select company_id[6:7], count(*) from filings group by 1",
    "financials": "select company_id[6:7], count(*) from financials group by 1",
}


def demo(
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the result until Ctrl-C.")] = True,
    companies: Annotated[int, typer.Option(min=120, help="Companies on the first day.")] = 400,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to serve on.")] = None,
) -> None:
    """Load a generated world, watch two days of change, print a key and URLs, and serve."""
    with explained(SettingError):
        installation = Installation.read()
        settings = Settings.read(environment())
    installation = installation.at(_fresh(installation.settings.data / "demo"))
    settings = replace(settings, data=installation.settings.data)
    _days(settings, companies)
    _invite(installation, port)
    if serve:
        from firm.commands.serve import serve_installation

        serve_installation(installation, port=port)


def _fresh(folder: Path) -> Path:
    """The demo starts anew each time; a folder that it did not make is left alone."""
    if folder.exists():
        if not (folder / _MARK).exists():
            fail(f"{folder} was not made by the demo; move it away or choose another FIRM_DATA")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / _MARK).touch()
    return folder


def _days(settings: Settings, companies: int) -> None:
    from connectors.sandbox import World, serve
    from firm.commands.ingest import run
    from firm.worlds import live_at

    world = World(seed=1, companies=companies, days=_DAYS)
    rows: list[tuple[str, ...]] = []
    with serve(world) as registry:
        for number in range(_DAYS):
            if number:
                registry.advance()
            started = time.monotonic()
            with live_at(registry.url, settings) as origin:
                report = run(settings, [], origin, registry.now, quiet=True)
            if report.exit_code:
                from firm.commands.ingest import tell

                tell(report)
                fail(f"day {number + 1} ended with exit code {report.exit_code}", report.exit_code)
            rows += _rows(settings, report, world.date(number).isoformat())
            typer.echo(
                f"{world.date(number)}: release {report.release} after {time.monotonic() - started:.1f} s",
                err=True,
            )
    table(
        ("day", "market", "companies", "filings", "financial rows", "events", "seconds"),
        rows,
        "What happened",
    )


def _rows(settings: Settings, report: IngestReport, day: str) -> list[tuple[str, ...]]:
    import duckdb

    path = settings.layout.releases / f"{report.release:010d}" / "warehouse.duckdb"
    with duckdb.connect(path, read_only=True) as release:
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


def _invite(installation: Installation, port: int | None) -> None:
    """What changed, an account, a key and addresses to try."""
    events = _events(installation)
    table(
        ("when", "event", "company", "what"),
        [_told(event) for event in events[-_SHOWN:]],
        "The newest events",
    )
    with installation.accounts() as accounts:
        account = accounts.create_account(_EMAIL, "pro")
        key = accounts.create_key(account.account_id, "live", label="demo").key
    base = installation.reached(None, port).settings.public_url
    typer.echo(f"\nAPI key (shown once): {key}\n")
    for path in _examples(events):
        typer.echo(f"curl -H 'Authorization: Bearer {key}' '{base}{path}'")
    typer.echo(f"\nThe interface: {base}/api/openapi.json. The data: {installation.settings.data}")


def _events(installation: Installation) -> list[Event]:
    from warehouse.reader import Reader

    reader = Reader(installation.layout)
    try:
        return reader.events_after(0, 10_000)
    finally:
        reader.close()


def _told(event: Event) -> tuple[str, str, str, str]:
    data = json.loads(event.data)
    changed = data.get("change") or data.get("filing") or {}
    if event.event_type == "ownership.changed":
        holder = changed["holder_name"] or "a protected holder"
        what = f"{holder}: {changed['previous_pct']} % → {changed['current_pct']} %"
    elif event.event_type == "status.changed":
        what = f"{changed['previous_status']} → {changed['current_status']}"
    else:
        what = f"accounts of {changed['period']}, version {changed['version']}"
    return f"{event.occurred_at:%Y-%m-%d}", event.event_type, f"{data['org_nr']} {data['name']}", what


def _examples(events: list[Event]) -> list[str]:
    """Addresses of a company that has had an event, so that every part has something to show."""
    owned = [event for event in events if event.event_type == "ownership.changed"]
    for event in (*owned, *events):
        number = json.loads(event.data)["org_nr"]
        below = ("", "/financials", "/ownership", "/events")
        return [
            *(f"/api/v1/companies/{number}{part}" for part in below),
            "/api/v1/companies?q=a&country=NO,UK",
        ]
    return ["/api/v1/companies?country=NO,UK"]
