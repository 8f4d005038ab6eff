"""Making a market's files equal to a state in the object store, from what changed since the state that is known here.

All that is lacking is fetched and checked before anything changes; after a kill, the next fetch completes it. Bodies
come before the manifests that name them, and go before the manifests cease to. Does not belong here: which state counts
(`market_state`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.market_index.batches import INDEX
from warehouse.replication import blobs, market_manifests
from warehouse.replication.blobs import BlobRef
from warehouse.replication.errors import MissingObjectError
from warehouse.replication.market_contents import ADVICE, FileChange, MarketContents, StatePart
from warehouse.replication.market_files import MarketFiles
from warehouse.replication.market_manifests import ManifestChange, Stretch
from warehouse.replication.s3 import ObjectStore
from warehouse.replication.state_index import FileKind, FileStamp, StateIndex
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout


class MarketFetch:
    """Fetches one market of one store into one data root."""

    def __init__(
        self,
        layout: Layout,
        store: ObjectStore,
        market: str,
        files: MarketFiles,
        index: StateIndex,
        on_step: atomic_files.Step,
    ) -> None:
        self._store = store
        self._market = market
        self._area = f"markets/{market}"
        self._files = files
        self._index = index
        self._on_step = on_step
        self._incoming = layout.replication_folder / f"incoming-{market}"

    def make_equal(self, key: str, contents: MarketContents) -> None:
        """Makes the market's files those of a state, and the index too."""
        from_start = self._want_changes(contents)
        for wanted in self._index.wanted():
            if wanted.file is not None:
                self._files.require_own(wanted.name)
        lacking = list(self._lacking_files())
        changes = list(self._manifest_changes())
        for file in {one.sha256: one for one in lacking}.values():
            self._fetch_file(file)
        for stretch in (one for change in changes for one in change.lacking):
            market_manifests.require_whole(stretch, self._fetch_file(stretch.blob))
        self._on_step("files fetched")
        self._place(lacking)
        for change in changes:
            change.apply(self._incoming)
            self._on_step("manifest written")
        atomic_files.delete_if_exists(self._incoming)
        self._index.stamp_wanted(self._stamps())
        positions = {dataset: self._files.manifest_position(dataset) for dataset in self._files.datasets}
        self._index.commit(key, contents, positions, from_start=from_start)
        self._on_step("index written")

    def want_log(self, contents: MarketContents, place: int) -> None:
        """Wants in the index what the log of a state says from a place on, where a part begins."""
        if not contents.parts:
            self._index.want_logged(0, (FileChange(file.name, file) for file in contents.earlier_files))
        for part in contents.parts:
            if part.first >= place:
                self._index.want_logged(part.first, self.read_part(part))

    def read_part(self, part: StatePart) -> list[FileChange]:
        """The changes of a part; raises MissingObjectError or CorruptObjectError."""
        key = part.blob.key(self._area)
        found = self._store.read(key)
        if found is None:
            raise MissingObjectError(
                f"{self._store.address}/{key} is missing, but the state of {self._market} has this part: {ADVICE}"
            )
        return part.changes(f"{self._store.address}/{key}", found.content)

    def _want_changes(self, contents: MarketContents) -> bool:
        """Wants what differs from the state; returns whether that is all of it, and not only what is new."""
        known = self._index.contents()
        place = 0 if known is None else contents.shared_parts(known[1])
        self.want_log(contents, place)
        if place and self._index.has_unwanted_since(place):  # the store was restored: this is another log
            self._index.begin()
            place = 0
            self.want_log(contents, place)
        if not place:
            self._index.want_rest_gone()
        self._files.note_candidates(self._index)
        self._index.want_as_stored(self._files.body_name(sha256) for sha256, _ in self._index.candidates())
        self._index.want_as_stored(self._files.changed_names(self._index))
        return not place

    def _lacking_files(self) -> Iterator[BlobRef]:
        """Wanted files that are not here; stretches of manifests are none."""
        stamps = self._index.stamps()
        for wanted in self._index.wanted():
            file = wanted.file
            if file is None or market_manifests.is_stretch(file.name):
                continue
            path = self._files.path(file.name)
            is_there = path.is_file() and path.stat().st_size == file.size
            if is_there and wanted.kind is not FileKind.BODY:  # bodies never change
                known = self._index.file(file.name)
                is_there = self._files.describe(file.name, known, stamps.get(file.name))[0] == file
            if not is_there:
                yield file

    def _manifest_changes(self) -> Iterator[ManifestChange]:
        for dataset in self._files.datasets:
            manifest = self._files.manifest_name(dataset)
            files = self._index.wanted_manifest_files(manifest)
            if all(market_manifests.is_stretch(file.name) for file in files):
                path = self._files.manifests.manifest_path(dataset)
                now = self._files.manifest_position(dataset)
                wanted = market_manifests.ordered_stretches(files)
                change = ManifestChange.of(path, now, self._known_stretches(dataset), wanted)
                if change is not None:
                    yield change

    def _known_stretches(self, dataset: str) -> list[Stretch]:
        """Stretches with which the manifest here begins, as far as that is known."""
        if not self._index.position(dataset).lines or not self._files.is_continued(dataset, self._index):
            return []
        files = self._index.manifest_files(self._files.manifest_name(dataset))
        return market_manifests.ordered_stretches(file for file in files if market_manifests.is_stretch(file.name))

    def _fetch_file(self, file: BlobRef) -> Path:
        try:
            return blobs.fetch_blob(self._store, self._area, file, self._incoming, ADVICE)
        except MissingObjectError:
            raise MissingObjectError(
                f"{self._store.address}/{file.key(self._area)} is missing, but the state of {self._market} has it as "
                f"{file.name}: {ADVICE}"
            ) from None

    def _place(self, lacking: list[BlobRef]) -> None:
        """Removes what is to go, and moves what was fetched to its names."""
        targets: dict[str, list[Path]] = {}
        for file in lacking:
            targets.setdefault(file.sha256, []).append(self._files.path(file.name))
        gone = [
            self._files.path(one.name)
            for one in self._index.wanted()
            if one.file is None and one.kind is not FileKind.MANIFEST
        ]
        with self._cleared_index([*gone, *(path for paths in targets.values() for path in paths)]):
            for path in gone:
                atomic_files.delete_if_exists(path)
                self._on_step("file removed")
            for sha256, paths in targets.items():
                _move_to_targets(self._incoming / sha256, paths)
                self._on_step("file placed")

    def _stamps(self) -> Iterator[tuple[str, FileStamp]]:
        for one in self._index.wanted():
            if one.file is not None and one.kind is FileKind.OTHER:
                yield one.name, FileStamp.of(self._files.path(one.name))

    @contextmanager
    def _cleared_index(self, changed: Iterable[Path]) -> Iterator[None]:
        """Empties the market's index if a staged batch that it may know changes or goes.

        Before: a kill may come in between. After: another process may have asked in between.
        """
        if not any(path.name == INDEX and path.exists() for path in changed):
            yield
            return
        self._files.manifests.clear(self._market)
        yield
        self._files.manifests.clear(self._market)


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
