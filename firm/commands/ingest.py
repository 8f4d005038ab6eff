"""`firm ingest`: runs the Dagster job of the chosen markets and reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from firm import erasure
from firm.bootstrap import read_environment
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings, PipelineSettingError
from pipelines.sources.source import FolderSource, IngestSource, LiveSource
from warehouse.replication.errors import ReplicationError
from warehouse.storage.locks import AlreadyLockedError

_SHOWN = 40


def ingest(
    markets: Annotated[
        list[str] | None,
        typer.Argument(help="Market codes (no uk) and source groups (news). Default: all, or those in the folder."),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Fetch from the live registries.")] = False,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Fetch from the embedded sandbox.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--from", help="Read files laid out <cc>/<dataset>/… instead of fetching.")
    ] = None,
    at: Annotated[datetime | None, typer.Option(help="Logical time of the run, UTC; default: now.")] = None,
    accept_shrink: Annotated[
        list[str] | None, typer.Option(help="Accept this dataset against its guards, this run only. Repeatable.")
    ] = None,
    at_once: Annotated[
        int, typer.Option(min=1, max=64, help="Markets ingested in parallel (with --from only), one process each.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Ingest markets and publish a release.

    Exit code: 0 done, 1 error, 3 something quarantined, 4 nothing published.

    4 also if none of the input files could be read; one unreadable file among readable ones is only reported.
    """
    if sum((live, sandbox, folder is not None)) != 1:
        fail("choose one of --live, --sandbox and --from FOLDER", USAGE)
    if at_once > 1 and folder is None:
        fail("--at-once needs --from FOLDER: live registries are fetched by one process, for their rate limits", USAGE)
    with exit_on_error(PipelineSettingError, code=USAGE):
        settings = IngestSettings.read(read_environment())
    markets, groups = _split_markets(markets or [], folder)
    chosen = _select_markets(markets, sandbox, folder, groups)
    with (
        exit_on_error(OSError),
        _open_source(settings, _folder_source(folder, groups, own=bool(markets)), live) as (origin, its_instant),
    ):
        asked = IngestRequest(at or its_instant, tuple(accept_shrink or ()), at_once)
        report = run_ingest(settings, chosen, origin, asked, quiet=as_json)
        erasure.finish_erasures(settings.layout)  # subjects withdrawn by registers
        if as_json:
            typer.echo(json.dumps(report.as_json()))
            print_problems(report)
        else:
            print_report(report)
        if report.exit_code:  # inside the block, so that the sandbox stays on its day
            raise typer.Exit(report.exit_code)


def _split_markets(named: list[str], folder: Path | None) -> tuple[list[str], list[str]]:
    """Splits the given names into markets and source groups, which can only be read from a folder."""
    from connectors import GROUPS

    codes = {group.code for group in GROUPS}
    groups = [name.lower() for name in named if name.lower() in codes]
    if groups and folder is None:
        fail(f"{groups[0]} is a group of sources, read from a folder: give --from FOLDER, or name markets", USAGE)
    return [name for name in named if name.lower() not in codes], groups


def _folder_source(folder: Path | None, named: list[str], *, own: bool) -> FolderSource | None:
    """The input folder with the named groups, or with everything it has if no names were given.

    Groups alone mean their folders and not those of the markets.
    """
    from connectors import GROUPS

    if folder is None:
        return None
    if not folder.is_dir():
        fail(f"{folder} is not a folder; --from takes one laid out <cc>/<dataset>/…", USAGE)
    if own and not named:
        return FolderSource(folder)
    groups = tuple(group for group in GROUPS if not named or group.code in named)
    return FolderSource(folder, groups, includes_market_folders=own or not named)


def _select_markets(markets: list[str], sandbox: bool, folder: Path | None, groups: list[str]) -> list[str]:
    """The markets to ingest, validated before any request or process is started.

    None given: all; of the sandbox, those it plays; of a folder, those with files in it, or all if there are
    none, so that every file is listed. A group belongs to every market.
    """
    import connectors
    from pipelines.ingest.run import UnknownMarketError, chosen_markets
    from sandbox import MARKETS

    with exit_on_error(UnknownMarketError, code=USAGE):
        known = chosen_markets(markets, connectors.JURISDICTIONS)
    if markets:
        return markets
    if sandbox:
        return list(MARKETS)
    if groups:
        return [market.code for market in known]
    lying = {path.name.upper() for path in (*folder.glob("*/"), *folder.glob("*/*/"))} if folder else set()
    shared = lying & {group.code.upper() for group in connectors.GROUPS}  # any market may read from it
    return [market.code for market in known if shared or market.code in lying]


@contextmanager
def _open_source(
    settings: IngestSettings, folder: FolderSource | None, live: bool
) -> Iterator[tuple[IngestSource, datetime | None]]:
    """Opens the source, with its simulated time if that is not now."""
    if folder is not None:
        yield folder, None
    elif live:
        from pipelines.sources.live import registry_http

        with registry_http(settings) as http:
            yield LiveSource(http), None
    else:
        from firm.demo import sandbox_origin

        base = read_environment().get("FIRM_SANDBOX_URL")
        if base:
            instant = sandbox_origin.sandbox_instant(base)
            with sandbox_origin.sandbox_source(base, settings) as origin:
                yield origin, instant
            return
        with sandbox_origin.embedded_sandbox(settings) as played:
            yield played


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """Parameters of an ingest; `at` None: now."""

    at: datetime | None = None
    accept_shrink: tuple[str, ...] = ()
    at_once: int = 1


def run_ingest(
    settings: IngestSettings, markets: list[str], origin: IngestSource, asked: IngestRequest, *, quiet: bool = False
) -> IngestReport:
    """Runs one ingest with progress on standard error."""
    from pipelines.ingest.resource_errors import RunInterruptedError
    from pipelines.ingest.run import IngestOverrides
    from pipelines.ingest.run import ingest as pipelines_ingest

    def told(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    at = asked.at
    instant = at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at
    overrides = IngestOverrides(accept_shrink=asked.accept_shrink, at_once=asked.at_once)
    with exit_on_error(AlreadyLockedError, ValueError, ReplicationError, RunInterruptedError):
        return pipelines_ingest(settings, markets, origin, instant, told, overrides)


def print_report(report: IngestReport) -> None:
    """Prints the report: files without rows, datasets, events, quarantined datasets, the release."""
    idle = [file for file in report.files if file.reason is not None and file.reason != "unchanged"]
    if idle:
        rows = [(file.path, file.dataset or "-", file.reason or "") for file in idle[:_SHOWN]]
        print_table(("file", "dataset", "reason"), rows, f"Files without rows: {len(idle)}")
        if len(idle) > _SHOWN:
            typer.echo(f"… and {len(idle) - _SHOWN} more; --json lists them all")
    print_table(
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
    print_problems(report)
    events = ", ".join(f"{kind} {count}" for kind, count in sorted(report.events.items())) or "none"
    typer.echo(f"events: {events}; signals: {report.signals}")
    typer.echo(_closing_line(report))


def _closing_line(report: IngestReport) -> str:
    if report.release is not None:
        return f"release {report.release} published"
    return "no new release" if report.exit_code else "no changes, no new release"


def print_problems(report: IngestReport) -> None:
    """Prints quarantined datasets and errors to standard error: the reasons for the exit code."""
    for held in report.held:
        allowed = "" if held.allowed is None else f", allowed {held.allowed}"
        typer.echo(
            f"QUARANTINED {held.dataset}: {held.guard}: found {held.seen}{allowed}; its last good state is served",
            err=True,
        )
    if report.is_illegible:
        typer.echo(
            f"UNREADABLE: no input file could be read ({report.unreadable} files; reasons above "
            "or in --json); the published release is unchanged",
            err=True,
        )
    for error in report.errors:
        typer.echo(f"ERROR {error.market}: {error.message}", err=True)
