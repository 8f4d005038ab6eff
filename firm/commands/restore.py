"""`firm restore`: restore a backup of the control plane (docs/operating.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import SQLAlchemyError

from api.auth.service_secrets import SecretsError
from api.database.backup import DatabaseCopyError
from api.settings.env import SettingError
from firm.backup import restore as backup_restore
from firm.backup.create import BackupError
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error
from firm.console import Json, print_table
from warehouse.release.manifest import InvalidReleaseError

_TROUBLE = (BackupError, DatabaseCopyError, SecretsError, SettingError, InvalidReleaseError, SQLAlchemyError, OSError)
_APART = (
    "judgements.jsonl here and in the backup have diverged: this one was kept; check which rows of the other "
    "you need (firm owners judge)"
)


def restore(
    folder: Annotated[Path, typer.Argument(help="A backup made by `firm backup`.")],
    check: Annotated[
        bool, typer.Option("--check", help="Only verify the backup against this installation; write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Restore a backup into the empty database of FIRM_DATA or FIRM_DATABASE_URL.

    All dashboard users must sign in again. Exit code: 0 done, 1 error, and then nothing has changed.
    """
    with exit_on_error(*_TROUBLE):
        installation = Installation.read()
        if check:
            manifest = backup_restore.check_restorable(installation, folder)
            typer.echo(json.dumps(manifest.as_json()) if as_json else f"{folder} is valid and fits")
            return
        done = backup_restore.restore_backup(installation, folder)
    if as_json:
        told = {"rows": dict(done.rows), "tombstones": done.tombstones, "blanked": done.blanked}
        typer.echo(json.dumps({**told, "judgements": done.judgements}))
        return
    print_table(("table", "rows"), [(name, f"{count:,}") for name, count in done.rows.items()])
    typer.echo(f"restored as of {done.manifest.taken_at:%Y-%m-%d %H:%M:%S}Z; events redacted: {done.blanked}")
    if done.tombstones:
        typer.echo(f"{done.tombstones} erased subjects were unknown here: run firm erase", err=True)
    if done.judgements == "apart":
        typer.echo(_APART, err=True)
