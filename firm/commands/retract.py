"""`firm retract`: takes a wrong batch out of history, ledger and release (docs/operating.md, «Retracting a batch»)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table, progress_printer
from firm.environment import read_ingest_settings
from warehouse.replication.errors import ReplicationError
from warehouse.staged.store import StagedIndex, StagedStore
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from connectors.contract.dataset import Dataset
    from pipelines.maintenance.retract import RetractionResult

_LISTED: Final = 10


def retract(
    batches: Annotated[
        list[str] | None, typer.Argument(help="Batches, as 20261121T080455123Z; --list shows them.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this market (no) or dataset (no.enheter). Repeatable.")
    ] = None,
    by: Annotated[str, typer.Option(help="Who decides; stored.")] = "",
    reason: Annotated[str, typer.Option(help="Reason; stored. No names of persons.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Only list the newest batches of each dataset.")] = False,
    as_json: Json = False,
) -> None:
    """Take batches out of history and release, as if they had not been ingested; nothing is deleted.

    Published events stay; what changes becomes events of its own. Exit code: 0 done, 1 error.
    """
    from pipelines.maintenance import retract as pipelines_retract
    from pipelines.maintenance.replay import MissingStagedRowsError
    from pipelines.maintenance.retract import RetractionError, RetractionRequest
    from pipelines.steps.schema_validation import SchemaViolationError

    settings = read_ingest_settings()
    names = tuple(name.lower() for name in only or ())
    if show:
        if batches:
            fail("--list shows the newest batches: give it without one (--only narrows it)", USAGE)
        _print_batches(settings.layout, names, as_json=as_json)
        return
    if not batches:
        fail("name the batches to retract: firm retract --list shows them", USAGE)
    if not dry_run and not (by and reason):
        fail("give --by and --reason: both are stored with the retraction (--dry-run needs neither)", USAGE)
    request = RetractionRequest(tuple(dict.fromkeys(batches)), names, by, reason, dry_run)
    with exit_on_error(
        RetractionError, MissingStagedRowsError, SchemaViolationError, AlreadyLockedError, ReplicationError, OSError
    ):
        done = pipelines_retract.retract(settings, request, progress_printer(quiet=as_json))
    if as_json:
        typer.echo(json.dumps({"retracted": not dry_run, "markets": [_result_json(one) for one in done]}))
        return
    for one in done:
        _print_result(one)
    typer.echo(_closing_line(done, dry_run=dry_run))


def _result_json(one: RetractionResult) -> dict[str, Any]:
    rows = {
        name: dict(zip(("added", "removed", "changed"), found, strict=True)) for name, found in one.changes.rows.items()
    }
    return {
        "market": one.market,
        "batches": one.batches,
        "staged_rows": dict(one.staged_rows),
        "companies": one.changes.companies,
        "lost": one.changes.lost,
        "rows": rows,
        "events": dict(one.changes.events),
        "release": one.release,
    }


def _print_result(one: RetractionResult) -> None:
    rows = [(name, *(f"{count:,}" for count in found)) for name, found in one.changes.rows.items()]
    print_table(("table", "added", "removed", "changed"), rows, f"{one.market}: {', '.join(one.batches)}")
    staged = ", ".join(f"{name} {count:,}" for name, count in one.staged_rows.items())
    typer.echo(f"staged rows of the batch: {staged}; companies concerned: {one.changes.companies:,}")
    if one.changes.lost:
        shown = ", ".join(one.changes.lost[:5])
        typer.echo(f"companies that are known from the batch alone and disappear: {len(one.changes.lost)} ({shown})")
    typer.echo(f"events: {_counts_text(one.changes.events)}")


def _closing_line(done: list[RetractionResult], *, dry_run: bool) -> str:
    if dry_run:
        return "nothing was changed: without --dry-run the batch is retracted"
    release = next((one.release for one in done if one.release is not None), None)
    return "retracted; nothing had to be published" if release is None else f"retracted; release {release} published"


def _counts_text(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "none"


def _print_batches(layout: Layout, only: tuple[str, ...], *, as_json: bool) -> None:
    found = list(_batch_rows(layout, _datasets_within(only)))
    if as_json:
        typer.echo(json.dumps({"batches": found}))
        return
    print_table(
        ("dataset", "batch", "newest data", "rows", "state"),
        [(one["dataset"], one["batch"], one["observed_at"] or "", f"{one['rows']:,}", one["state"]) for one in found],
    )


def _datasets_within(only: tuple[str, ...]) -> list[Dataset]:
    """The datasets of these markets and keys, or all; exits with a usage error at a name that is neither."""
    from connectors import JURISDICTIONS
    from pipelines.maintenance.retract import RetractionError, datasets_within

    try:
        return datasets_within(JURISDICTIONS, only)
    except RetractionError as error:
        fail(str(error), USAGE)


def _batch_rows(layout: Layout, datasets: Iterable[Dataset]) -> Iterator[dict[str, Any]]:
    """The newest batches of each dataset, and all that are retracted."""
    staged = StagedStore(layout)
    for dataset in datasets:
        retracted = {batch: one for one in staged.retractions(dataset.key) for batch in one.batches}
        stored = staged.all_batches(dataset.key)
        for batch in stored:
            index = staged.index(dataset.key, batch)
            if index is not None and (batch in retracted or batch in stored[-_LISTED:]):
                one = retracted.get(batch)
                state = (
                    _state(index) if one is None else f"retracted {one.at:%Y-%m-%d %H:%M} UTC by {one.by}: {one.reason}"
                )
                newest = max((edition["observed_at"] for edition in index.editions), default=None)
                yield {
                    "dataset": dataset.key,
                    "batch": batch,
                    "observed_at": newest,
                    "rows": sum(index.tables.values()),
                    "state": state,
                }


def _state(index: StagedIndex) -> str:
    return "in use" if index.held is None else f"quarantined by {index.held.guard}"
