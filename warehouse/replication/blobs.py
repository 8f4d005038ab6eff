"""Content-addressed transfer of files to and from the store.

A file is stored under its SHA-256, below the prefix it belongs to (its area). So files already there are not
uploaded again, objects never change, and downloads are checked against their own name. Does not belong here:
which files belong together (`releases`, `market_state`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from warehouse.release.segments import is_segment_file
from warehouse.replication.errors import CorruptObjectError
from warehouse.replication.s3 import ObjectStore
from warehouse.storage import atomic_files

_BLOCK: Final = 4 << 20
_SHA256: Final = 64  # characters


@dataclass(frozen=True, slots=True)
class BlobRef:
    """One file: its path relative to the data root, with slashes, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str

    def key(self, area: str) -> str:
        """Its key in the store."""
        return f"{area}/{self.sha256}"

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Self:
        """Parses an entry of the store; raises CorruptObjectError if its path would leave the data root."""
        made = cls(str(value["name"]), int(value["size"]), str(value["sha256"]))
        parts = made.name.split("/")
        is_hash = len(made.sha256) == _SHA256 and set(made.sha256) <= set("0123456789abcdef")
        if not is_hash or made.size < 0 or {"", ".", ".."} & set(parts) or "\\" in made.name:
            raise CorruptObjectError(f"the object store lists an invalid file name: {made.name[:200]!r}")
        return made


def content_key(area: str, content: bytes) -> str:
    """Key of a document that lists blobs; contains its SHA-256."""
    return f"{area}/contents.{hashlib.sha256(content).hexdigest()}"


def require_content_key(key: str, content: bytes, advice: str) -> None:
    """Raises CorruptObjectError, with advice, if a document does not have the hash in its key."""
    if hashlib.sha256(content).hexdigest() != key.rpartition(".")[2]:
        raise CorruptObjectError(f"{key} of the object store has changed since its upload: {advice}")


def adopted_contents(path: Path) -> str | None:
    """Key of the contents that this machine fetched or sent last, as recorded in a file; None before the first."""
    try:
        return json.loads(path.read_bytes())["contents"]
    except FileNotFoundError:
        return None


class HashCache:
    """Cache of SHA-256 of files in a data root, by size, modification time and inode: each is hashed once.

    Segments of releases have one entry in whichever folders they are linked.
    """

    def __init__(self, root: Path, cache_path: Path) -> None:
        self._root = root
        self._kept = cache_path
        self._known: dict[str, list[Any]] = json.loads(cache_path.read_bytes()) if cache_path.exists() else {}
        self._used: dict[str, list[Any]] = {}

    def describe_blob(self, name: str) -> BlobRef:
        """Describes the current file of a name."""
        path, key = self._root / name, _cache_key(name)
        stamp = _file_stamp(path)
        known = self._used.get(key) or self._known.get(key)
        sha256 = known[3] if known is not None and known[:3] == stamp else atomic_files.file_sha256(path)
        self._used[key] = [*stamp, sha256]
        return BlobRef(name, stamp[0], sha256)

    def record(self, blob: BlobRef) -> None:
        """Records a file that has just been checked."""
        self._used[_cache_key(blob.name)] = [*_file_stamp(self._root / blob.name), blob.sha256]

    def is_there(self, blob: BlobRef) -> bool:
        """True if the data root has this file."""
        path = self._root / blob.name
        return path.is_file() and path.stat().st_size == blob.size and self.describe_blob(blob.name) == blob

    def keep(self) -> None:
        """Writes the entries used since loading; the rest is dropped."""
        if self._used != self._known:
            atomic_files.write_json(self._kept, self._used)


def _cache_key(name: str) -> str:
    last = name.rpartition("/")[2]
    return last if is_segment_file(last) else name


def _file_stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def upload_missing_blobs(store: ObjectStore, area: str, root: Path, blobs: Sequence[BlobRef]) -> int:
    """Uploads the files that the store lacks and returns their number."""
    missing = [parcel for parcel in blobs if not store.has(parcel.key(area), parcel.size)]
    for parcel in missing:
        store.upload(parcel.key(area), root / parcel.name)
    return len(missing)


def upload_blob(store: ObjectStore, area: str, root: Path, blob: BlobRef) -> None:
    """Uploads a file unconditionally: the store's copy may be damaged."""
    store.upload(blob.key(area), root / blob.name)


def fetch_blob(store: ObjectStore, area: str, blob: BlobRef, incoming: Path, advice: str) -> Path:
    """Downloads one file to `incoming`, resuming an earlier attempt.

    Raises CorruptObjectError, with advice, if its hash differs, and MissingObjectError if the store no longer has it,
    because something newer has replaced it.
    """
    atomic_files.make_folder(incoming)
    path = incoming / blob.sha256
    for _ in range(2):  # the remains of an earlier attempt may be damaged
        if path.exists() and path.stat().st_size > blob.size:
            atomic_files.delete_if_exists(path)
        store.download(blob.key(area), path, blob.size)
        if atomic_files.file_sha256(path) == blob.sha256:
            return path
        atomic_files.delete_if_exists(path)
    raise CorruptObjectError(
        f"{store.address}/{blob.key(area)} ({blob.name}) has changed since its upload: its bytes have another "
        f"SHA-256: {advice}"
    )
