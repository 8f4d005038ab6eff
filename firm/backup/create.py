"""Backups of the control plane: a folder with the database as one file, other irreplaceable files, a manifest.

The other files are the erasure tombstones and the manual decisions on holders. Not included: the secrets, without
which the file grants no access (`secret_fingerprint` identifies the ones it needs), and everything a run can
recreate. Does not belong here: how rows are copied (`api.database.backup`), printing (`firm.commands.backup`).
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

from api.accounts.secret_fingerprints import secret_fingerprint
from api.auth.service_secrets import ServiceSecrets
from api.database import migrate
from api.database.engine import Database
from firm.bootstrap import Installation
from warehouse.release import manifest as release_manifest
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

CONTROL: Final = "control.sqlite"
MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
_NAME: Final = "%Y%m%dT%H%M%SZ"
_OWN: Final = 0o700  # the file contains e-mail addresses
_CHUNK: Final = 1 << 20


class BackupError(ValueError):
    """A backup that cannot be taken or used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """One file of a backup."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """Manifest of a backup.

    engine: database engine it was taken from. revision: of the schema. rows: by table. matched: the fan-out
    cursor, None before the first subscription. published: last sequence of the ledger just afterwards. pepper,
    sealing_keys: fingerprints of the secrets it needs, the sealing key in use first.
    """

    taken_at: datetime
    engine: str
    revision: str
    rows: Mapping[str, int]
    matched: int | None
    published: int
    pepper: str
    sealing_keys: tuple[str, ...]
    files: Mapping[str, BackupFile]

    def as_json(self) -> dict[str, Any]:
        """The manifest as written to its file."""
        return {"format": FORMAT, **asdict(self), "taken_at": self.taken_at.isoformat()}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Reads the manifest of a backup; raises BackupError if it is missing or of an unsupported format."""
        path = folder / MANIFEST
        try:
            told = json.loads(path.read_bytes())
            if told.pop("format") != FORMAT:
                raise BackupError(f"{path}: format of another version; restore it with that version")
            return cls(
                **{
                    **told,
                    "taken_at": datetime.fromisoformat(told["taken_at"]),
                    "sealing_keys": tuple(told["sealing_keys"]),
                    "files": {name: BackupFile(**one) for name, one in told["files"].items()},
                }
            )
        except FileNotFoundError:
            raise BackupError(f"{folder} is not a backup: it has no {MANIFEST}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, BackupError):
                raise
            raise BackupError(f"{path} cannot be read ({error}): take another backup") from error


def required_secrets(installation: Installation) -> ServiceSecrets:
    """Secrets of this installation; raises BackupError if there are none, instead of creating them."""
    if not installation.has_secrets:
        raise BackupError(
            f"{installation.settings.secrets_path} is missing: copy it from the installation of the backup, or set "
            "FIRM_PEPPER, FIRM_CURSOR_KEYS and FIRM_SEALING_KEYS: without them no key works, no webhook is signed"
        )
    return installation.secrets()


@contextmanager
def existing_database(installation: Installation) -> Iterator[Database]:
    """Opens the existing control-plane database, without creating or migrating it."""
    settings = installation.settings
    if not installation.has_database:
        raise BackupError(
            f"{settings.data / CONTROL} does not exist: nothing to back up; check FIRM_DATA and FIRM_DATABASE_URL"
        )
    with closing(Database(settings.control_database_url)) as database:
        yield database


def create_backup(installation: Installation, to: Path, now: datetime) -> tuple[Path, BackupManifest]:
    """Takes a backup into a new folder below `to`, all or nothing."""
    from api.database import backup

    secrets = required_secrets(installation)
    folder = to / f"{now:{_NAME}}"
    if folder.exists():
        raise BackupError(f"{folder} exists already; a backup is never overwritten")
    built = atomic_files.temporary_path(folder)
    atomic_files.delete_if_exists(built)
    atomic_files.make_folder(to)
    built.mkdir(mode=_OWN)
    try:
        with existing_database(installation) as database:
            backup.export_copy(database, built / CONTROL)
            engine, revision = database.engine.dialect.name, str(migrate.current_revision(database))
        if wrong := backup.integrity_errors(built / CONTROL):
            raise BackupError(f"the copy is damaged ({'; '.join(wrong)}): check the database, then try again")
        _copy_erasures_and_decisions(installation.layout, built)
        manifest = BackupManifest(
            taken_at=now,
            engine=engine,
            revision=revision,
            rows=backup.copy_row_counts(built / CONTROL),
            matched=backup.backup_fanout_cursor(built / CONTROL),
            published=release_manifest.served_position(installation.layout)[
                1
            ],  # read after the copy, so never behind it
            pepper=secret_fingerprint(secrets.pepper),
            sealing_keys=tuple(map(secret_fingerprint, secrets.sealing_keys)),
            files={path.name: describe_file(path) for path in sorted(built.iterdir())},
        )
        atomic_files.write_json(built / MANIFEST, manifest.as_json())
        atomic_files.sync_tree(built)
        built.replace(folder)
        atomic_files.sync_folder(to)
    finally:
        atomic_files.delete_if_exists(built)
    return folder, manifest


def _copy_erasures_and_decisions(layout: Layout, folder: Path) -> None:
    """Copies the files besides the database; their writes are atomic, so a copy is always consistent."""
    for path in (layout.tombstones_file, layout.decision_log_file):
        if path.exists():
            shutil.copyfile(path, folder / path.name)


def describe_file(path: Path) -> BackupFile:
    """Size and SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as body:
        while chunk := body.read(_CHUNK):
            digest.update(chunk)
    return BackupFile(path.stat().st_size, digest.hexdigest())


def check_backup(folder: Path) -> BackupManifest:
    """Verifies a backup: its manifest, every file, the database. Raises BackupError on any defect."""
    from api.database import backup

    manifest = BackupManifest.read(folder)
    for name, due in manifest.files.items():
        path = folder / name
        if not path.is_file() or describe_file(path) != due:
            raise BackupError(f"{path} does not match {MANIFEST}: use another backup")
    if wrong := backup.integrity_errors(folder / CONTROL):
        raise BackupError(f"{folder / CONTROL} is damaged ({'; '.join(wrong)}): use another backup")
    return manifest


def list_backups(to: Path) -> list[Path]:
    """Backups below a folder, oldest first; other content is ignored."""
    return sorted(path.parent for path in to.glob(f"[0-9]*Z/{MANIFEST}"))


def prune_backups(to: Path, keep: int, made: Path) -> list[Path]:
    """Removes all but the newest `keep` backups below a folder; returns the removed ones.

    Never the one just made: where a clock was ahead, others have later names.
    """
    gone = [folder for folder in list_backups(to)[:-keep] if folder != made]
    for folder in gone:
        shutil.rmtree(folder)
    return gone
