"""`firm ingest`: runs the Dagster job of the chosen markets and says what came. `firm dagster`: its UI."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from firm import erasures
from firm.compose import environment
from firm.failures import USAGE, explained, fail
from firm.printing import table
from pipelines.origins import Folder, Live, Origin
from pipelines.report import IngestReport
from pipelines.settings import PROJECT, SettingError, Settings
from warehouse.locks import Locked
from warehouse.remote.failures import RemoteFailed

_SHOWN = 40


def ingest(
    markets: Annotated[
        list[str] | None,
        typer.Argument(
            help="Market codes, as no uk, and source groups, as news; none means all, of a folder those it has."
        ),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Ask the registries themselves.")] = False,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Ask the embedded generated world.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--from", help="Files laid out <cc>/<dataset>/…, as if just fetched.")
    ] = None,
    at: Annotated[
        datetime | None, typer.Option(help="Logical instant of the run, UTC; now by default.")
    ] = None,
    accept_shrink: Annotated[
        list[str] | None, typer.Option(help="Dataset let through its guards this once, recorded; repeatable.")
    ] = None,
    at_once: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Markets of a folder taken in at one time, each in a process of its own."
        ),
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Take markets in and publish a release.

    Exit code: 0 done, 1 error, 3 something held, 4 nothing published.

    4 too where something came and none of it could be read; one bad file among good ones is only told of.
    """
    if sum((live, sandbox, folder is not None)) != 1:
        fail("choose one of --live, --sandbox and --from FOLDER", USAGE)
    if at_once > 1 and folder is None:
        fail(
            "--at-once is for --from FOLDER: registries are asked by one process, which keeps their pace",
            USAGE,
        )
    with explained(SettingError, code=USAGE):
        settings = Settings.read(environment())
    markets, groups = _told_apart(markets or [], folder)
    chosen = _chosen(markets, sandbox, folder, groups)
    with (
        explained(OSError),
        _origin(settings, _folder(folder, groups, own=bool(markets)), live) as (origin, its_instant),
    ):
        asked = Asked(at or its_instant, tuple(accept_shrink or ()), at_once)
        report = run(settings, chosen, origin, asked, quiet=as_json)
        erasures.end(settings.layout)  # what registers took away
        if as_json:
            typer.echo(json.dumps(report.as_json()))
            complain(report)
        else:
            tell(report)
        if report.exit_code:  # inside: the sandbox's world stays on its day
            raise typer.Exit(report.exit_code)


def _told_apart(named: list[str], folder: Path | None) -> tuple[list[str], list[str]]:
    """Markets and source groups of what was named. Groups are folders: nobody can be asked for one."""
    from connectors import GROUPS

    codes = {group.code for group in GROUPS}
    groups = [name.lower() for name in named if name.lower() in codes]
    if groups and folder is None:
        fail(
            f"{groups[0]} is a group of sources, read from a folder: give --from FOLDER, or name markets",
            USAGE,
        )
    return [name for name in named if name.lower() not in codes], groups


def _folder(folder: Path | None, named: list[str], *, own: bool) -> Folder | None:
    """The folder with the groups that were named; where nothing was named at all, with all that it has.

    Groups alone mean their folders and not those of the markets.
    """
    from connectors import GROUPS

    if folder is None:
        return None
    if not folder.is_dir():
        fail(f"{folder} is not a folder; --from takes one laid out <cc>/<dataset>/…", USAGE)
    if own and not named:
        return Folder(folder)
    groups = tuple(group for group in GROUPS if not named or group.code in named)
    return Folder(folder, groups, own=own or not named)


def _chosen(markets: list[str], sandbox: bool, folder: Path | None, groups: list[str]) -> list[str]:
    """The markets named, which must be known before anything is asked or started.

    None means all; of the sandbox, which does not play every market, all that it plays; of a folder all that it
    has files of, or all of them where it has none, so that every file is listed. A group is every market's.
    """
    import connectors
    from connectors.sandbox import MARKETS
    from pipelines.run import UnknownMarket, chosen_markets

    with explained(UnknownMarket, code=USAGE):
        known = chosen_markets(markets, connectors.JURISDICTIONS)
    if markets:
        return markets
    if sandbox:
        return list(MARKETS)
    if groups:
        return [market.code for market in known]
    lying = {path.name.upper() for path in (*folder.glob("*/"), *folder.glob("*/*/"))} if folder else set()
    shared = lying & {group.code.upper() for group in connectors.GROUPS}  # every market may read of it
    return [market.code for market in known if shared or market.code in lying]


@contextmanager
def _origin(
    settings: Settings, folder: Folder | None, live: bool
) -> Iterator[tuple[Origin, datetime | None]]:
    """Where to take in from, and the instant it plays where that is not now."""
    if folder is not None:
        yield folder, None
    elif live:
        from pipelines.registries import registry_http

        with registry_http(settings) as http:
            yield Live(http), None
    else:
        from firm import worlds

        base = environment().get("FIRM_SANDBOX_URL")
        if base:
            instant = worlds.instant_at(base)
            with worlds.live_at(base, settings) as origin:
                yield origin, instant
            return
        with worlds.embedded(settings) as played:
            yield played


@dataclass(frozen=True, slots=True)
class Asked:
    """How an ingest is asked for; `at` None: now."""

    at: datetime | None = None
    accept_shrink: tuple[str, ...] = ()
    at_once: int = 1


def run(
    settings: Settings, markets: list[str], origin: Origin, asked: Asked, *, quiet: bool = False
) -> IngestReport:
    """One ingest with progress on standard error."""
    from pipelines.interrupted import Interrupted
    from pipelines.run import Overrides
    from pipelines.run import ingest as pipelines_ingest

    def told(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    at = asked.at
    instant = at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at
    overrides = Overrides(accept_shrink=asked.accept_shrink, at_once=asked.at_once)
    with explained(Locked, ValueError, RemoteFailed, Interrupted):
        return pipelines_ingest(settings, markets, origin, instant, told, overrides)


def tell(report: IngestReport) -> None:
    """The report for a person: files that gave nothing, datasets, events, what is held, the release."""
    idle = [file for file in report.files if file.reason is not None and file.reason != "unchanged"]
    if idle:
        rows = [(file.path, file.dataset or "-", file.reason or "") for file in idle[:_SHOWN]]
        table(("file", "dataset", "why it gave nothing"), rows, f"Files that gave no rows: {len(idle)}")
        if len(idle) > _SHOWN:
            typer.echo(f"… and {len(idle) - _SHOWN} more; --json lists them all")
    table(
        ("dataset", "read", "rejected", "normalised", "events", "seconds"),
        [
            (
                row.dataset,
                f"{row.rows:,}",
                f"{row.rejected:,}",
                f"{row.normalised:,}",
                str(row.events),
                f"{row.seconds:.1f}",
            )
            for row in report.datasets
        ],
    )
    complain(report)
    events = ", ".join(f"{kind} {count}" for kind, count in sorted(report.events.items())) or "none"
    typer.echo(f"events: {events}; signals: {report.signals}")
    typer.echo(_ending(report))


def _ending(report: IngestReport) -> str:
    if report.release is not None:
        return f"release {report.release} is published"
    return "no new release" if report.exit_code else "no change, no new release"


def complain(report: IngestReport) -> None:
    """What is held and what failed, on standard error: the reasons for the exit code."""
    for held in report.held:
        allowed = "" if held.allowed is None else f", allowed {held.allowed}"
        typer.echo(
            f"HELD {held.dataset}: {held.guard}: saw {held.seen}{allowed}; its last good state stays",
            err=True,
        )
    if report.is_illegible:
        typer.echo(
            f"UNREADABLE: nothing of what came could be read ({report.unreadable} files; each has its reason above "
            "or in --json): what is served stays",
            err=True,
        )
    for error in report.errors:
        typer.echo(f"ERROR {error.market}: {error.message}", err=True)


def dagster(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the web interface.")] = 3000,
) -> None:
    """Dagster's web interface and daemon, with the daily schedules."""
    _beside("dagster", "dev", "-m", "pipelines.definitions", "-p", str(port))


def work(
    name: Annotated[
        str, typer.Option(help="What this worker is called, where a machine has several.")
    ] = "worker",
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Markets taken in at one time.")] = 1,
) -> None:
    """Take in markets that Dagster hands out, until Ctrl-C; any number of these, on any machine."""
    with explained(SettingError, code=USAGE):
        if not Settings.read(environment()).celery_broker_url:
            fail("there is nobody to hand out work: set FIRM_CELERY_BROKER_URL (docs/machines.md)", USAGE)
    worker = (
        "-A",
        "pipelines.celery_app",
        "worker",
        "-n",
        f"{name}@%h",
        "-c",
        str(at_once),
        "--loglevel=WARNING",
    )
    _beside("celery", *worker, "-Q", "dagster", "--without-gossip", "--without-mingle")


def _beside(program: str, *arguments: str) -> NoReturn:
    """Becomes a program that is installed beside this one, with our settings."""
    with explained(SettingError, code=USAGE):
        settings = Settings.read(environment())
    settings.dagster_storage.mkdir(parents=True, exist_ok=True)
    given = {
        **os.environ,
        **environment(),
        **settings.dagster_environment,
        "FIRM_DATA": str(settings.data.resolve()),
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    os.chdir(PROJECT)
    path = Path(sys.executable).parent / program
    os.execve(path, [str(path), *arguments], given)  # noqa: S606 - our own words
