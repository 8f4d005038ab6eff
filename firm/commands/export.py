"""`firm export`: bulk export of markets as Parquet and NDJSON with a manifest (docs/bulk.md)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from firm.bootstrap import read_environment
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table
from pipelines.settings import IngestSettings, PipelineSettingError
from warehouse.exports.exports import (
    FORMATS,
    ExportProgress,
    ExportStore,
    InvalidReleaseError,
    MarketExport,
    MarketNotInReleaseError,
    NoReleaseError,
    ignore_progress,
)
from warehouse.replication.errors import ReplicationError
from warehouse.schema.codes import SERVED
from warehouse.storage.locks import AlreadyLockedError


class ExportFormat(StrEnum):
    """Output file formats."""

    PARQUET = "parquet"
    NDJSON = "ndjson"
    BOTH = "both"


def export(
    markets: Annotated[
        list[str] | None, typer.Argument(help="Market codes, as no uk; default: all of the release.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="Target folder; default FIRM_DATA/exports.")] = None,
    form: Annotated[
        ExportFormat, typer.Option("--format", help="NDJSON is compressed with gzip, Parquet with zstd.")
    ] = ExportFormat.BOTH,
    as_json: Json = False,
) -> None:
    """Export companies, details, financials, ownership and events of the current release, per market.

    Files are written to FOLDER/MARKET/RELEASE; FOLDER/MARKET/latest.json names the newest. Exit code: 0 done, 1
    error.
    """
    with exit_on_error(PipelineSettingError):
        settings = IngestSettings.read(read_environment())
    formats = FORMATS if form is ExportFormat.BOTH else (form.value,)
    exports = ExportStore(settings.layout, keep=settings.keep_exports, folder=to.resolve() if to else None)
    with (
        exit_on_error(NoReleaseError, MarketNotInReleaseError, InvalidReleaseError, AlreadyLockedError, OSError),
        _progress_printer(quiet=as_json) as told,
    ):
        made = list(exports.write(_known_markets(markets or []), formats, told))
    if to is None:
        _replicate_exports(settings, made)
    if as_json:
        typer.echo(json.dumps({"exports": [{"folder": str(one.folder), **one.manifest} for one in made]}))
    else:
        _print_exports(made)


def _known_markets(markets: list[str]) -> list[str]:
    """Market codes as spelled in the release; unknown ones are rejected before anything is opened."""
    chosen = [market.upper() for market in markets]
    for market in chosen:
        if market not in SERVED:
            fail(f"unknown market {market.lower()!r}; known: {', '.join(SERVED)}", USAGE)
    return chosen


def _replicate_exports(settings: IngestSettings, made: list[MarketExport]) -> None:
    """Uploads exports to the object store, if one is set; exports to a given folder are not shared."""
    if settings.object_store is None:
        return
    from warehouse.replication import exports

    with exit_on_error(ReplicationError):
        shared = exports.replicated_exports(settings.layout.exports_folder, settings.object_store)
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
