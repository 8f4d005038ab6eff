"""`firm exports`: what bulk exports and deltas this machine has, which `/api/v1/exports` lists to accounts."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from typing import Annotated

import typer

from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error
from firm.console import Json, print_table
from firm.market_codes import known_markets
from warehouse.reader.export_files import ExportFile, list_export_files
from warehouse.settings.errors import SettingError


def list_exports(
    market: Annotated[str | None, typer.Argument(help="Market code, as no; default: all.")] = None,
    as_json: Json = False,
) -> None:
    """List the bulk exports of this machine and the deltas between them, newest first (`firm export` makes them)."""
    markets = known_markets([] if market is None else [market])
    with exit_on_error(SettingError):
        found = list_export_files(Installation.read().layout.exports_folder)
    chosen = [one for one in found if not markets or one.market in markets]
    if as_json:
        typer.echo(json.dumps({"files": [asdict(one) for one in chosen]}))
        return
    folders: dict[tuple[int, str, int], list[ExportFile]] = defaultdict(list)
    for one in chosen:
        folders[-one.release, one.market, one.base_release or 0].append(one)
    rows = [
        (
            files[0].market,
            str(files[0].release),
            str(files[0].base_release or ""),
            files[0].released_at,
            ", ".join(dict.fromkeys(one.format for one in files)),
            f"{sum(one.bytes for one in files):,}",
        )
        for _, files in sorted(folders.items())
    ]
    if not rows:
        typer.echo("no exports yet: run `firm export`" if market is None else f"no exports of {markets[0]} yet")
        return
    print_table(("market", "release", "from release", "released at", "formats", "bytes"), rows)
