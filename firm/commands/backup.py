"""`firm backup`, `firm restore`: the control plane kept elsewhere and brought back (docs/operating.md)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import SQLAlchemyError

from api.db.copying import CopyError
from api.secrets import SecretsError
from api.settings import SettingError
from firm import backups, restores
from firm.backups import BackupError, Manifest
from firm.compose import Installation
from firm.failures import explained
from firm.printing import table
from warehouse.manifests import Unsound

_TROUBLE = (BackupError, CopyError, SecretsError, SettingError, Unsound, SQLAlchemyError, OSError)
_APART = (
    "judgements.jsonl here and in the backup went different ways: this one was kept; see which rows of the other "
    "are wanted (firm owners judge)"
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def backup(
    to: Annotated[Path, typer.Option("--to", help="Folder for backups; each has a folder of its own in it.")],
    keep: Annotated[
        int | None,
        typer.Option(min=1, help="Remove older backups there but for so many; all stay by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy accounts, keys, usage, subscriptions, deliveries and mail, beside the running service.

    The secrets are not in it: keep FIRM_DATA/secrets.json elsewhere. Exit code: 0 done, 1 error.
    """
    with explained(*_TROUBLE):
        folder, manifest = backups.take(Installation.read(), to, datetime.now(UTC).replace(microsecond=0))
        gone = [] if keep is None else backups.prune(to, keep)
    if as_json:
        removed = [str(path) for path in gone]
        typer.echo(json.dumps({"backup": str(folder), "removed": removed, **manifest.as_json()}))
        return
    _tell(manifest)
    typer.echo(f"{folder} is a backup of {sum(manifest.rows.values()):,} rows; the secrets are not in it")
    for path in gone:
        typer.echo(f"{path} was older and is gone")


def restore(
    folder: Annotated[Path, typer.Argument(help="One backup, as `firm backup` made it.")],
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether it is sound and fits here; write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Put a backup into the database that FIRM_DATA or FIRM_DATABASE_URL names, which must be empty.

    Everybody signs in to the dashboard again. Exit code: 0 done, 1 error, and then nothing has changed.
    """
    with explained(*_TROUBLE):
        installation = Installation.read()
        if check:
            manifest = restores.judge(installation, folder)
            typer.echo(json.dumps(manifest.as_json()) if as_json else f"{folder} is sound and fits here")
            return
        done = restores.restore(installation, folder)
    if as_json:
        told = {"rows": dict(done.rows), "tombstones": done.tombstones, "blanked": done.blanked}
        typer.echo(json.dumps({**told, "judgements": done.judgements}))
        return
    table(("table", "rows"), [(name, f"{count:,}") for name, count in done.rows.items()])
    typer.echo(f"restored as of {done.manifest.taken_at:%Y-%m-%d %H:%M:%S}Z; events blanked: {done.blanked}")
    if done.tombstones:
        typer.echo(f"{done.tombstones} erased subjects were not known here: run firm erase", err=True)
    if done.judgements == "apart":
        typer.echo(_APART, err=True)


def _tell(manifest: Manifest) -> None:
    rows = [(name, f"{one.bytes:,}", one.sha256[:16]) for name, one in manifest.files.items()]
    table(("file", "bytes", "sha256"), rows)
