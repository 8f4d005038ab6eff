"""`firm rebuild`: rebuilds histories from staged data and releases them (docs/operating.md, «Upgrading»)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from firm.bootstrap import read_environment
from firm.cli_errors import USAGE, exit_on_error
from firm.console import Json, print_table
from pipelines.settings import IngestSettings, PipelineSettingError
from warehouse.replication.errors import ReplicationError
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from pipelines.maintenance.rebuild import RebuildResult


def rebuild(
    markets: Annotated[
        list[str] | None, typer.Argument(help="Market codes, as no uk; default: all with a history.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only rebuild and compare; the served data is unchanged.")
    ] = False,
    emit: Annotated[
        bool, typer.Option("--emit", help="Publish events that the rebuilt history derives and the ledger lacks.")
    ] = False,
    accept_lost: Annotated[
        bool, typer.Option("--accept-lost", help="Continue although companies that are served would be lost.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Rebuild the history of markets from STAGED, after an upgrade of the shared tables or their rules.

    Ids stay, no event is published twice, and no event at all without --emit. Exit code: 0 done, 1 error.
    """
    from pipelines.ingest.run import UnknownMarketError
    from pipelines.maintenance import rebuild as pipelines_rebuild
    from pipelines.maintenance.rebuild import LostCompaniesError, NoHistoryError, RebuildOptions
    from pipelines.maintenance.replay import MissingStagedRowsError
    from pipelines.steps.schema_validation import SchemaViolationError

    def told(line: str) -> None:
        if not as_json:
            typer.echo(line, err=True)

    with exit_on_error(PipelineSettingError, code=USAGE):
        settings = IngestSettings.read(read_environment())
    wishes = RebuildOptions(check=check, emit=emit, accept_lost=accept_lost)
    with (
        exit_on_error(UnknownMarketError, code=USAGE),
        exit_on_error(
            NoHistoryError,
            LostCompaniesError,
            MissingStagedRowsError,
            SchemaViolationError,
            AlreadyLockedError,
            ReplicationError,
            OSError,
        ),
    ):
        done = pipelines_rebuild.rebuild(settings, markets or [], wishes, told)
    if as_json:
        typer.echo(json.dumps({"rebuilt": [asdict(one) for one in done]}))
        return
    for one in done:
        _print_result(one)


def _print_result(one: RebuildResult) -> None:
    rows = [(name, f"{former:,}", f"{made:,}") for name, (former, made) in one.rows.items()]
    print_table(("table", "rows before", "rows after"), rows, f"{one.market}: {one.batches} batches")
    typer.echo(
        f"events: {one.told} unchanged; not published: {_counts_text(one.untold)}; "
        "published but not derived again: "
        f"{_counts_text(one.missing)}"
    )
    if one.lost:
        typer.echo(f"companies lost: {len(one.lost)} ({', '.join(one.lost[:5])})")
    typer.echo("nothing was replaced" if one.release is None else f"release {one.release} published")


def _counts_text(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "none"
