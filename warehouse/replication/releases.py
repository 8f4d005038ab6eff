"""Replication of releases: sent by the publishing machine, fetched by machines that serve or publish next.

Machines publish one at a time, under a lease, whose token they first write into the pointer. Order of a publish:
files, contents, pointer; the pointer is replaced by compare-and-swap with the one the release was built on, so
nothing becomes visible from a machine that has lost its lease. Order of a fetch: ledger, files, manifest, local
pointer; segments that a release on this machine has are linked. Both may be killed at any point and resume there.
Does not belong here: building releases (`warehouse.publish.publisher`), or when to fetch (`follower`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from warehouse.ledger import read_index
from warehouse.ledger.read_index import LedgerSegment
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import MANIFEST, ReleaseManifest
from warehouse.release.segments import address_of
from warehouse.replication import blobs
from warehouse.replication.blobs import BlobRef, HashCache
from warehouse.replication.errors import CorruptObjectError, DivergedReplicaError, LostRaceError, MissingObjectError
from warehouse.replication.lease import LeaseDatabase, LeaseTiming, distributed_lease
from warehouse.replication.release_manifest import LEDGER, POINTER, SEGMENTS, ReleaseContents, ReleasePointer
from warehouse.replication.s3 import ObjectStore, StoredDocument
from warehouse.replication.settings import StoreAddress
from warehouse.storage import atomic_files
from warehouse.storage.layout import DIGITS, Layout

LEASE: Final = "a release"
_WAIT_SECONDS: Final = 3600.0  # another machine may be doing a full build
_ADVICE: Final = "upload it again from a machine that has it (`firm release push`), or restore the bucket"
_TRIES: Final = 3  # a release may be pruned in the store while it is fetched


class ReplicatedReleases:
    """The releases of one data root and one store (`ReplicationHook`). All methods require the release lock.

    keep: number of releases to keep; the store keeps none older than the oldest on the machine that published
    last. lease_url: the PostgreSQL database of leases; empty on a machine that only fetches.
    """

    def __init__(self, layout: Layout, store: ObjectStore, keep: int, timing: LeaseTiming, lease_url: str = "") -> None:
        self._timing = timing
        self._lease_url = lease_url
        self._token = 0
        self._layout = layout
        self._store = store
        self._keep = keep
        self._seen: StoredDocument | None = None
        self._adopted = layout.replication_folder / "adopted.json"
        self._incoming = layout.replication_folder / "incoming"

    @contextmanager
    def hold_release_lock(self) -> Iterator[None]:
        leases = LeaseDatabase(self._lease_url, str(self._store.address))
        found = self._store.read(POINTER)
        above = 0 if found is None else ReleasePointer.parse(found.content).token
        with distributed_lease(leases, LEASE, self._timing, _WAIT_SECONDS, above) as self._token:
            self.fetch()
            if self._seen is not None:
                self._replace_pointer(replace(ReleasePointer.parse(self._seen.content), token=self._token))
            yield

    def publish(self, manifest: ReleaseManifest) -> None:
        """Uploads a release and makes it the store's newest.

        Raises LostRaceError if the newest has changed since our turn began.
        """
        contents = self._local_contents(manifest.release)
        former = ReleasePointer.parse(self._seen.content).contents if self._seen is not None else None
        oldest = self._oldest_retained(manifest.release)
        # listed before the upload: a machine that publishes later needs none of these
        stale = self._stale_keys(contents, oldest, former)
        if contents.key() != former:
            self._send_contents(contents, former)
        digest = _manifest_sha256(contents)
        self._replace_pointer(
            ReleasePointer(manifest.release, oldest, digest, contents.key(), self._checked(), self._token)
        )
        self._store.remove(stale)

    def _send_contents(self, contents: ReleaseContents, former: str | None) -> None:
        document = None if former is None else self._store.read(former)
        there = () if document is None or former is None else ReleaseContents.parse(former, document.content).ledger
        fresh = [parcel for parcel in contents.ledger if parcel not in there]
        blobs.upload_missing_blobs(self._store, LEDGER, self._layout.root, fresh)
        for area, parcel in contents.placed_files():
            blobs.upload_missing_blobs(self._store, area, self._layout.root, [parcel])
        self._store.create(contents.key(), contents.as_bytes())

    def send_again(self, manifest: ReleaseManifest) -> None:
        """Uploads the newest release unconditionally: the store's copy may be damaged."""
        contents = self._local_contents(manifest.release)
        for area, parcel in contents.placed():
            blobs.upload_blob(self._store, area, self._layout.root, parcel)
        self.publish(manifest)

    def fetch(self) -> int | None:
        """Fetches the store's newest release; returns its number if there was anything to fetch."""
        for left in reversed(range(_TRIES)):
            self._seen = self._store.read(POINTER)
            if self._seen is None:
                return None
            pointer = ReleasePointer.parse(self._seen.content)
            if self._is_current(pointer) and self._is_complete(pointer):
                self._apply_pointer(pointer)
                return None
            try:
                self._fetch_release(pointer)
            except MissingObjectError:
                if not left:
                    raise
                continue
            return pointer.release
        return None

    @property
    def has_release(self) -> bool:
        """Whether the store had any release when it was last looked at (`fetch`)."""
        return self._seen is not None

    def _local_contents(self, number: int) -> ReleaseContents:
        sums = HashCache(self._layout.root, self._layout.replication_folder / "sums.json")
        contents = ReleaseContents.of(self._layout, number, sums)
        sums.keep()
        return contents

    def _checked(self) -> dict[str, object] | None:
        try:
            return json.loads(self._layout.freshness_file.read_bytes())
        except FileNotFoundError:
            return None

    def _replace_pointer(self, pointer: ReleasePointer) -> None:
        content = pointer.as_bytes()
        if self._seen is not None and self._seen.content == content:
            return
        is_ours = self._seen is None or ReleasePointer.parse(self._seen.content).token <= pointer.token
        made = self._store.replace_previous(POINTER, content, self._seen) if is_ours else None
        if made is None:
            raise LostRaceError(
                f"another machine publishes at {self._store.address} since release {pointer.release} was begun here: "
                "ours is not published; run this again to continue from theirs"
            )
        self._seen = made
        atomic_files.write_json(self._adopted, {"contents": pointer.contents})

    def _oldest_retained(self, newest: int) -> int:
        """The oldest release to keep anywhere: what this machine has pruned is deleted for all."""
        local = [number for number in release_manifest.release_numbers(self._layout) if number < newest]
        return [*local, newest][-self._keep :][0]

    def _stale_keys(self, contents: ReleaseContents, oldest: int, former: str | None) -> list[str]:
        """Keys that no kept release needs: older releases, other contents of this one, rewritten segments.

        Segments of the former newest release stay, as others may be fetching it, unless it is older than `oldest`.
        """
        needed = {parcel.key(area) for area, parcel in contents.placed()} | {contents.key(), POINTER}
        for number in release_manifest.release_numbers(self._layout):
            if number >= oldest:
                files = release_manifest.read_manifest(self._layout, number).sizes
                needed.update(f"{SEGMENTS}/{address_of(name)}" for name in files)
        document = None if former is None else self._store.read(former)
        if former is not None and document is not None:
            earlier = ReleaseContents.parse(former, document.content)
            needed.update(parcel.key(area) for area, parcel in earlier.placed_files() if earlier.release >= oldest)
        found = [key for area in ("releases", SEGMENTS, LEDGER) for key in self._store.keys(f"{area}/")]
        return [key for key in found if key not in needed and _is_stale(key, contents.release, oldest)]

    def _is_complete(self, pointer: ReleasePointer) -> bool:
        """False if a file of the current release is missing or truncated on this machine: it is fetched again."""
        folder = self._layout.release_folder(pointer.release)
        sizes = release_manifest.read_manifest(self._layout, pointer.release).sizes
        return all((folder / name).is_file() and (folder / name).stat().st_size == size for name, size in sizes.items())

    def _is_current(self, pointer: ReleasePointer) -> bool:
        here = release_manifest.served_manifest(self._layout)
        if here is None or here.release < pointer.release:
            return False
        ours = release_manifest.manifest_digest(self._layout, here.release)
        if here.release > pointer.release or ours != pointer.manifest_sha256:
            raise DivergedReplicaError(
                f"this machine serves release {here.release}, and the newest at {self._store.address} is another "
                f"line's {pointer.release}: give this machine an empty FIRM_DATA, or another prefix in the store"
            )
        return pointer.contents == blobs.adopted_contents(self._adopted)

    def _fetch_release(self, pointer: ReleasePointer) -> None:
        document = self._store.read(pointer.contents)
        if document is None:
            raise MissingObjectError(pointer.contents)
        contents = ReleaseContents.parse(pointer.contents, document.content)
        if contents.release != pointer.release or _manifest_sha256(contents) != pointer.manifest_sha256:
            raise CorruptObjectError(
                f"{pointer.contents} of the object store does not belong to release {pointer.release}"
            )
        self._place(contents)
        release_manifest.read_manifest(self._layout, pointer.release)  # one that cannot be read is not served
        release_manifest.write_pointer(self._layout, pointer.release)
        self._apply_pointer(pointer)
        atomic_files.write_json(self._adopted, {"contents": pointer.contents})
        atomic_files.delete_if_exists(self._incoming)
        release_manifest.prune_releases(self._layout, self._keep)

    def _place(self, contents: ReleaseContents) -> None:
        """Downloads all missing files before moving them into place."""
        sums = HashCache(self._layout.root, self._layout.replication_folder / "sums.json")
        ledger = [self._fetch_missing(LEDGER, parcel, sums) for parcel in contents.ledger]
        release = [self._fetch_missing(area, parcel, sums) for area, parcel in contents.placed_files()]
        self._move_files(ledger, sums)
        self._index(contents)
        self._move_files(release, sums)
        sums.keep()

    def _fetch_missing(self, area: str, parcel: BlobRef, sums: HashCache) -> tuple[Path, BlobRef] | None:
        """Downloads a file if no release on this machine has it; returns where it is, None if it is in place."""
        if sums.is_there(parcel):
            return None
        if area == SEGMENTS:
            last = parcel.name.rpartition("/")[2]
            for number in release_manifest.release_numbers(self._layout):
                path = self._layout.release_folder(number) / last
                if sums.is_there(replace(parcel, name=path.relative_to(self._layout.root).as_posix())):
                    return path, parcel
        return blobs.fetch_blob(self._store, area, parcel, self._incoming, _ADVICE), parcel

    def _move_files(self, received: Iterable[tuple[Path, BlobRef] | None], sums: HashCache) -> None:
        for path, parcel in filter(None, received):
            target = self._layout.root / parcel.name
            atomic_files.make_folder(target.parent)
            if path.parent == self._incoming:
                path.replace(target)
            else:
                atomic_files.delete_if_exists(target)  # truncated
                atomic_files.link_file(path, target)
            atomic_files.sync_folder(target.parent)
            sums.record(parcel)

    def _index(self, contents: ReleaseContents) -> None:
        entries = tuple(LedgerSegment(**entry) for entry in contents.index)
        if entries != read_index.read_segments(self._layout.ledger_folder):
            read_index.write_segments(self._layout.ledger_folder, entries)

    def _apply_pointer(self, pointer: ReleasePointer) -> None:
        release_manifest.prune_below(self._layout, pointer.oldest)
        if pointer.checked is not None and pointer.checked != self._checked():
            atomic_files.write_json(self._layout.freshness_file, dict(pointer.checked))


def replicated_releases(
    layout: Layout, address: StoreAddress, keep: int, lease_seconds: float, lease_url: str
) -> ReplicatedReleases:
    """The releases of a data root and the store from the settings. Makes no connection yet."""
    return ReplicatedReleases(layout, ObjectStore(address), keep, LeaseTiming(lease_seconds), lease_url)


def _manifest_sha256(contents: ReleaseContents) -> str:
    [manifest] = [parcel for parcel in contents.files if parcel.name.endswith(f"/{MANIFEST}")]
    return manifest.sha256


def _is_stale(key: str, newest: int, oldest: int) -> bool:
    """True if an unneeded key may be deleted; newer releases may be in the process of being published."""
    area, _, rest = key.partition("/")
    if area in (LEDGER, SEGMENTS):
        return True
    number = rest[:DIGITS]
    return number.isdecimal() and (int(number) < oldest or int(number) == newest)
