"""A market's files on this machine: which names they have, and what differs from the store since the last transfer.

RAW is compared by what its manifests say beyond the lines that were sent or fetched last; the other files, which
retention keeps few, by their stamps. A body leaves the state only if a line says that it was erased or pruned. Does not
belong here: requests to the store (`market_state`), or the content of files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from warehouse.market_index.index import MarketIndex, Part
from warehouse.market_index.manifests import ManifestPosition
from warehouse.raw.blobs import blob_path
from warehouse.replication import market_manifests
from warehouse.replication.blobs import BlobRef, HashCache
from warehouse.replication.errors import CorruptObjectError
from warehouse.replication.market_contents import FileChange
from warehouse.replication.market_manifests import Stretch
from warehouse.replication.state_index import FileKind, FileStamp, StateIndex
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_MANIFEST_KEYS: Final = ("sha256", "became")  # of bodies that a line says to be stored
_REMOVAL_KEYS: Final = ("erased", "pruned")  # and to be deleted
_START: Final = ManifestPosition()


class MarketFiles:
    """The files of one market in one data root. datasets: keys of the market's datasets."""

    def __init__(self, layout: Layout, market: str, datasets: Sequence[str]) -> None:
        self._layout = layout
        self._market = market
        self.datasets = tuple(datasets)
        self.manifests = MarketIndex(layout)
        self._earlier_hashes = layout.replication_folder / f"sums-{market}.json"  # as earlier versions kept them
        self._hashes = HashCache(layout.root, self._earlier_hashes)
        raw = layout.raw_folder.relative_to(layout.root).as_posix()
        self._bodies, self._manifests = f"{raw}/sha256/", f"{raw}/manifest/"
        self._folders = [layout.snapshots_folder / market, *(layout.staged_folder / one for one in self.datasets)]

    def kind_of(self, name: str) -> FileKind:
        """What a name is, by its folder."""
        if name.startswith(self._bodies):
            return FileKind.BODY
        return FileKind.MANIFEST if name.startswith(self._manifests) else FileKind.OTHER

    def path(self, name: str) -> Path:
        """The file of a name that is no stretch of a manifest."""
        return self._layout.root / name

    def manifest_name(self, dataset: str) -> str:
        """The name of a dataset's manifest."""
        return f"{self._manifests}{dataset}.jsonl"

    def body_name(self, sha256: str) -> str:
        """The name of a body of RAW."""
        return blob_path(self._layout.raw_folder, sha256).relative_to(self._layout.root).as_posix()

    def require_own(self, name: str) -> None:
        """Raises CorruptObjectError if a name of the store cannot be a file of this market."""
        path = self.path(name)
        kind = self.kind_of(name)
        if kind is FileKind.BODY:
            is_own = name == self.body_name(path.stem)
        elif kind is FileKind.MANIFEST:
            manifest = market_manifests.manifest_of(name)
            is_own = any(manifest == self.manifest_name(dataset) for dataset in self.datasets)
        else:
            is_own = path in self._history_paths() or any(folder in path.parents for folder in self._folders)
        if not is_own:
            raise CorruptObjectError(f"the head of {self._market} refers to a foreign file: {name[:200]!r}")

    def describe(self, name: str, known: BlobRef | None, stamp: FileStamp | None) -> tuple[BlobRef, FileStamp]:
        """The file of a name now, hashed unless its stamp is that of the known one."""
        path = self.path(name)
        now = FileStamp.of(path)
        if known is not None and stamp == now:
            return known, now
        return self._hashes.describe_blob(name), now

    def forget_earlier_hashes(self) -> None:
        """Removes the hashes that an earlier version kept: they are in the index now."""
        atomic_files.delete_if_exists(self._earlier_hashes)

    def changed_names(self, index: StateIndex) -> list[str]:
        """Names, but those of RAW, whose file is another than when it was last seen to be as in the store."""
        now, known = self._stamps(), index.stamps()
        changed = {name for name, stamp in now.items() if known.get(name) != stamp}
        return sorted(changed | (known.keys() - now.keys()))

    def manifest_position(self, dataset: str) -> ManifestPosition:
        """The lines that a manifest has now."""
        return self.manifests.manifest_position(dataset)

    def is_continued(self, dataset: str, index: StateIndex) -> bool:
        """True if a manifest begins with the lines that the index has."""
        known, now = index.position(dataset), self.manifest_position(dataset)
        return known == now or market_manifests.is_continued(self.manifests.manifest_path(dataset), known, now)

    def note_candidates(self, index: StateIndex) -> None:
        """Notes the bodies of which manifests say something beyond the lines that the index has."""
        for dataset in self.datasets:
            known, now = index.position(dataset), self.manifest_position(dataset)
            if known != now:
                since = known if self.is_continued(dataset, index) else _START
                lines = market_manifests.lines_between(self.manifests.manifest_path(dataset), since, now)
                index.add_candidates(_bodies_named(lines))

    def want_changes(self, index: StateIndex, outgoing: Path) -> dict[str, ManifestPosition]:
        """Wants what differs from the store; objects of stretches are written to `outgoing`.

        Returns the lines of each manifest that the state then has.
        """
        self.note_candidates(index)
        for dataset in self._other_datasets():  # the same bytes may be a body of another market, and erased there
            erased = self.manifests.rows(dataset, Part.RAW, "SELECT sha256 FROM erased WHERE dataset = ?1")
            index.add_candidates((sha256, True) for (sha256,) in erased)
        index.want(self._changed_bodies(index))
        self._want_changed_files(index)
        return {dataset: self._want_stretches(dataset, index, outgoing) for dataset in self.datasets}

    def _changed_bodies(self, index: StateIndex) -> Iterator[tuple[FileChange, None]]:
        for sha256, is_removed in index.candidates():
            name = self.body_name(sha256)
            known = index.file(name)
            if self.path(name).exists():
                if known is None:
                    yield FileChange(name, self.describe(name, None, None)[0]), None
            elif known is not None and is_removed:
                yield FileChange(name, None), None

    def _want_changed_files(self, index: StateIndex) -> None:
        seen: dict[str, FileStamp] = {}
        changes: list[tuple[FileChange, FileStamp | None]] = []
        for name in self.changed_names(index):
            known = index.file(name)
            if not self.path(name).exists():
                changes.append((FileChange(name, None), None))
                continue
            file, stamp = self.describe(name, None, None)
            if file == known:
                seen[name] = stamp
            else:
                changes.append((FileChange(name, file), stamp))
        index.stamp_known(seen)
        index.want(changes)

    def _want_stretches(self, dataset: str, index: StateIndex, outgoing: Path) -> ManifestPosition:
        manifest, now = self.manifest_name(dataset), self.manifest_position(dataset)
        files = index.manifest_files(manifest)
        known: list[Stretch] = []
        position = index.position(dataset)
        is_whole_file = manifest in {file.name for file in files}  # of an earlier version
        if position == now and not is_whole_file:
            return now
        if position != _START and not is_whole_file and self.is_continued(dataset, index):
            known = market_manifests.ordered_stretches(files)
        path = self.manifests.manifest_path(dataset)
        made = {one.blob for one in market_manifests.make_stretches(path, manifest, now, known, outgoing)}
        kept = {file.name for file in made}
        index.want((FileChange(file.name, None), None) for file in files if file.name not in kept)
        index.want((FileChange(file.name, file), None) for file in made - set(files))
        return now

    def _other_datasets(self) -> list[str]:
        folder = self.manifests.manifest_path("").parent
        return sorted({path.stem for path in folder.glob("*.jsonl")} - set(self.datasets))

    def _history_paths(self) -> tuple[Path, Path]:
        path = self._layout.history_file(self._market)
        return path, path.with_name(f"{path.name}.wal")

    def _stamps(self) -> dict[str, FileStamp]:
        """Stamps of the market's files but those of RAW, without temporary ones."""
        found = [path for path in self._history_paths() if path.exists()]
        found += [Path(path) for folder in self._folders if folder.is_dir() for path in _complete_files(folder)]
        return {path.relative_to(self._layout.root).as_posix(): FileStamp.of(path) for path in found}


def _complete_files(folder: Path) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.name.endswith(atomic_files.TEMPORARY):
            continue
        if entry.is_dir():
            yield from _complete_files(Path(entry.path))
        elif entry.is_file():
            yield entry.path


def _bodies_named(lines: Iterable[bytes]) -> Iterator[tuple[str, bool]]:
    """SHA-256 of the bodies that lines name, and whether as deleted."""
    for line in lines:
        told = json.loads(line)
        for keys, is_removed in ((_MANIFEST_KEYS, False), (_REMOVAL_KEYS, True)):
            for key in keys:
                if told.get(key) is not None:
                    yield str(told[key]), is_removed
