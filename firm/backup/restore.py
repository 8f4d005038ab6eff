"""Restores a control-plane backup into an empty installation: checked first, then all or nothing.

Does not belong here: taking one (`firm.backup.create`), copying rows (`api.database.backup`), printing
(`firm.commands`).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from api.accounts.secret_fingerprints import secret_fingerprint
from api.auth.encryption import SealingError, SecretBox
from api.auth.service_secrets import ServiceSecrets
from api.database import backup
from api.database.engine import Database
from firm.backup import create
from firm.backup.create import CONTROL, BackupError, BackupManifest
from firm.bootstrap import Installation
from firm.erasure import redact_deliveries
from warehouse.decisions import merge_decision_logs
from warehouse.erasure.tombstones import Tombstone, TombstoneStore
from warehouse.release import manifest as release_manifest
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_BRING: Final = "copy FIRM_DATA/secrets.json from the installation of the backup, or set its keys"


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """Result of a restore: rows by table, newly added tombstones, events blanked by all tombstones."""

    manifest: BackupManifest
    rows: Mapping[str, int]
    tombstones: int
    blanked: int
    judgements: str
    """State of `judgements.jsonl`: none, kept, restored or apart (diverged)."""


def check_restorable(installation: Installation, folder: Path) -> BackupManifest:
    """Checks whether a backup can be restored here, without writing. Raises BackupError with the reason."""
    manifest = create.check_backup(folder)
    secrets = create.required_secrets(installation)
    _check_secrets(manifest, secrets)
    _check_ledger(manifest, installation.layout)
    return manifest


def restore_backup(installation: Installation, folder: Path) -> RestoreResult:
    """Restores a backup. Raises BackupError or CopyError, and then nothing has changed."""
    manifest = check_restorable(installation, folder)
    atomic_files.make_folder(installation.layout.root)
    with tempfile.TemporaryDirectory(prefix="restore-", dir=installation.layout.root) as beside:
        file = Path(beside) / CONTROL
        shutil.copyfile(folder / CONTROL, file)
        backup.upgrade_copy(file)
        _check_sealing_keys(file, installation.secrets())
        added = _unknown_tombstones(installation.layout, folder)
        # before the import, so that no moment has an erased name; also those of subjects erased after the backup
        blanked = _redact_copy(file, (*TombstoneStore(installation.layout).list_tombstones(), *added))
        with installation.database() as database:
            rows = backup.import_copy(file, database)
    if added:
        TombstoneStore(installation.layout).add(replace(stone, done=(), clean=None) for stone in added)
    return RestoreResult(manifest, rows, len(added), blanked, _restore_decisions(installation.layout, folder))


def _check_secrets(manifest: BackupManifest, secrets: ServiceSecrets) -> None:
    if secret_fingerprint(secrets.pepper) != manifest.pepper:
        raise BackupError(
            f"the pepper here ({secret_fingerprint(secrets.pepper)}) is not the backup's ({manifest.pepper}): "
            "no key "
            f"would work; {_BRING}"
        )
    here = [secret_fingerprint(key) for key in secrets.sealing_keys]
    if manifest.sealing_keys[0] not in here:
        raise BackupError(
            f"the sealing keys here ({', '.join(here)}) lack the backup's ({manifest.sealing_keys[0]}): no webhook "
            f"could be signed; {_BRING}"
        )


def _check_ledger(manifest: BackupManifest, layout: Layout) -> None:
    """Rejects a ledger that ends before the fan-out cursor.

    New events would get sequences that count as already matched, and would never be delivered.
    """
    published = release_manifest.served_position(layout)[1]
    if manifest.matched is not None and published < manifest.matched:
        raise BackupError(
            f"the ledger in {layout.root} ends at event {published}, and deliveries of the backup go up to "
            f"{manifest.matched}: first copy ledger/ and releases/ of that data folder, as of after the backup"
        )


def _check_sealing_keys(file: Path, secrets: ServiceSecrets) -> None:
    sealer = SecretBox(secrets.sealing_keys)
    try:
        for sealed in backup.read_sealed_secrets(file):
            sealer.open(sealed)
    except SealingError:
        raise BackupError(
            f"the sealing keys here decrypt only some of the backup's subscriptions: {_BRING}, including older ones"
        ) from None


def _unknown_tombstones(layout: Layout, folder: Path) -> tuple[Tombstone, ...]:
    """The backup's tombstones unknown here, which the next ingest or erasure is to process."""
    known = {stone.subject for stone in TombstoneStore(layout).all_tombstones()}  # one lifted since stays lifted
    theirs = TombstoneStore(Layout(folder)).all_tombstones()
    return tuple(stone for stone in theirs if stone.subject not in known)


def _redact_copy(file: Path, stones: Sequence[Tombstone]) -> int:
    """Blanks events of erased subjects in the copy; returns the number of events."""
    in_force = [stone for stone in stones if stone.lifted_at is None]
    if not in_force:
        return 0
    with closing(Database(f"sqlite:///{file}")) as copied:
        return redact_deliveries(copied, in_force)


def _restore_decisions(layout: Layout, folder: Path) -> str:
    """Restores the decisions file if the backup's is an extension of it; diverged files stay as they are."""
    theirs = folder / layout.decision_log_file.name
    if not theirs.exists():
        return "none"
    here = layout.decision_log_file.read_bytes() if layout.decision_log_file.exists() else b""
    here = here[: here.rfind(b"\n") + 1]  # without an incomplete row left by a kill
    merged = merge_decision_logs(here, theirs.read_bytes())
    if merged is None:
        return "apart"
    if merged == here:
        return "kept"
    atomic_files.write_bytes(layout.decision_log_file, merged)
    return "restored"
