"""Restores a control-plane backup into an empty installation: checked first, then all or nothing.

Does not belong here: taking one (`firm.backup.create`), copying rows (`api.database.backup`), printing
(`firm.commands`).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from api.accounts.secret_fingerprints import secret_fingerprint
from api.auth.encryption import SealingError, SecretBox
from api.auth.service_secrets import ServiceSecrets
from api.database import backup
from firm.backup import create
from firm.backup.create import CONTROL, BackupError, BackupManifest
from firm.bootstrap import Installation
from firm.erasure import redact_deliveries
from warehouse.decisions import merge_decision_logs
from warehouse.erasure.tombstones import TombstoneStore
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
        with installation.database() as database:
            rows = backup.import_copy(file, database)
    added = _add_tombstones(installation.layout, folder)
    stones = TombstoneStore(installation.layout).list_tombstones()  # also those of subjects erased after the backup
    return RestoreResult(
        manifest,
        rows,
        added,
        redact_deliveries(installation, stones) if stones else 0,
        _restore_decisions(installation.layout, folder),
    )


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


def _add_tombstones(layout: Layout, folder: Path) -> int:
    """Adds the backup's tombstones unknown here, to be processed by the next ingest or erasure."""
    here = TombstoneStore(layout)
    known = {stone.subject for stone in here.all_tombstones()}  # one lifted since the backup stays lifted
    new = [stone for stone in TombstoneStore(Layout(folder)).all_tombstones() if stone.subject not in known]
    if new:
        here.add(replace(stone, done=(), clean=None) for stone in new)
    return len(new)


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
