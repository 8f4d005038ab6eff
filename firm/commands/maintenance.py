"""`firm prune` and `firm rebuild`: delete what no later step needs, and derive histories from staged data again.

See docs/operating.md, «Upgrading».
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table, progress_printer
from firm.environment import read_ingest_settings
from pipelines.runtime.counted_words import counted
from warehouse.replication.errors import ReplicationError
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from pipelines.maintenance.rebuild import RebuildResult
    from pipelines.maintenance.retention import ExpiredData, RetentionLimits
    from pipelines.settings import IngestSettings


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
    from pipelines.maintenance.retention import RetentionLimits
    from pipelines.workspace import UnknownMarketError

    if staged_days is not None and (raw_days is None or raw_days > staged_days):
        fail("rows are pruned after their bodies: also give --raw-days, not above --staged-days", USAGE)
    settings = read_ingest_settings()
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
    from pipelines.maintenance import retention
    from pipelines.runtime import crash_recovery
    from pipelines.workspace import Workspace, chosen_markets

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
    from pipelines.maintenance import rebuild as pipelines_rebuild
    from pipelines.maintenance.rebuild import LostCompaniesError, NoHistoryError, RebuildOptions
    from pipelines.maintenance.replay import MissingStagedRowsError
    from pipelines.steps.schema_validation import SchemaViolationError
    from pipelines.workspace import UnknownMarketError

    settings = read_ingest_settings()
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
        done = pipelines_rebuild.rebuild(settings, markets or [], wishes, progress_printer(quiet=as_json))
    if as_json:
        typer.echo(json.dumps({"rebuilt": [asdict(one) for one in done]}))
        return
    for one in done:
        _print_result(one)


def _print_result(one: RebuildResult) -> None:
    rows = [(name, f"{former:,}", f"{made:,}") for name, (former, made) in one.rows.items()]
    print_table(
        ("table", "rows before", "rows after"), rows, f"{one.market}: {counted(one.batches, 'batch', 'batches')}"
    )
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
