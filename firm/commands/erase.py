"""`firm erase`: permanently erases a company or a holder (docs/operating.md, «Erasing»)."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from firm import erasure
from firm.cli_errors import ERROR, USAGE, exit_on_error, fail
from firm.console import Json, print_table, progress_printer
from firm.environment import read_ingest_settings
from warehouse.erasure.tombstones import STEPS, Tombstone, TombstoneStore
from warehouse.replication.errors import ReplicationError
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError


def erase(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(help="Companies (firm:NO:923609016) and holders (own_…); none finishes pending erasures."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Reason, stored with the tombstone. No names.")] = "requested",
    show: Annotated[bool, typer.Option("--list", help="Only list erased subjects.")] = False,
    lift: Annotated[
        bool, typer.Option("--lift", help="Accept records of these erased subjects again, from now on.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove subjects from archive, tables, history, ledger, releases, exports and deliveries, and keep them out.

    Exit code: 0 all done, 1 error or something left to do, which the message names.
    """
    if show:
        if subjects or lift:
            fail("--list shows all erased subjects: give it alone", USAGE)
        settings = read_ingest_settings()
        _print_tombstones(TombstoneStore(settings.layout).all_tombstones(), as_json=as_json)
        return
    if lift:
        _print_tombstones(_lift_erasures(subjects or [], reason), as_json=as_json)
        return
    layout = _run_erasure(subjects or [], reason, quiet=as_json)
    stones = TombstoneStore(layout).list_tombstones()
    _print_tombstones(stones, as_json=as_json)
    if any(not stone.is_finished for stone in stones):
        raise typer.Exit(ERROR)


def _run_erasure(subjects: list[str], reason: str, *, quiet: bool) -> Layout:
    from pipelines.erasure import command as pipelines_erase
    from pipelines.erasure.market import ReleaseInUseError, UnknownSubjectError

    settings = read_ingest_settings()
    still: ReleaseInUseError | None = None
    with exit_on_error(UnknownSubjectError, AlreadyLockedError, ReplicationError):
        try:
            pipelines_erase.erase(settings, subjects, reason, progress_printer(quiet=quiet))
        except ReleaseInUseError as error:
            still = error  # the control plane need not wait for it
    erasure.finish_erasures(settings.layout)
    if still is not None:
        fail(str(still))
    return settings.layout


def _lift_erasures(subjects: list[str], reason: str) -> tuple[Tombstone, ...]:
    from pipelines.erasure import command as pipelines_erase

    if not subjects:
        fail("name the subjects to lift: `firm erase --list` shows erased ones", USAGE)
    with exit_on_error(
        pipelines_erase.NotErasedError, pipelines_erase.UnfinishedErasureError, AlreadyLockedError, ReplicationError
    ):
        return pipelines_erase.lift(read_ingest_settings(), subjects, reason)


def _print_tombstones(stones: tuple[Tombstone, ...], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"erased": [_tombstone_json(stone) for stone in stones]}))
        return
    rows = [(stone.subject, f"{stone.at:%Y-%m-%d %H:%M:%S}Z", stone.reason, _state(stone)) for stone in stones]
    print_table(("subject", "erased", "reason", "pending"), rows)


def _tombstone_json(stone: Tombstone) -> dict[str, object]:
    return {
        "subject": stone.subject,
        "market": stone.market,
        "at": f"{stone.at:%Y-%m-%dT%H:%M:%SZ}",
        "reason": stone.reason,
        "by_register": stone.by_register,
        "left": [step for step in STEPS if step not in stone.done],
        "lifted_at": None if stone.lifted_at is None else f"{stone.lifted_at:%Y-%m-%dT%H:%M:%SZ}",
    }


def _state(stone: Tombstone) -> str:
    if stone.lifted_at is not None:
        return f"lifted {stone.lifted_at:%Y-%m-%d}"
    return " ".join(step for step in STEPS if step not in stone.done) or "all done"
