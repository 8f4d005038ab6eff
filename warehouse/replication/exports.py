"""Replication of bulk exports to the store, under the names that consumers read, as in `exports/` of a data root.

    exports/<market>/0000000042/companies.parquet …, manifest.json      exports/<market>/latest.json
    exports/<market>/deltas/0000000041-0000000042/companies.upserts.parquet …, manifest.json

The manifest is uploaded after the files it lists, and `latest.json` after that. Does not belong here: writing
exports (`warehouse.exports.exports`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from warehouse.replication.s3 import ObjectStore
from warehouse.replication.settings import StoreAddress

_MANIFEST: Final = "manifest.json"
_LATEST: Final = "latest.json"
_DELTAS: Final = "deltas"


class ReplicatedExports:
    """The exports in one folder, and their copies in one store."""

    def __init__(self, folder: Path, store: ObjectStore) -> None:
        self._folder = folder
        self._store = store

    def send(self, market: str) -> int:
        """Uploads the newest export of a market and its deltas, and deletes those that no longer exist here.

        Returns the number of uploaded files. Without a local export, those in the store are deleted; a newer
        one in the store stays.
        """
        root, latest = self._folder / market, f"exports/{market}/{_LATEST}"
        if not (root / _LATEST).exists():
            self._remove_keys(self._store.keys(f"exports/{market}/"))
            return 0
        pointer = (root / _LATEST).read_bytes()
        newest, there = json.loads(pointer)["folder"], self._store.read(latest)
        if there is not None and json.loads(there.content)["folder"] > newest:
            return 0
        sent = self._upload_export(root / newest, f"exports/{market}/{newest}")
        deltas = sorted((root / _DELTAS).glob(f"*/{_MANIFEST}"))
        sent += sum(
            self._upload_export(path.parent, f"exports/{market}/{_DELTAS}/{path.parent.name}") for path in deltas
        )
        if there is None:
            self._store.create(latest, pointer)
        else:
            self._store.replace(latest, pointer, there.tag)
        kept = {path.name for path in (*root.iterdir(), *(root / _DELTAS).glob("*")) if path.is_dir()}
        self._remove_keys(
            [
                key
                for key in self._store.keys(f"exports/{market}/")
                if (folder := key.split("/")[-2]) not in kept and folder.rpartition("-")[2] <= newest and key != latest
            ]
        )
        return sent

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


def replicated_exports(folder: Path, address: StoreAddress) -> ReplicatedExports:
    """The exports of a folder and the store from the settings. Makes no connection yet."""
    return ReplicatedExports(folder, ObjectStore(address))
