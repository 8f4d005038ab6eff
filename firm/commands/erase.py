"""`firm erase`: permanently erases a company or a holder (docs/operating.md, «Erasing»)."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from firm import erasures
from firm.compose import environment
from firm.failures import ERROR, explained, fail
from firm.printing import table
from pipelines.settings import SettingError, Settings
from warehouse.locks import Locked
from warehouse.paths import Layout
from warehouse.remote.failures import RemoteFailed
from warehouse.tombstones import STEPS, Tombstone, Tombstones


def erase(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            help="Companies (firm:NO:923609016) and holders (own_…); none finishes pending erasures."
        ),
    ] = None,
    reason: Annotated[str, typer.Option(help="Reason, stored with the tombstone. No names.")] = "requested",
    show: Annotated[bool, typer.Option("--list", help="Only list erased subjects.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Remove subjects from archive, tables, history, ledger, releases, exports and deliveries, and keep them out.

    Exit code: 0 all done, 1 error or something left to do, which the message names.
    """
    if show:
        with explained(SettingError):
            settings = Settings.read(environment())
        _tell(Tombstones(settings.layout).all(), as_json=as_json)
        return
    layout = _erase(subjects or [], reason, quiet=as_json)
    stones = Tombstones(layout).all()
    _tell(stones, as_json=as_json)
    if any(not stone.is_finished for stone in stones):
        raise typer.Exit(ERROR)


def _erase(subjects: list[str], reason: str, *, quiet: bool) -> Layout:
    from pipelines import erase as pipelines_erase
    from pipelines.erasing import StillRead, Unknown

    def told(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    with explained(SettingError):
        settings = Settings.read(environment())
    still: StillRead | None = None
    with explained(Unknown, Locked, RemoteFailed):
        try:
            pipelines_erase.erase(settings, subjects, reason, told)
        except StillRead as error:
            still = error  # the control plane need not wait for it
    erasures.end(settings.layout)
    if still is not None:
        fail(str(still))
    return settings.layout


def _tell(stones: tuple[Tombstone, ...], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"erased": [_entry(stone) for stone in stones]}))
        return
    rows = [
        (stone.subject, f"{stone.at:%Y-%m-%d %H:%M:%S}Z", stone.reason, _left(stone) or "all done")
        for stone in stones
    ]
    table(("subject", "erased", "reason", "pending"), rows)


def _entry(stone: Tombstone) -> dict[str, object]:
    return {
        "subject": stone.subject,
        "market": stone.market,
        "at": f"{stone.at:%Y-%m-%dT%H:%M:%SZ}",
        "reason": stone.reason,
        "by_register": stone.by_register,
        "left": [step for step in STEPS if step not in stone.done],
    }


def _left(stone: Tombstone) -> str:
    return " ".join(step for step in STEPS if step not in stone.done)
