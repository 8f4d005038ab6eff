"""Files on their way to and from the store, known by their SHA-256.

A file lies in the store under its hash, below the folder of what it belongs to (its area). So what is there already
is not sent again, what is written is never changed, and what arrives is checked by its own name. Does not belong
here: which files belong together (`releases`, `markets`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from warehouse import files
from warehouse.remote.failures import Damaged
from warehouse.remote.store import Store

_BLOCK: Final = 4 << 20
_SHA256: Final = 64  # characters


@dataclass(frozen=True, slots=True)
class Parcel:
    """One file: its name below the data root, with slashes, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str

    def key(self, area: str) -> str:
        """Where it lies in the store."""
        return f"{area}/{self.sha256}"

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Self:
        """From a document of the store; Damaged where it would lead out of the data root."""
        made = cls(str(value["name"]), int(value["size"]), str(value["sha256"]))
        parts = made.name.split("/")
        is_hash = len(made.sha256) == _SHA256 and set(made.sha256) <= set("0123456789abcdef")
        if not is_hash or made.size < 0 or {"", ".", ".."} & set(parts) or "\\" in made.name:
            raise Damaged(f"the store names a file that cannot be one: {made.name[:200]!r}")
        return made


def as_json(parcels: Iterable[Parcel]) -> list[dict[str, Any]]:
    """As documents of the store hold them."""
    return [asdict(parcel) for parcel in parcels]


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as body:
        return hashlib.file_digest(body, "sha256").hexdigest()


class Sums:
    """SHA-256 of files of a data root, kept by size and time of change: a finished file is hashed once."""

    def __init__(self, root: Path, kept: Path) -> None:
        self._root = root
        self._kept = kept
        self._known: dict[str, list[Any]] = json.loads(kept.read_bytes()) if kept.exists() else {}
        self._used: dict[str, list[Any]] = {}

    def parcel(self, name: str) -> Parcel:
        """The file of a name as it is now."""
        path = self._root / name
        status = path.stat()
        stamp = [status.st_size, status.st_mtime_ns, status.st_ino]
        known = self._known.get(name)
        sha256 = known[3] if known is not None and known[:3] == stamp else digest(path)
        self._used[name] = [*stamp, sha256]
        return Parcel(name, status.st_size, sha256)

    def is_there(self, parcel: Parcel) -> bool:
        """Whether the data root has this file."""
        path = self._root / parcel.name
        return path.is_file() and path.stat().st_size == parcel.size and self.parcel(parcel.name) == parcel

    def keep(self) -> None:
        """Writes what was asked for; the rest is forgotten."""
        if self._used != self._known:
            files.write_json(self._kept, self._used)


def send(store: Store, area: str, root: Path, parcels: Sequence[Parcel]) -> int:
    """Sends files that the store lacks; how many. In the store all of them are whole when this ends."""
    missing = [parcel for parcel in parcels if not store.has(parcel.key(area), parcel.size)]
    for parcel in missing:
        store.upload(parcel.key(area), root / parcel.name)
    return len(missing)


def send_again(store: Store, area: str, root: Path, parcels: Sequence[Parcel]) -> None:
    """Sends files whether or not they are there: what is there may be damaged."""
    for parcel in parcels:
        store.upload(parcel.key(area), root / parcel.name)


def receive(store: Store, area: str, parcel: Parcel, incoming: Path) -> Path:
    """Fetches one file below `incoming`, from where an earlier try ended; Damaged when it is not its hash.

    Missing when the store has it no more, because something newer has taken its place.
    """
    files.make_folder(incoming)
    path = incoming / parcel.sha256
    for _ in range(2):  # what an earlier try left may be damaged itself
        if path.exists() and path.stat().st_size > parcel.size:
            files.discard(path)
        store.download(parcel.key(area), path, parcel.size)
        if digest(path) == parcel.sha256:
            return path
        files.discard(path)
    raise Damaged(
        f"{store.address}/{parcel.key(area)} ({parcel.name}) is not what was put there: its bytes have another "
        "SHA-256. Send it again from a machine that has it (`firm release push`), or restore the bucket"
    )
