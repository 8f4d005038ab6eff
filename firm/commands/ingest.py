"""`firm ingest`: runs the Dagster job of the chosen markets and prints what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firm import erasure
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_line, print_table, progress_printer
from firm.demo.settings import read_sandbox_url
from firm.doctor.setting_names import warn_of_misspelt_settings
from firm.environment import read_ingest_settings
from firm.instants import instant_option
from firm.quarantine_advice import quarantine_advice
from pipelines.reporting.report import IngestReport
from pipelines.runtime.counted_words import counted
from pipelines.sources.folder import FolderError
from pipelines.sources.source import FolderSource, IngestSource, LiveSource
from pipelines.steps.future_instants import FUTURE_GUARD, FUTURE_SLACK
from pipelines.steps.quarantine import FETCH_GUARD
from warehouse.replication.errors import ReplicationError
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from pipelines.ingest.market_workers import MarketWorkers
    from pipelines.settings import IngestSettings

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
    at: Annotated[datetime | None, instant_option("Logical time of the run; default: now.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--dataset", help="Ingest this dataset alone, as uk.fca; the others stay. Repeatable."),
    ] = None,
    accept_shrink: Annotated[
        list[str] | None, typer.Option(help="Accept this dataset against its guards, this run only. Repeatable.")
    ] = None,
    at_once: Annotated[
        int, typer.Option(min=1, max=64, help="Markets ingested in parallel (not with --live), in as many processes.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Ingest markets and publish a release.

    Exit code: 0 done, 1 error, 3 something quarantined, 4 nothing published.

    4 also if none of the input files could be read; one unreadable file among readable ones is only reported.
    Files dated in the future are quarantined: they are not read, and the report names them.
    """
    if sum((live, sandbox, folder is not None)) != 1:
        fail("choose one of --live, --sandbox and --from FOLDER", USAGE)
    if at_once > 1 and live:
        fail("--at-once is not for --live: live registries are fetched by one process, for their rate limits", USAGE)
    settings = read_ingest_settings()
    warn_of_misspelt_settings()
    _require_datasets("--accept-shrink", accept_shrink or [])
    _require_datasets("--dataset", only or [])
    _check_future_time(at, is_live=live)
    markets, groups = _split_markets(markets or [], folder)
    chosen = _select_markets(_markets_of_datasets(markets, only or []), sandbox, folder, groups)
    folder_source = _folder_source(folder, groups, own=bool(markets))
    with exit_on_error(FolderError):
        _require_files(folder_source, chosen)
    with (
        exit_on_error(OSError),
        market_workers(min(at_once, len(chosen))) as workers,
        _open_source(settings, folder_source, live) as (origin, its_instant),
    ):
        report = run_ingest(
            settings,
            chosen,
            origin,
            at or its_instant,
            accept_shrink=accept_shrink or (),
            datasets=only or (),
            workers=workers,
            quiet=as_json,
        )
        erasure.finish_erasures(settings.layout)  # subjects withdrawn by registers
        if as_json:
            typer.echo(json.dumps(report.as_json()))
            print_problems(report, settings.layout)
        else:
            print_report(report, settings.layout)
        if report.exit_code:  # inside the block, so that the sandbox stays on its day
            raise typer.Exit(report.exit_code)


def market_workers(count: int) -> AbstractContextManager[MarketWorkers | None]:
    """Processes for so many markets that are ingested in parallel; none for one at a time."""
    if count <= 1:
        return nullcontext()
    from pipelines.ingest.market_workers import MarketWorkers

    return MarketWorkers(count)


def _require_datasets(option: str, keys: list[str]) -> None:
    """Refuses datasets that no market declares: to name them would have no effect."""
    from connectors import JURISDICTIONS

    known = {dataset.key for made in JURISDICTIONS for dataset in made.datasets}
    if unknown := [key for key in keys if key not in known]:
        fail(f"{option}: {unknown[0]} is no dataset; docs/sources.md lists them, as no.enheter", USAGE)


def _markets_of_datasets(markets: list[str], only: list[str]) -> list[str]:
    """The markets named or, without any, those of the named datasets; all of these must be of a named market."""
    owners = list(dict.fromkeys(key.partition(".")[0] for key in only))
    named = {market.lower() for market in markets}
    if named and (stray := [key for key in only if key.partition(".")[0] not in named]):
        fail(f"--dataset: {stray[0]} belongs to none of the markets {', '.join(markets)}", USAGE)
    return markets or owners


def _check_future_time(at: datetime | None, *, is_live: bool) -> None:
    """Refuses a time of a live run that has not come yet; of a folder it may be simulated, which is said."""
    now = datetime.now(UTC)
    if at is None or at <= now + FUTURE_SLACK:
        return
    later = f"--at {at:%Y-%m-%dT%H:%M:%SZ} is later than now ({now:%Y-%m-%dT%H:%M:%SZ})"
    if is_live:
        fail(f"{later}: what registries answer is known since now; leave --at out, or correct it", USAGE)
    typer.echo(f"{later}: files of a genuine time will be late-arriving after this run", err=True)


def _require_files(source: FolderSource | None, markets: list[str]) -> None:
    """Refuses a folder without any file of the chosen markets and source groups. Raises FolderError."""
    from connectors import JURISDICTIONS

    chosen = markets or [made.code for made in JURISDICTIONS]
    if source is not None and not source.has_files(chosen):
        names = ", ".join(source.folder_names(chosen))
        fail(
            f"{source.directory} has no files in {names}; --from takes a folder laid out <cc>/<dataset>/…, or one "
            "with such folders by day, named YYYY-MM-DD",
            USAGE,
        )


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
    from pipelines.workspace import UnknownMarketError, chosen_markets

    with exit_on_error(UnknownMarketError, code=USAGE):
        known = chosen_markets(markets, connectors.JURISDICTIONS)
    if markets:
        return markets
    if sandbox:
        from firm.demo.sandbox_origin import played_markets

        return list(played_markets())
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

        if base := read_sandbox_url():
            instant = sandbox_origin.sandbox_instant(base)
            with sandbox_origin.sandbox_source(base, settings) as origin:
                yield origin, instant
            return
        with sandbox_origin.embedded_sandbox(settings) as played:
            yield played


def run_ingest(
    settings: IngestSettings,
    markets: list[str],
    origin: IngestSource,
    at: datetime | None,
    *,
    accept_shrink: Sequence[str] = (),
    datasets: Sequence[str] = (),
    workers: MarketWorkers | None = None,
    quiet: bool = False,
) -> IngestReport:
    """Runs one ingest with progress on standard error; `at` None: now."""
    from pipelines.ingest.resource_errors import RunInterruptedError
    from pipelines.ingest.run import IngestOverrides
    from pipelines.ingest.run import ingest as pipelines_ingest
    from pipelines.maintenance.replay import MissingStagedRowsError
    from pipelines.steps.schema_validation import SchemaViolationError
    from warehouse.release.manifest import InvalidReleaseError

    overrides = IngestOverrides(accept_shrink=tuple(accept_shrink), datasets=tuple(datasets), workers=workers)
    with exit_on_error(
        AlreadyLockedError,
        InvalidReleaseError,
        ValueError,
        ReplicationError,
        RunInterruptedError,
        MissingStagedRowsError,
        SchemaViolationError,
    ):
        return pipelines_ingest(settings, markets, origin, at, progress_printer(quiet=quiet), overrides)


def print_report(report: IngestReport, layout: Layout) -> None:
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
    print_problems(report, layout)
    for line in reconciliation_lines(report):
        typer.echo(line)
    events = ", ".join(f"{kind} {count}" for kind, count in sorted(report.events.items())) or "none"
    typer.echo(f"events: {events}; signals: {report.signals}")
    typer.echo(_closing_line(report))


def reconciliation_lines(report: IngestReport) -> Iterator[str]:
    """A line per market and count: what its release cannot account for, 0 included, with examples of statuses."""
    for market, found in sorted(report.reconciliations.items()):
        yield _counted_line(market, ("staged row links", "staged rows link"), "to no company", found.unlinked_rows)
        yield _counted_line(
            market, ("record names", "records name"), "another subject under an unchanged id", found.changed_subjects
        )
        rules = found.rules_without_data
        read = counted(len(rules), "rule reads", "rules read")
        decide = "decides" if len(rules) == 1 else "decide"
        yield f"{market}: {read} absence in datasets that were never loaded, and {decide} nothing"
        for rule in rules:
            yield f"  {rule.rule} reads {', '.join(rule.datasets)}: {counted(rule.undecided, 'row')} undecided"
        companies = counted(found.unexplained_companies, "company", "companies")
        yield f"{market}: {companies} with a status that their registry status does not mean, unexplained"
        for one in found.unexplained_statuses:
            examples = f", as {', '.join(one.examples)}" if one.examples else ""
            yield f"  {one.registry_status!r} means {one.meaning}, served {one.served}: {one.companies:,}{examples}"


def _counted_line(market: str, words: tuple[str, str], what: str, counts: Mapping[str, int]) -> str:
    """`words`: what is counted with its verb, of one and of several."""
    listed = ", ".join(f"{dataset} {count:,}" for dataset, count in sorted(counts.items()) if count)
    return f"{market}: {counted(sum(counts.values()), *words)} {what}" + (f": {listed}" if listed else "")


def _closing_line(report: IngestReport) -> str:
    if report.release is not None:
        return f"release {report.release} published"
    return "no new release" if report.exit_code else "no changes, no new release"


def print_problems(report: IngestReport, layout: Layout) -> None:
    """Prints quarantined datasets, late-arriving files and errors to standard error: the reasons for the exit code."""
    for held in report.held:
        if held.guard == FUTURE_GUARD:
            print_line(f"QUARANTINED {held.dataset}: {held.guard}: {held.seen}")
            continue
        allowed = "" if held.allowed is None else f", allowed {held.allowed}"
        print_line(
            f"QUARANTINED {held.dataset}: {held.guard}: found {held.seen}{allowed}; its last good state is served"
        )
        advice = None if held.guard == FETCH_GUARD else quarantine_advice(layout, held.dataset)
        if advice is not None:
            print_line(advice)
    if report.is_illegible:
        files = counted(report.unreadable or len(report.files), "file")
        print_line(
            f"UNREADABLE: no input file could be read ({files}; reasons above "
            "or in --json); the published release is unchanged"
        )
    for dataset, count in sorted(report.late.items()):
        print_line(
            f"LATE {dataset}: {counted(count, 'file is', 'files are')} older than what was ingested before: what comes "
            "late fills gaps and announces no new filings or news; if this is a mistake, see `firm doctor`"
        )
    for error in report.errors:
        print_line(f"ERROR {error.market}: {error.message}")
