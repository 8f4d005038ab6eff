"""Restores a control-plane backup into an empty installation: checked first, then all or nothing.

Does not belong here: taking one (`firm.backups`), copying rows (`api.db.copying`), printing (`firm.commands`).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from api.db import copying, erasing
from api.secrets import Secrets
from api.webhooks.sealing import Sealer, SealingError
from firm import backups
from firm.backups import CONTROL, BackupError, Manifest, fingerprint
from firm.compose import Installation
from warehouse import files, manifests
from warehouse.blanking import Blanking
from warehouse.paths import Layout
from warehouse.tombstones import Tombstones

_BRING: Final = "copy FIRM_DATA/secrets.json from the installation of the backup, or set its keys"


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore: rows by table, newly added tombstones, events blanked by all tombstones."""

    manifest: Manifest
    rows: Mapping[str, int]
    tombstones: int
    blanked: int
    judgements: str
    """State of `judgements.jsonl`: none, kept, restored or apart (diverged)."""


def judge(installation: Installation, folder: Path) -> Manifest:
    """Checks whether a backup can be restored here, without writing. Raises BackupError with the reason."""
    manifest = backups.check(folder)
    secrets = backups.own_secrets(installation)
    _judge_secrets(manifest, secrets)
    _judge_ledger(manifest, installation.layout)
    return manifest


def restore(installation: Installation, folder: Path) -> Restored:
    """Restores a backup. Raises BackupError or CopyError, and then nothing has changed."""
    manifest = judge(installation, folder)
    files.make_folder(installation.layout.root)
    with tempfile.TemporaryDirectory(prefix="restore-", dir=installation.layout.root) as beside:
        file = Path(beside) / CONTROL
        shutil.copyfile(folder / CONTROL, file)
        copying.bring_up_to_date(file)
        _judge_seals(file, installation.secrets())
        with installation.database() as database:
            rows = copying.load(file, database)
    added = _add_tombstones(installation.layout, folder)
    return Restored(manifest, rows, added, _blank(installation), _put_judgements(installation.layout, folder))


def _judge_secrets(manifest: Manifest, secrets: Secrets) -> None:
    if fingerprint(secrets.pepper) != manifest.pepper:
        raise BackupError(
            f"the pepper here ({fingerprint(secrets.pepper)}) is not the backup's ({manifest.pepper}): no key "
            f"would work; {_BRING}"
        )
    here = [fingerprint(key) for key in secrets.sealing_keys]
    if manifest.sealing_keys[0] not in here:
        raise BackupError(
            f"the sealing keys here ({', '.join(here)}) lack the backup's ({manifest.sealing_keys[0]}): no webhook "
            f"could be signed; {_BRING}"
        )


def _judge_ledger(manifest: Manifest, layout: Layout) -> None:
    """Rejects a ledger that ends before the fan-out cursor.

    New events would get sequences that count as already matched, and would never be delivered.
    """
    published = manifests.covered(layout)[1]
    if manifest.matched is not None and published < manifest.matched:
        raise BackupError(
            f"the ledger in {layout.root} ends at event {published}, and deliveries of the backup go up to "
            f"{manifest.matched}: first copy ledger/ and releases/ of that data folder, as of after the backup"
        )


def _judge_seals(file: Path, secrets: Secrets) -> None:
    sealer = Sealer(secrets.sealing_keys)
    try:
        for sealed in copying.sealed(file):
            sealer.open(sealed)
    except SealingError:
        raise BackupError(
            f"the sealing keys here decrypt only some of the backup's subscriptions: {_BRING}, including older ones"
        ) from None


def _add_tombstones(layout: Layout, folder: Path) -> int:
    """Adds the backup's tombstones unknown here, to be processed by the next ingest or erasure."""
    here = Tombstones(layout)
    known = {stone.subject for stone in here.all()}
    new = [stone for stone in Tombstones(Layout(folder)).all() if stone.subject not in known]
    if new:
        here.add(replace(stone, done=(), clean=None) for stone in new)
    return len(new)


def _blank(installation: Installation) -> int:
    """Blanks restored events of all erased subjects, including those erased after the backup."""
    stones = Tombstones(installation.layout).all()
    if not stones:
        return 0
    blanking = Blanking.of(stones)
    with installation.database() as database:
        return erasing.erase(database, blanking.companies, blanking.blanked)


def _put_judgements(layout: Layout, folder: Path) -> str:
    """Restores the decisions file if the backup's is an extension of it; diverged files stay as they are."""
    theirs = folder / layout.judgements.name
    if not theirs.exists():
        return "none"
    told, here = theirs.read_bytes(), b""
    if layout.judgements.exists():
        here = layout.judgements.read_bytes()
    if here.startswith(told):
        return "kept"
    if not told.startswith(here):
        return "apart"
    files.write_bytes(layout.judgements, told)
    return "restored"
