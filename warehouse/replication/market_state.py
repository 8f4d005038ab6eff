"""Replication of a market's state, so that any machine can continue where the last one ended.

    markets/NO/head.json          {"version", "contents", "token"}: replaced by compare-and-swap
    markets/NO/contents.<sha256>  {"version", "files": […], "beside": …}
    markets/NO/<sha256>           a file: a body of RAW, a table of STAGED, a snapshot, the history

Local files count as long as the head is the version last fetched or sent here; otherwise the head counts, and
the local files are made equal to it. Sending deletes objects that the new head does not need, so that data
erased here is erased there. Whoever takes the market's lease writes the lease's token into the head first: from
then on nothing that an earlier holder sends can become the head. Does not belong here: who may write (`lease`), or
the content of files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from warehouse.market_index.batches import INDEX
from warehouse.market_index.index import MarketIndex
from warehouse.replication import blobs
from warehouse.replication.blobs import BlobRef, HashCache
from warehouse.replication.errors import CorruptObjectError, LostRaceError, MissingObjectError
from warehouse.replication.s3 import ObjectStore, StoredDocument
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout


@dataclass(frozen=True, slots=True)
class MarketContents:
    """All files of a market, and its entries in other files of a data root (`beside`, JSON)."""

    version: int
    files: tuple[BlobRef, ...]
    beside: Mapping[str, Any]

    def as_bytes(self) -> bytes:
        """The document as JSON for the store."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, key: str, content: bytes) -> Self:
        """Parses and checks a document; raises CorruptObjectError if its hash differs from its key."""
        blobs.require_content_key(key, content, "restore the bucket, or remove its head")
        value = json.loads(content)
        return cls(int(value["version"]), tuple(map(BlobRef.parse, value["files"])), value["beside"])


def _market_area(market: str) -> str:
    return f"markets/{market}"


def head_token(store: ObjectStore, market: str) -> int:
    """The greatest token with which the market was ever held; 0 before the first."""
    found = store.read(f"{_market_area(market)}/head.json")
    return 0 if found is None else int(json.loads(found.content).get("token", 0))


class ReplicatedMarket:
    """One market of one data root and one store. All methods require the market's lock and its lease.

    token: of the lease (`lease.distributed_lease`).
    """

    def __init__(self, layout: Layout, store: ObjectStore, market: str, datasets: Iterable[str], token: int) -> None:
        self._token = token
        self._layout = layout
        self._store = store
        self._datasets = tuple(datasets)
        self._market = market
        self._area = _market_area(market)
        self._adopted = layout.replication_folder / f"adopted-{market}.json"
        self._sums = layout.replication_folder / f"sums-{market}.json"
        self._incoming = layout.replication_folder / f"incoming-{market}"
        self._seen: StoredDocument | None = None

    def fetch(self) -> Mapping[str, Any] | None:
        """Makes local files equal to the head if it is not ours; returns its `beside`, or None if unchanged.

        Raises LostRaceError if another machine has taken the lease since.
        """
        self._seen = self._store.read(f"{self._area}/head.json")
        head = self._head_document()
        if head["token"] != self._token:
            self._replace_head(head | {"token": self._token})
        if (key := head["contents"]) is None or key == blobs.adopted_contents(self._adopted):
            return None
        found = self._store.read(key)
        if found is None:
            raise MissingObjectError(
                f"{self._store.address}/{key} is missing, but the head of {self._market} refers to it"
            )
        contents = MarketContents.parse(key, found.content)
        self._place(contents)
        atomic_files.write_json(self._adopted, {"contents": key})
        return contents.beside

    def send(self, shared_entries: Mapping[str, Any]) -> int:
        """Uploads local changes as the new head and returns its version.

        Raises LostRaceError if the head has changed.
        """
        sums = HashCache(self._layout.root, self._sums)
        held = tuple(sums.describe_blob(name) for name in sorted(self._names()))
        sums.keep()
        former = self._previous_contents()
        contents = MarketContents(0 if former is None else former.version, held, shared_entries)
        if former is not None and contents.as_bytes() == former.as_bytes():
            return former.version
        contents = MarketContents(contents.version + 1, held, shared_entries)
        known = {parcel.sha256 for parcel in former.files} if former is not None else set()
        blobs.upload_missing_blobs(
            self._store, self._area, self._layout.root, [one for one in held if one.sha256 not in known]
        )
        written = contents.as_bytes()
        key = blobs.content_key(self._area, written)
        self._store.create(key, written)
        stale = self._stale_keys({one.key(self._area) for one in held} | {key})
        self._replace_head({"version": contents.version, "contents": key, "token": self._token})
        atomic_files.write_json(self._adopted, {"contents": key})
        self._store.remove(stale)
        return contents.version

    def _head_document(self) -> dict[str, Any]:
        """The head as it was last seen; the first one has no contents."""
        written = {} if self._seen is None else json.loads(self._seen.content)
        return {"version": 0, "contents": None, "token": 0} | written

    def _previous_contents(self) -> MarketContents | None:
        if (key := self._head_document()["contents"]) is None:
            return None
        found = self._store.read(key)
        return None if found is None else MarketContents.parse(key, found.content)

    def _replace_head(self, head: Mapping[str, Any]) -> None:
        key, content = f"{self._area}/head.json", json.dumps(head).encode()
        is_ours = self._head_document()["token"] <= self._token
        made = self._store.replace_previous(key, content, self._seen) if is_ours else None
        if made is None:
            raise LostRaceError(
                f"another machine has updated market {self._market} at {self._store.address}: this run's result "
                "is discarded; run this again to continue from theirs"
            )
        self._seen = made

    def _stale_keys(self, needed: set[str]) -> list[str]:
        kept = {f"{self._area}/head.json", *needed}
        return [key for key in self._store.keys(f"{self._area}/") if key not in kept]

    def _place(self, contents: MarketContents) -> None:
        """Fetches all missing files before changing anything; after a kill, the next run completes it."""
        for parcel in contents.files:
            if not self._is_market_file(parcel.name):
                raise CorruptObjectError(f"the head of {self._market} refers to a foreign file: {parcel.name[:200]!r}")
        sums = HashCache(self._layout.root, self._sums)
        lacking = [parcel for parcel in contents.files if not sums.is_there(parcel)]
        names: dict[str, list[Path]] = {}
        for parcel in lacking:
            names.setdefault(parcel.sha256, []).append(self._layout.root / parcel.name)
        unlike = {parcel.sha256: parcel for parcel in lacking}.values()
        fetched = [blobs.fetch_blob(self._store, self._area, parcel, self._incoming) for parcel in unlike]
        kept = {parcel.name for parcel in contents.files}
        gone = [self._layout.root / name for name in self._names() if name not in kept]
        with self._cleared_index([*gone, *(path for paths in names.values() for path in paths)]):
            for path in gone:
                atomic_files.delete_if_exists(path)
            for path in fetched:
                _move_to_targets(path, names[path.name])
        atomic_files.delete_if_exists(self._incoming)
        sums.keep()

    @contextmanager
    def _cleared_index(self, changed: Iterable[Path]) -> Iterator[None]:
        """Empties the market's index if a staged batch that it may know changes or goes.

        Before: a kill may come in between. After: another process may have asked in between.
        """
        if not any(path.name == INDEX and path.exists() for path in changed):
            yield
            return
        index = MarketIndex(self._layout)
        index.clear(self._market)
        yield
        index.clear(self._market)

    def _market_folders(self) -> list[Path]:
        """Folders that belong to this market entirely."""
        layout = self._layout
        return [layout.snapshots_folder / self._market, *(layout.staged_folder / dataset for dataset in self._datasets)]

    def _is_market_file(self, name: str) -> bool:
        path = self._layout.root / name
        single = {*self._history_paths(), *(self._manifest(dataset) for dataset in self._datasets)}
        is_body = path.parent.parent == self._layout.raw_folder / "sha256" and path.suffix == ".zst"
        return path in single or is_body or any(folder in path.parents for folder in self._market_folders())

    def _history_paths(self) -> tuple[Path, Path]:
        path = self._layout.history_file(self._market)
        return path, path.with_name(f"{path.name}.wal")

    def _manifest(self, dataset: str) -> Path:
        return self._layout.raw_folder / "manifest" / f"{dataset}.jsonl"

    def _names(self) -> set[str]:
        """Names of the market's local files, without temporary ones."""
        found = {path for path in self._history_paths() if path.exists()}
        for dataset in self._datasets:
            if self._manifest(dataset).exists():
                found.add(self._manifest(dataset))
                found.update(self._body_paths(self._manifest(dataset)))
        for folder in self._market_folders():
            found.update(path for path in folder.rglob("*") if path.is_file() and not _is_incomplete(path, folder))
        return {path.relative_to(self._layout.root).as_posix() for path in found}

    def _body_paths(self, manifest: Path) -> Iterator[Path]:
        """Bodies listed in a manifest that still exist: erased ones do not."""
        with manifest.open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    return  # incomplete line left by a kill
                told = json.loads(line)
                for sha256 in (told.get("sha256"), told.get("became")):
                    path = self._layout.raw_folder / "sha256" / str(sha256)[:2] / f"{sha256}.zst"
                    if sha256 is not None and path.exists():
                        yield path


def _is_incomplete(path: Path, folder: Path) -> bool:
    return any(part.endswith(atomic_files.TEMPORARY) for part in path.relative_to(folder).parts)


def _move_to_targets(path: Path, targets: list[Path]) -> None:
    """Moves a file to all its names, with a copy for each: they may be changed independently later."""
    for number, target in enumerate(targets, 1):
        atomic_files.make_folder(target.parent)
        built = atomic_files.temporary_path(target)
        if number < len(targets):
            atomic_files.copy_file(path, built)
        else:
            path.replace(built)
        atomic_files.publish_file(built, target)
