"""Replication of bulk exports to the store, under the names that consumers read, as in `exports/` of a data root.

    exports/<market>/0000000042/companies.parquet …, manifest.json      exports/<market>/latest.json
    exports/<market>/deltas/0000000041-0000000042/companies.upserts.parquet …, manifest.json

The manifest is uploaded after the files it lists, and `latest.json` after that. Does not belong here: writing
exports (`warehouse.exports.exports`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from warehouse.replication.s3 import ObjectStore
from warehouse.replication.settings import StoreAddress

_MANIFEST: Final = "manifest.json"
_LATEST: Final = "latest.json"
_DELTAS: Final = "deltas"


class ReplicatedExports:
    """The exports in one folder, and their copies in one store.

    keep, keep_deltas: how many of a market the store keeps, whichever machines have written them.
    """

    def __init__(self, folder: Path, store: ObjectStore, keep: int, keep_deltas: int) -> None:
        self._folder = folder
        self._store = store
        self._keep = keep
        self._keep_deltas = keep_deltas

    def send(self, market: str, *, is_erased: bool = False) -> int:
        """Uploads the newest export of a market and the deltas that follow the store's, and deletes the oldest there.

        Earlier deltas of this machine stay here: a subject may have been erased from the store since. is_erased:
        subjects were erased here, so that nothing but the newest export stays. Returns the number of uploaded files.
        Without a local export, those in the store are deleted; a newer one in the store stays.
        """
        root, latest = self._folder / market, f"exports/{market}/{_LATEST}"
        if not (root / _LATEST).exists():
            self._remove_keys(self._store.keys(f"exports/{market}/"))
            return 0
        pointer = (root / _LATEST).read_bytes()
        newest, there = json.loads(pointer)["folder"], self._store.read(latest)
        former = newest if there is None else json.loads(there.content)["folder"]
        if former > newest:
            return 0
        sent = self._upload_export(root / newest, f"exports/{market}/{newest}")
        for delta in sorted(path.parent for path in (root / _DELTAS).glob(f"*/{_MANIFEST}")):
            if _last_release(delta.name) > former or _last_release(delta.name) == newest:
                sent += self._upload_export(delta, f"exports/{market}/{_DELTAS}/{delta.name}")
        if there is None:
            self._store.create(latest, pointer)
        else:
            self._store.replace(latest, pointer, there.tag)
        keys = [key for key in self._store.keys(f"exports/{market}/") if key != latest]
        kept = {newest} if is_erased else self._kept_folders(keys)
        stale = [key for key in keys if (name := _folder_name(key)) not in kept and _last_release(name) <= newest]
        self._remove_keys(stale)
        return sent

    def _kept_folders(self, keys: Sequence[str]) -> set[str]:
        """The newest complete exports and deltas of a market in the store, by the names of their folders."""
        complete = sorted({_folder_name(key) for key in keys if key.endswith(f"/{_MANIFEST}")}, key=_last_release)
        exports = [name for name in complete if name.isdecimal()]
        deltas = [name for name in complete if not name.isdecimal()]
        return {*exports[-self._keep :], *deltas[-self._keep_deltas :]}

    def _upload_export(self, folder: Path, base: str) -> int:
        found = self._store.read(f"{base}/{_MANIFEST}")
        there = {} if found is None else {one["name"]: one["sha256"] for one in json.loads(found.content)["files"]}
        manifest = json.loads((folder / _MANIFEST).read_bytes())
        fresh = [one["name"] for one in manifest["files"] if one["sha256"] != there.get(one["name"])]
        for name in (*fresh, _MANIFEST):
            self._store.upload(f"{base}/{name}", folder / name)
        return len(fresh)

    def _remove_keys(self, keys: list[str]) -> None:
        """Deletes pointers and manifests first: a half-removed export no longer counts."""
        first = [key for key in keys if key.endswith((_MANIFEST, _LATEST))]
        self._store.remove(first)
        self._store.remove([key for key in keys if key not in first])


def _folder_name(key: str) -> str:
    """The folder of a file of an export or a delta."""
    return key.split("/")[-2]


def _last_release(name: str) -> str:
    """The release of an export's folder, or the one that a delta's leads to."""
    return name.rpartition("-")[2]


def replicated_exports(folder: Path, address: StoreAddress, keep: int, keep_deltas: int) -> ReplicatedExports:
    """The exports of a folder and the store from the settings. Makes no connection yet."""
    return ReplicatedExports(folder, ObjectStore(address), keep, keep_deltas)
