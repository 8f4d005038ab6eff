"""`firm backup` and `firm restore`: back up the control plane, and restore a backup (docs/operating.md)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import SQLAlchemyError

from api.auth.service_secrets import SecretsError
from api.database.backup import DatabaseCopyError
from firm.backup import restore as backup_restore
from firm.backup.create import BackupError, BackupManifest, create_backup, prune_backups
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error
from firm.console import Json, print_table
from warehouse.release.manifest import InvalidReleaseError
from warehouse.settings.errors import SettingError

_TROUBLE = (BackupError, DatabaseCopyError, SecretsError, SettingError, InvalidReleaseError, SQLAlchemyError, OSError)


def backup(
    to: Annotated[Path, typer.Option("--to", help="Folder for backups; each gets its own subfolder.")],
    keep: Annotated[
        int | None, typer.Option(min=1, help="Number of backups to keep there; older ones are removed. Default: all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Back up accounts, keys, usage, subscriptions, deliveries and mail while the service runs.

    The secrets are not included: keep FIRM_DATA/secrets.json elsewhere. Exit code: 0 done, 1 error.
    """
    with exit_on_error(*_TROUBLE):
        folder, manifest = create_backup(Installation.read(), to, datetime.now(UTC).replace(microsecond=0))
        gone = [] if keep is None else prune_backups(to, keep, folder)
    if as_json:
        removed = [str(path) for path in gone]
        typer.echo(json.dumps({"backup": str(folder), "removed": removed, **manifest.as_json()}))
        return
    _print_manifest(manifest)
    typer.echo(f"{folder} is a backup of {sum(manifest.rows.values()):,} rows; secrets are not included")
    for path in gone:
        typer.echo(f"removed older backup {path}")


def _print_manifest(manifest: BackupManifest) -> None:
    rows = [(name, f"{one.bytes:,}", one.sha256[:16]) for name, one in manifest.files.items()]
    print_table(("file", "bytes", "sha256"), rows)


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
