"""`firm prune`: lists old bodies and rows that no later step needs, and deletes them with --yes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firm.bootstrap import read_environment
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table
from pipelines.settings import IngestSettings, PipelineSettingError
from warehouse.replication.errors import ReplicationError
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from pipelines.maintenance.retention import ExpiredData, RetentionLimits


def prune(
    markets: Annotated[list[str] | None, typer.Argument(help="Market codes, as no uk; default: all.")] = None,
    raw_days: Annotated[
        int | None, typer.Option(min=1, help="Prune bodies in RAW fetched at least this many days ago.")
    ] = None,
    staged_days: Annotated[
        int | None, typer.Option(min=1, help="Prune rows in STAGED this old if all their bodies are pruned.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete; without it, files are only listed.")] = False,
    as_json: Json = False,
) -> None:
    """List or delete RAW/STAGED files that are no longer needed. Exit code: 0 done, 1 error.

    A market with pruned rows cannot be rebuilt any more (firm rebuild).
    """
    from pipelines.ingest.run import UnknownMarketError
    from pipelines.maintenance.retention import RetentionLimits

    if staged_days is not None and (raw_days is None or raw_days > staged_days):
        fail("rows are pruned after their bodies: also give --raw-days, not above --staged-days", USAGE)
    with exit_on_error(PipelineSettingError, code=USAGE):
        settings = IngestSettings.read(read_environment())
    limits = RetentionLimits(_days_to_timedelta(raw_days), _days_to_timedelta(staged_days))
    with exit_on_error(UnknownMarketError, code=USAGE), exit_on_error(AlreadyLockedError, ReplicationError, OSError):
        found = list(_find_expired(settings, markets or [], limits, yes=yes))
    if as_json:
        typer.echo(json.dumps({"removed": yes, "datasets": [_expired_json(one) for one in found]}))
        return
    print_table(
        ("dataset", "bodies", "batches of rows", "leftovers of killed runs", "bytes"),
        [
            (one.dataset, str(len(one.bodies)), str(len(one.batches)), str(len(one.leftovers)), f"{one.bytes:,}")
            for one in found
        ],
    )
    total = f"{sum(one.bytes for one in found):,} bytes"
    typer.echo(f"removed {total}" if yes else f"{total} can be removed; add --yes to delete")


def _find_expired(
    settings: IngestSettings, markets: list[str], limits: RetentionLimits, *, yes: bool
) -> Iterator[ExpiredData]:
    """Yields prunable data market by market under its lock, deleted before it is yielded with `yes`."""
    import connectors
    from pipelines.ingest.run import chosen_markets
    from pipelines.maintenance import retention
    from pipelines.runtime import crash_recovery
    from pipelines.workspace import Workspace

    workspace = Workspace(settings, connectors.JURISDICTIONS)
    for made in chosen_markets(markets, connectors.JURISDICTIONS):
        with workspace.market_lease.hold_lease(made.code):
            for one in retention.find_expired(workspace, made, limits, workspace.clock()):
                if yes:
                    retention.remove_expired(workspace, one)
                yield one
            if yes:
                crash_recovery.discard_partial_rebuild(workspace.layout, made.code)


def _days_to_timedelta(days: int | None) -> timedelta | None:
    return None if days is None else timedelta(days=days)


def _expired_json(one: ExpiredData) -> dict[str, Any]:
    return {
        "dataset": one.dataset,
        "bodies": len(one.bodies),
        "batches": [index.batch for index, _ in one.batches],
        "leftovers": len(one.leftovers),
        "bytes": one.bytes,
    }
