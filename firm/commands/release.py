"""`firm release …` and `firm export`: published releases (list, verify, roll back, share), and bulk files of one.

See docs/bulk.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from firm.bootstrap import Installation
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table
from firm.environment import read_ingest_settings
from firm.market_codes import known_markets
from warehouse.exports.exports import (
    FORMATS,
    ExportProgress,
    ExportStore,
    MarketExport,
    MarketNotInReleaseError,
    NoReleaseError,
    ignore_progress,
)
from warehouse.publish.publisher import InvalidReleaseError, ReleaseStore
from warehouse.release import manifest as release_manifest
from warehouse.replication.errors import ReplicationError
from warehouse.settings.errors import SettingError
from warehouse.storage.locks import AlreadyLockedError, release_lock

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings
    from warehouse.replication.releases import ReplicatedReleases


class ExportFormat(StrEnum):
    """Output file formats."""

    PARQUET = "parquet"
    NDJSON = "ndjson"
    CSV = "csv"
    BODS = "bods"
    BOTH = "both"
    ALL = "all"

    @property
    def formats(self) -> tuple[str, ...]:
        """The file formats that are meant."""
        if self is ExportFormat.ALL:
            return FORMATS
        return ("parquet", "ndjson") if self is ExportFormat.BOTH else (self.value,)


def export(
    markets: Annotated[
        list[str] | None, typer.Argument(help="Market codes, as no uk; default: all of the release.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="Target folder; default FIRM_DATA/exports.")] = None,
    form: Annotated[
        ExportFormat | None,
        typer.Option(
            "--format",
            help="Default: FIRM_EXPORT_FORMATS. Parquet is compressed with zstd, the others with gzip; both: Parquet "
            "and NDJSON.",
        ),
    ] = None,
    iceberg: Annotated[
        str | None,
        typer.Option("--iceberg", metavar="FOLDER", help="Keep Apache Iceberg tables in this folder or s3:// address."),
    ] = None,
    postgres: Annotated[
        str | None, typer.Option("--postgres", metavar="URL", help="Keep tables in schema firmdata of this database.")
    ] = None,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Write Iceberg or PostgreSQL tables in full, without earlier snapshots.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Export the current release: files per market, or tables that are kept up to date elsewhere.

    Files are written to FOLDER/MARKET/RELEASE; FOLDER/MARKET/latest.json names the newest. With --iceberg or
    --postgres, tables of all markets are merged by key, once per release (docs/lakehouse.md). Exit code: 0 done, 1
    error.
    """
    if iceberg is not None or postgres is not None or rewrite:
        if markets or to or form is not None or (iceberg is None) == (postgres is None):
            fail("--iceberg or --postgres, one of them, takes no markets, --to or --format; --rewrite needs one", USAGE)
        from firm.commands import merged_exports

        merged_exports.export_tables(read_ingest_settings(), iceberg, postgres, rewrite=rewrite, as_json=as_json)
        return
    settings = read_ingest_settings()
    exports = ExportStore(
        settings.layout,
        keep=settings.keep_exports,
        keep_deltas=settings.keep_deltas,
        folder=to.resolve() if to else None,
    )
    with (
        exit_on_error(NoReleaseError, MarketNotInReleaseError, InvalidReleaseError, AlreadyLockedError, OSError),
        _progress_printer(quiet=as_json) as told,
    ):
        made = list(
            exports.write(
                known_markets(markets or []), form.formats if form is not None else settings.export_formats, told
            )
        )
    if to is None:
        _replicate_exports(settings, made)
    if as_json:
        typer.echo(json.dumps({"exports": [{"folder": str(one.folder), **one.manifest} for one in made]}))
    else:
        _print_exports(made)


def _replicate_exports(settings: IngestSettings, made: list[MarketExport]) -> None:
    """Uploads exports to the object store, if one is set; exports to a given folder are not shared."""
    if settings.object_store is None:
        return
    from warehouse.replication import exports

    with exit_on_error(ReplicationError):
        shared = exports.replicated_exports(
            settings.layout.exports_folder, settings.object_store, settings.keep_exports, settings.keep_deltas
        )
        for one in made:
            shared.send(one.market)


@contextmanager
def _progress_printer(*, quiet: bool) -> Iterator[ExportProgress]:
    """Progress on standard error: a live counter on a terminal, else one line per table."""
    if quiet:
        yield ignore_progress
    elif sys.stderr.isatty():
        with Console(stderr=True).status("…") as status:
            yield lambda market, name, rows: status.update(f"{market} {name}: {rows:,} rows")
    else:
        seen: set[tuple[str, str]] = set()

        def told(market: str, name: str, rows: int) -> None:
            del rows
            if (market, name) not in seen:
                seen.add((market, name))
                typer.echo(f"{market}: {name}", err=True)

        yield told


def _print_exports(exports: list[MarketExport]) -> None:
    rows = [
        (one.market, entry["name"], f"{entry['rows']:,}", f"{entry['bytes']:,}", entry["sha256"][:16])
        for one in exports
        for entry in one.manifest["files"]
    ]
    print_table(("market", "file", "rows", "bytes", "sha256"), rows)
    for one in exports:
        state = "" if one.manifest["state"] == "fresh" else ", quarantined: last good state"
        was = "written" if one.is_new else "already existed"
        typer.echo(
            f"{one.market}: release {one.manifest['release']}{state}, events up to "
            f"{one.manifest['as_of_sequence']}; {one.folder} {was}"
        )
        if one.delta is not None:
            typer.echo(f"{one.market}: what changed since the export before it: {one.delta}")


release = typer.Typer(no_args_is_help=True, help="Published releases.")


def _read_settings() -> IngestSettings:
    """Reads all settings, so that errors in the service's are reported too."""
    from pipelines.settings import IngestSettings

    return IngestSettings.read(Installation.read().environment)


def _open_releases() -> ReleaseStore:
    """Releases of this machine, shared with others if an object store is set."""
    settings = _read_settings()
    sharing = None if settings.object_store is None else _replicated_releases(settings)
    return ReleaseStore(settings.layout, lambda: datetime.now(UTC), settings.keep_releases, replication=sharing)


def _replicated_releases(settings: IngestSettings) -> ReplicatedReleases:
    from warehouse.replication import releases

    if settings.object_store is None:
        fail("no object store is configured: set FIRM_OBJECT_STORE=s3://bucket/prefix", USAGE)
    return releases.replicated_releases(
        settings.layout, settings.object_store, settings.keep_releases, settings.claim_seconds, settings.lease_url
    )


@contextmanager
def _exit_on_release_errors() -> Iterator[None]:
    """Turns expected errors into CLI errors."""
    with exit_on_error(SettingError, ReplicationError, AlreadyLockedError, InvalidReleaseError):
        yield


@release.command("list")
def list_releases() -> None:
    """List releases on this machine, newest first; the current one is marked."""
    with _exit_on_release_errors():
        releases = _open_releases()
        current = releases.current_manifest()
    rows = [
        (
            f"{manifest.release}{' *' if current and manifest.release == current.release else ''}",
            f"{manifest.built_at:%Y-%m-%d %H:%M:%S}Z",
            " ".join(f"{code}:{state.state}" for code, state in sorted(manifest.markets.items())),
            str(manifest.last),
            manifest.content_fingerprint[:16],
        )
        for manifest in sorted(releases.list_releases(), key=lambda manifest: -manifest.release)
    ]
    if not rows:
        fail("nothing has been published yet; run: firm ingest --sandbox")
    print_table(("release", "built", "markets", "last event", "content"), rows)


@release.command("verify")
def verify_release(
    number: Annotated[int | None, typer.Argument(help="Release; the current one by default.")] = None,
) -> None:
    """Verify a release: row counts, unique keys, fingerprints."""
    with _exit_on_release_errors():
        releases = _open_releases()
        current = releases.current_manifest()
        chosen = number if number is not None else current.release if current else None
        if chosen is None:
            fail("nothing has been published yet")
        releases.verify_release(chosen)
    typer.echo(f"release {chosen} is valid")


@release.command()
def rollback(number: Annotated[int, typer.Argument(help="Release with the content to serve again.")]) -> None:
    """Publish the content of an older release under a new number. Events are never taken back."""
    with _exit_on_release_errors(), exit_on_error(LookupError):
        made = _open_releases().rollback(number)
    typer.echo(f"release {made.release} now serves the content of {number}")


@release.command()
def push() -> None:
    """Upload the current release to the object store again; ingests upload each release they publish."""
    with _exit_on_release_errors():
        settings = _read_settings()
        shared = _replicated_releases(settings)
        with release_lock(settings.layout), shared.hold_release_lock():
            served = release_manifest.served_manifest(settings.layout)
            if served is None:
                fail("nothing has been published yet; run: firm ingest --sandbox")
            shared.send_again(served)
    typer.echo(f"release {served.release} is the newest at {settings.object_store}")


@release.command()
def pull() -> None:
    """Fetch the newest release from the object store, as firm serve and firm deliver do automatically."""
    with _exit_on_release_errors():
        settings = _read_settings()
        shared = _replicated_releases(settings)
        with release_lock(settings.layout):
            number = shared.fetch()
        if not shared.has_release:
            fail(
                f"{settings.object_store} has no release: check FIRM_OBJECT_STORE, or run firm ingest or firm release "
                "push where the data is"
            )
    typer.echo("no newer release" if number is None else f"fetched release {number}")
