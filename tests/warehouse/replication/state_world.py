"""A market of two machines that work in turn, and a store in memory that counts requests and ends a process at any."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.warehouse.helpers import Sent, day
from warehouse.raw.archive import RawArchive
from warehouse.replication.errors import MissingObjectError
from warehouse.replication.market_contents import MarketContents
from warehouse.replication.market_state import ReplicatedMarket
from warehouse.replication.s3 import StoredDocument
from warehouse.schema.retractions import BatchRetraction
from warehouse.storage.layout import Layout

DATASETS = ("no.x", "no.y")


class ProcessKilledError(BaseException):
    """The process ends here."""


@dataclass
class Killer:
    """Ends the process at one of its steps; never without a number."""

    at: int | None = None
    met: int = 0

    def step(self, _: str) -> None:
        self.met += 1
        if self.met == self.at:
            raise ProcessKilledError


@dataclass
class MemoryStore:
    """An object store that is shaped like `ObjectStore`; `killer` comes before and after whatever changes it."""

    objects: dict[str, bytes] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    moved_bytes: int = 0
    killer: Killer = field(default_factory=Killer)
    address: str = "memory://store"

    def _asked(self, what: str, content: bytes = b"") -> None:
        self.requests[what] += 1
        self.moved_bytes += len(content)

    def read(self, key: str) -> StoredDocument | None:
        content = self.objects.get(key)
        self._asked("read", content or b"")
        return None if content is None else StoredDocument(content, hashlib.sha256(content).hexdigest())

    def create(self, key: str, content: bytes) -> str | None:
        if key in self.objects:
            self._asked("create", content)
            return None
        return self._put("create", key, content)

    def replace_previous(self, key: str, content: bytes, previous: StoredDocument | None) -> StoredDocument | None:
        if self.objects.get(key) != (None if previous is None else previous.content):
            self._asked("replace", content)
            return None
        return StoredDocument(content, self._put("replace", key, content))

    def has(self, key: str, size: int) -> bool:
        self._asked("has")
        return key in self.objects and len(self.objects[key]) == size

    def upload(self, key: str, path: Path) -> None:
        self._put("upload", key, path.read_bytes())

    def download(self, key: str, path: Path, size: int) -> None:
        if key not in self.objects:
            raise MissingObjectError(key)
        self._asked("download", self.objects[key])
        path.write_bytes(self.objects[key][:size])

    def keys(self, prefix: str) -> list[str]:
        found = [key for key in self.objects if key.startswith(prefix)]
        self.requests["list"] += 1 + len(found) // 1000
        return found

    def remove(self, keys: list[str]) -> None:
        for key in keys:
            self.killer.step("remove")
            self.objects.pop(key, None)
        self.requests["remove"] += bool(keys)

    def _put(self, what: str, key: str, content: bytes) -> str:
        self.killer.step(f"before {what}")
        self._asked(what, content)
        self.objects[key] = content
        self.killer.step(f"after {what}")
        return hashlib.sha256(content).hexdigest()


def market_files(layout: Layout) -> dict[str, bytes]:
    """Everything of a data root but what belongs to a machine alone."""
    own = {layout.replication_folder, layout.indexes_folder}
    found = (path for path in layout.root.rglob("*") if path.is_file() and own.isdisjoint(path.parents))
    return {path.relative_to(layout.root).as_posix(): path.read_bytes() for path in found}


class Machine:
    """One machine: its disk, and what runs do there."""

    def __init__(self, root: Path, store: MemoryStore) -> None:
        self.layout = Layout(root)
        self.store = store
        self._batches = 0

    def lost(self) -> Machine:
        """The same with an empty disk."""
        shutil.rmtree(self.layout.root, ignore_errors=True)
        return self

    def market(self, token: int, killer: Killer | None = None) -> ReplicatedMarket:
        on_step = (killer or Killer()).step
        return ReplicatedMarket(self.layout, self.store, "NO", DATASETS, token, on_step)  # type: ignore[arg-type]

    def files(self) -> dict[str, bytes]:
        return market_files(self.layout)

    @property
    def archive(self) -> RawArchive:
        return RawArchive(self.layout, clock=lambda: day(1))

    def bodies(self, dataset: str) -> list[Any]:
        return [body for body in self.archive.bodies(dataset) if self.archive.stored_bytes(body) is not None]

    def write(self, name: str, content: str) -> None:
        path = self.layout.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        built = path.with_name(path.name + ".tmp")
        built.write_text(content)
        built.replace(path)


def _receive(machine: Machine, number: int) -> None:
    for dataset in DATASETS[: 1 + number % 2]:
        machine.archive.store_body(dataset, Sent(f"{number % 5}.csv", f"body {number % 7}".encode()), f"b{number}")


def _fail(machine: Machine, number: int) -> None:
    machine.archive.record_failed_fetch(DATASETS[number % 2], "f.csv", None, "no answer", f"b{number}")


def _erase(machine: Machine, number: int) -> None:
    for body in machine.bodies("no.x")[:1]:
        replacement = io.BytesIO(f"left {number % 3}".encode()) if number % 2 else None
        machine.archive.erase_body("no.x", body.sha256, "asked for", replacement)


def _prune(machine: Machine, number: int) -> None:
    for body in machine.bodies(DATASETS[number % 2])[-1:]:
        machine.archive.prune_body(body)


def _retract(machine: Machine, number: int) -> None:
    retraction = BatchRetraction((f"b{number}",), ("no.x",), f"b{number}", day(5), "anna", "wrong file")
    machine.archive.retract_batches("no.x", retraction, [])


def _redact(machine: Machine, number: int) -> None:
    def redacted(line: Mapping[str, Any]) -> dict[str, Any]:
        return {**line, "batch": "gone"} if line["batch"] == f"b{number % 4}" else dict(line)

    machine.archive.redact_lines("no.x", redacted)
    machine.archive.clear_index("NO")


def _stage(machine: Machine, number: int) -> None:
    index = {"editions": [], "pieces": [], "figures": {}, "cursor": None, "held": None, "number": number}
    machine.write(f"staged/no.y/b{number % 4}/index.json", json.dumps(index))
    machine.write(f"staged/no.y/b{number % 4}/rows.parquet", f"rows {number % 3}")
    machine.write("history/NO.duckdb", f"history {number}")


def _drop_rows(machine: Machine, number: int) -> None:
    (machine.layout.root / f"staged/no.y/b{number % 4}/rows.parquet").unlink(missing_ok=True)


def _lose_index(machine: Machine, _: int) -> None:
    shutil.rmtree(machine.layout.indexes_folder, ignore_errors=True)


ACTIONS: dict[str, Callable[[Machine, int], None]] = {
    "receive": _receive,
    "fail": _fail,
    "erase": _erase,
    "prune": _prune,
    "retract": _retract,
    "redact": _redact,
    "stage": _stage,
    "drop rows": _drop_rows,
    "lose index": _lose_index,
}


def needed_keys(store: MemoryStore) -> Iterator[str]:
    """Keys that the head of the store needs, by the documents themselves."""
    head = json.loads(store.objects["markets/NO/head.json"])
    yield "markets/NO/head.json"
    if head["contents"] is None:
        return
    yield head["contents"]
    contents = MarketContents.parse(head["contents"], store.objects[head["contents"]])
    files = {}
    for part in contents.parts:
        key = part.blob.key("markets/NO")
        yield key
        files.update(part.changes(key, store.objects[key]))
    yield from (file.key("markets/NO") for file in files.values() if file is not None)
