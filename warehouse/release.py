"""Releases (docs/architecture.md 7): numbered folders, built, validated, published by one atomic replace.

Order of a publish: ledger segment, release folder, manifest, `current.json`, each durable before the next; if
releases are replicated to other machines (`sharing`), that precedes the local pointer. `heal` removes what a
kill left above the pointer. Does not belong here: the content of the files (`assembly`, `serving`), reading
them (`reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final

import polars as pl

from warehouse import building, files, freshness, manifests, pruning, serving, soundness
from warehouse.archive import utc_now
from warehouse.building import MarketPart
from warehouse.engine import opened
from warehouse.ledger import Ledger
from warehouse.locks import release_lock
from warehouse.manifests import SERVING, WAREHOUSE, Manifest, Unsound
from warehouse.paths import Layout
from warehouse.sharing import Alone, Sharing

__all__ = ["Manifest", "MarketPart", "Releases", "Unsound"]

KEEP: Final = 5


class Releases:
    """The releases of one data root."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], datetime] = utc_now,
        keep: int = KEEP,
        on_step: files.Step = files.no_step,
        sharing: Sharing | None = None,
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._keep = keep
        self._on_step = on_step
        self._sharing = sharing or Alone()
        self._ledger = Ledger(layout, on_step)

    def current(self) -> Manifest | None:
        """The current release, or None."""
        return manifests.current(self._layout)

    def list(self) -> list[Manifest]:
        """Releases on disk, oldest first, without unpublished ones."""
        served = manifests.covered(self._layout)[0]
        return [
            manifests.read(self._layout, number)
            for number in pruning.numbers(self._layout)
            if number <= served
        ]

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Holds the release locks, on this machine and on replicas; starts from the newest replicated release."""
        with release_lock(self._layout), self._sharing.turn():
            yield

    def publish(
        self, parts: Mapping[str, MarketPart], events: pl.DataFrame, *, full: bool = False
    ) -> Manifest | None:
        """Builds, validates and publishes the next release; None if nothing has changed."""
        with self.turn():
            manifest = self._build_release(parts, events, full=full)
            if manifest is not None:
                self._serve_release(manifest)
                pruning.prune(self._layout, self._keep)
            return manifest

    def build(
        self, parts: Mapping[str, MarketPart], events: pl.DataFrame, *, full: bool = False
    ) -> Manifest | None:
        """Builds and validates the next release without publishing it; None if nothing has changed."""
        with self.turn():
            return self._build_release(parts, events, full=full)

    def flip(self, release: Manifest) -> None:
        """Publishes a release that has been built."""
        with self.turn():
            self._serve_release(release)

    def heal(self) -> list[str]:
        """Removes what a killed run left above the pointer.

        Returns messages on what was done. Called at the start of every run.
        """
        with release_lock(self._layout):
            return self._recover_from_crash()

    def checked(
        self, markets: Iterable[str], at: datetime, datasets: Mapping[str, freshness.Seen] | None = None
    ) -> None:
        """Records that markets and datasets have been checked, whether or not anything had changed."""
        with self.turn():
            known = freshness.read(self._layout)
            freshness.write(
                self._layout,
                freshness.Freshness(
                    {**known.markets, **dict.fromkeys(markets, at)}, {**known.datasets, **(datasets or {})}
                ),
            )
            self._replicate_served()

    def verify(self, number: int) -> None:
        """Validates a whole release; raises Unsound, naming the violation."""
        soundness.verify(self._layout, manifests.read(self._layout, number))

    def rollback(self, number: int) -> Manifest:
        """Publishes the content of an older release under a new number; the ledger keeps all its events.

        What histories have learned since is published again with the next ingest of each market.
        """
        with self.turn():
            self._recover_from_crash()
            served = self.current()
            if served is None or number not in pruning.numbers(self._layout) or number >= served.release:
                raise Unsound(f"release {number} is not a kept release before the current one")
            manifest = self._copy_for_rollback(manifests.read(self._layout, number), served)
            self._serve_release(manifest)
            return manifest

    def prune(self, keep: int | None = None) -> list[int]:
        """Deletes all but the newest releases, except those that a reader leases; returns their numbers."""
        with self.turn():
            removed = pruning.prune(self._layout, self._keep if keep is None else keep)
            self._replicate_served()
            return removed

    # Called under the release lock

    def _recover_from_crash(self) -> list[str]:
        served = manifests.covered(self._layout)[0]
        numbers = pruning.numbers(self._layout)
        if served == 0 and len(numbers) > 1:
            raise Unsound(
                f"{self._layout.current} is missing though releases exist: restore it, or name one in it"
            )
        told = self._ledger.heal(served)
        folders = [path for path in self._layout.releases.glob("[0-9]*") if int(path.name) > served]
        for folder in sorted(folders):
            files.discard(folder)
            told.append(f"removed release {int(folder.name)}: it was never published")
        return told

    def _build_release(
        self, parts: Mapping[str, MarketPart], events: pl.DataFrame, *, full: bool
    ) -> Manifest | None:
        self._recover_from_crash()
        now = self._clock()
        fresh = events.filter(~pl.col("event_id").is_in(self._ledger.known(events["event_id"]).to_list()))
        served = self.current()
        torn = frozenset[str]() if served is None else soundness.torn(self._layout, served)
        plan = building.plan(
            served, parts, fresh, now, full=full or bool(torn)
        )  # truncated files are not patched
        if plan.is_empty:
            return None
        if WAREHOUSE in torn:
            building.require_histories(plan)
        numbers = self._ledger.append(plan.number, plan.events, now)
        self._on_step("events numbered")
        files.make_folder(self._layout.release(plan.number))
        content = building.write(self._layout, self._ledger, plan, self._on_step)
        manifest = building.describe(self._layout, plan, content, now, numbers)
        soundness.verify_documents(self._layout, manifest)
        self._seal(manifest)
        return manifest

    def _copy_for_rollback(self, old: Manifest, served: Manifest) -> Manifest:
        number = served.release + 1
        folder = self._layout.release(number)
        files.make_folder(folder)
        for name in old.sizes:
            files.copy(self._layout.release(old.release) / name, folder / name)
        with opened() as source:
            serving.add_events(folder / SERVING, source, self._ledger.rows(old.last))
        manifest = replace(
            old,
            release=number,
            kind="rollback",
            built_at=self._clock(),
            previous=served.release,
            first=served.last + 1,
            last=served.last,
            sizes=building.sizes(folder),
            history={},  # so that the next release takes each market in full
            rollback_of=old.release,
        )
        soundness.verify(self._layout, manifest)
        self._seal(manifest)
        return manifest

    def _seal(self, manifest: Manifest) -> None:
        files.sync_tree(self._layout.release(manifest.release))
        self._on_step("release synced")
        manifests.write(self._layout, manifest)
        self._on_step("manifest written")

    def _serve_release(self, manifest: Manifest) -> None:
        self._sharing.publish(manifest)
        self._on_step("release shared")
        manifests.point(self._layout, manifest.release)
        self._on_step("pointer replaced")

    def _replicate_served(self) -> None:
        """Announces the current release to other machines."""
        served = self.current()
        if served is not None:
            self._sharing.publish(served)
