"""Releases (docs/architecture.md 7): numbered folders, built, validated, published by one atomic replace.

Order of a publish: ledger segment, release folder, manifest, `current.json`, each durable before the next; if
releases are replicated to other machines (`ReplicationHook`), that precedes the local pointer. `remove_incomplete`
removes what a kill left above the pointer. Does not belong here: the content of the files (`full_build`,
`serving.documents_db`), reading them (`reader.reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol

import polars as pl

from warehouse.ledger.ledger import Ledger
from warehouse.publish import build as release_build
from warehouse.publish import validation
from warehouse.publish.build import MarketPart
from warehouse.publish.past_build import PastBuild, require_past
from warehouse.publish.segment_build import SegmentFolder
from warehouse.raw.archive import utc_now
from warehouse.release import freshness
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.release.segments import ROWS
from warehouse.serving.past_db import NOBODY, ErasedSubjects
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import release_lock

__all__ = ["InvalidReleaseError", "MarketPart", "ReleaseManifest", "ReleaseStore"]

KEEP: Final = 5


class ReplicationHook(Protocol):
    """Steps between building a release and serving it. Called with the release lock held."""

    def hold_release_lock(self) -> AbstractContextManager[None]:
        """Holds publishing for this machine, starting from the newest release of all machines."""
        ...

    def publish(self, manifest: ReleaseManifest) -> None:
        """Makes a built release the newest of all machines; this machine may serve it afterwards.

        Also called for the current release, to announce check times, erasures and pruning.
        """
        ...


class NoReplication:
    """A single machine without replication."""

    @contextmanager
    def hold_release_lock(self) -> Iterator[None]:
        yield

    def publish(self, manifest: ReleaseManifest) -> None:
        del manifest


class ReleaseStore:
    """The releases of one data root."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], datetime] = utc_now,
        keep: int = KEEP,
        on_step: atomic_files.Step = atomic_files.ignore_step,
        replication: ReplicationHook | None = None,
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._keep = keep
        self._on_step = on_step
        self._sharing = replication or NoReplication()
        self._ledger = Ledger(layout, on_step)

    def current_manifest(self) -> ReleaseManifest | None:
        """The current release, or None."""
        return release_manifest.served_manifest(self._layout)

    def list_releases(self) -> list[ReleaseManifest]:
        """Releases on disk, oldest first, without unpublished ones."""
        served = release_manifest.served_position(self._layout)[0]
        return [
            release_manifest.read_manifest(self._layout, number)
            for number in release_manifest.release_numbers(self._layout)
            if number <= served
        ]

    @contextmanager
    def hold_release_lock(self) -> Iterator[None]:
        """Holds the release locks, on this machine and on replicas; starts from the newest replicated release."""
        with release_lock(self._layout), self._sharing.hold_release_lock():
            yield

    def publish(
        self,
        parts: Mapping[str, MarketPart],
        events: pl.DataFrame,
        *,
        full: bool = False,
        erased: ErasedSubjects = NOBODY,
    ) -> ReleaseManifest | None:
        """Builds, validates and publishes the next release; None if nothing has changed.

        erased: subjects that what earlier releases served is written again without.
        """
        with self.hold_release_lock():
            manifest = self._build_release(parts, events, full=full, erased=erased)
            if manifest is not None:
                self._serve_release(manifest)
                release_manifest.prune_releases(self._layout, self._keep)
            return manifest

    def build(
        self, parts: Mapping[str, MarketPart], events: pl.DataFrame, *, full: bool = False
    ) -> ReleaseManifest | None:
        """Builds and validates the next release without publishing it; None if nothing has changed."""
        with self.hold_release_lock():
            return self._build_release(parts, events, full=full, erased=NOBODY)

    def serve_release(self, release: ReleaseManifest) -> None:
        """Publishes a release that has been built."""
        with self.hold_release_lock():
            self._serve_release(release)

    def remove_incomplete(self) -> list[str]:
        """Removes what a killed run left above the pointer.

        Returns messages on what was done. Called at the start of every run.
        """
        with release_lock(self._layout):
            return self._recover_from_crash()

    def record_checks(
        self, markets: Iterable[str], at: datetime, datasets: Mapping[str, freshness.DatasetCheck] | None = None
    ) -> None:
        """Records that markets and datasets have been checked, whether or not anything had changed."""
        with self.hold_release_lock():
            known = freshness.read_freshness(self._layout)
            freshness.write_freshness(
                self._layout,
                freshness.Freshness(
                    {**known.markets, **dict.fromkeys(markets, at)}, {**known.dataset_checks, **(datasets or {})}
                ),
            )
            self._replicate_served()

    def record_counts(self, counted: Mapping[str, freshness.CountedRows | None]) -> None:
        """Records what was counted of datasets that runs have checked."""
        with self.hold_release_lock():
            known = freshness.read_freshness(self._layout)
            checks = {
                key: replace(seen, counted=counted.get(key, seen.counted)) for key, seen in known.dataset_checks.items()
            }
            freshness.write_freshness(self._layout, freshness.Freshness(known.markets, checks))
            self._replicate_served()

    def verify_release(self, number: int) -> None:
        """Validates a whole release; raises InvalidReleaseError, naming the violation."""
        validation.verify_release(self._layout, release_manifest.read_manifest(self._layout, number))

    def rollback(self, number: int) -> ReleaseManifest:
        """Publishes the content of an older release under a new number; the ledger keeps all its events.

        What histories have learned since is published again with the next ingest of each market.
        """
        with self.hold_release_lock():
            self._recover_from_crash()
            served = self.current_manifest()
            if (
                served is None
                or number not in release_manifest.release_numbers(self._layout)
                or number >= served.release
            ):
                raise InvalidReleaseError(f"release {number} is not a kept release before the current one")
            manifest = self._copy_for_rollback(release_manifest.read_manifest(self._layout, number), served)
            self._serve_release(manifest)
            return manifest

    def prune_releases(self, keep: int | None = None) -> list[int]:
        """Deletes all but the newest releases, except those that a reader leases; returns their numbers."""
        with self.hold_release_lock():
            removed = release_manifest.prune_releases(self._layout, self._keep if keep is None else keep)
            self._replicate_served()
            return removed

    # Called under the release lock

    def _recover_from_crash(self) -> list[str]:
        served = release_manifest.served_position(self._layout)[0]
        numbers = release_manifest.release_numbers(self._layout)
        if served == 0 and len(numbers) > 1:
            raise InvalidReleaseError(
                f"{self._layout.release_pointer_file} is missing though releases exist: restore it, or name one in it"
            )
        told = self._ledger.repair_segments(served)
        folders = [path for path in self._layout.releases_folder.glob("[0-9]*") if int(path.name) > served]
        for folder in sorted(folders):
            atomic_files.delete_if_exists(folder)
            told.append(f"removed release {int(folder.name)}: it was never published")
        return told

    def _build_release(
        self, parts: Mapping[str, MarketPart], events: pl.DataFrame, *, full: bool, erased: ErasedSubjects
    ) -> ReleaseManifest | None:
        self._recover_from_crash()
        fresh = events.filter(~pl.col("event_id").is_in(self._ledger.known(events["event_id"]).to_list()))
        served = self.current_manifest()
        now = self._release_instant(served)
        torn = [] if served is None else validation.truncated_files(self._layout, served)
        if served is not None:
            require_past(self._layout, served, torn)
        is_torn = served is not None and any(name in torn for one in served.segments for name in one.files.values())
        plan = release_build.plan_release(
            served, parts, fresh, full=full or is_torn
        )  # nothing is added to truncated files
        if plan.is_empty:
            return None
        if served is not None and any(segment.files[ROWS] in torn for segment in served.segments):
            release_build.require_histories(plan)
        numbers = self._ledger.append(plan.number, plan.events, now)
        self._on_step("events numbered")
        atomic_files.make_folder(self._layout.release_folder(plan.number))
        written = release_build.write_release(self._layout, self._ledger, plan, self._on_step)
        past = PastBuild(self._layout, plan.number, now, served, torn, erased).write(written)
        self._on_step("past written")
        manifest = release_build.build_release_manifest(self._layout, plan, written, past, now, numbers)
        validation.verify_newest_documents(self._layout, manifest)
        self._seal(manifest)
        return manifest

    def _release_instant(self, served: ReleaseManifest | None) -> datetime:
        """The instant of the next release: by a clock that is behind the release before, or was set back, that one's.

        What was served at an instant, and events recorded since one, are found by instants that never fall.
        """
        now = self._clock()
        return now if served is None else max(now, served.built_at)

    def _copy_for_rollback(self, old: ReleaseManifest, served: ReleaseManifest) -> ReleaseManifest:
        number = served.release + 1
        folder = self._layout.release_folder(number)
        atomic_files.make_folder(folder)
        events_since = SegmentFolder.after(self._layout, number, old, self._on_step)
        written = events_since.write_delta({}, pl.Series("company_id", [], pl.String), self._ledger, old.last)
        now = self._release_instant(served)
        past = PastBuild(self._layout, number, now, served).write(written)
        manifest = replace(
            old,
            release=number,
            kind="rollback",
            built_at=now,
            previous=served.release,
            first=served.last + 1,
            last=served.last,
            segments=written,
            sizes=release_build.file_sizes_bytes(folder, written, past),
            history={},  # so that the next release takes each market in full
            rollback_of=old.release,
            past=past,
        )
        validation.verify_release(self._layout, manifest)
        self._seal(manifest)
        return manifest

    def _seal(self, manifest: ReleaseManifest) -> None:
        atomic_files.sync_tree(self._layout.release_folder(manifest.release))
        self._on_step("release synced")
        release_manifest.write_manifest(self._layout, manifest)
        self._on_step("manifest written")

    def _serve_release(self, manifest: ReleaseManifest) -> None:
        self._sharing.publish(manifest)
        self._on_step("release shared")
        release_manifest.write_pointer(self._layout, manifest.release)
        self._on_step("pointer replaced")

    def _replicate_served(self) -> None:
        """Announces the current release to other machines."""
        served = self.current_manifest()
        if served is not None:
            self._sharing.publish(served)
