"""`firm prune`: lists old bodies and rows that no later step needs, and deletes them with --yes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firm.compose import environment
from firm.failures import USAGE, explained, fail
from firm.printing import table
from pipelines.settings import SettingError, Settings
from warehouse.locks import Locked
from warehouse.remote.failures import RemoteFailed

if TYPE_CHECKING:
    from pipelines.pruning import Limits, Spare


def prune(
    markets: Annotated[list[str] | None, typer.Argument(help="Market codes, as no uk; default: all.")] = None,
    raw_days: Annotated[
        int | None,
        typer.Option(min=1, help="Prune bodies in RAW fetched at least this many days ago."),
    ] = None,
    staged_days: Annotated[
        int | None,
        typer.Option(min=1, help="Prune rows in STAGED this old if all their bodies are pruned."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete; without it, files are only listed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List or delete RAW/STAGED files that are no longer needed. Exit code: 0 done, 1 error.

    A market with pruned rows cannot be rebuilt any more (firm rebuild).
    """
    from pipelines.pruning import Limits
    from pipelines.run import UnknownMarket

    if staged_days is not None and (raw_days is None or raw_days > staged_days):
        fail(
            "rows are pruned after their bodies: also give --raw-days, not above --staged-days",
            USAGE,
        )
    with explained(SettingError, code=USAGE):
        settings = Settings.read(environment())
    limits = Limits(_days(raw_days), _days(staged_days))
    with explained(UnknownMarket, code=USAGE), explained(Locked, RemoteFailed, OSError):
        found = list(_found(settings, markets or [], limits, yes=yes))
    if as_json:
        typer.echo(json.dumps({"removed": yes, "datasets": [_entry(one) for one in found]}))
        return
    table(
        ("dataset", "bodies", "batches of rows", "leftovers of killed runs", "bytes"),
        [
            (
                one.dataset,
                str(len(one.bodies)),
                str(len(one.batches)),
                str(len(one.leftovers)),
                f"{one.bytes:,}",
            )
            for one in found
        ],
    )
    total = f"{sum(one.bytes for one in found):,} bytes"
    typer.echo(f"removed {total}" if yes else f"{total} can be removed; add --yes to delete")


def _found(settings: Settings, markets: list[str], limits: Limits, *, yes: bool) -> Iterator[Spare]:
    """Yields prunable data market by market under its lock, deleted before it is yielded with `yes`."""
    import connectors
    from pipelines import healing, pruning
    from pipelines.resources import Workspace
    from pipelines.run import chosen_markets

    workspace = Workspace(settings, connectors.JURISDICTIONS)
    for made in chosen_markets(markets, connectors.JURISDICTIONS):
        with workspace.custody.held(made.code):
            for one in pruning.spare(workspace, made, limits, workspace.clock()):
                if yes:
                    pruning.remove(workspace, one)
                yield one
            if yes:
                healing.discard_rebuilt(workspace.layout, made.code)


def _days(days: int | None) -> timedelta | None:
    return None if days is None else timedelta(days=days)


def _entry(one: Spare) -> dict[str, Any]:
    return {
        "dataset": one.dataset,
        "bodies": len(one.bodies),
        "batches": [index.batch for index, _ in one.batches],
        "leftovers": len(one.leftovers),
        "bytes": one.bytes,
    }
