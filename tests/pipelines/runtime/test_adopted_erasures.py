"""What one machine has erased leaves the exports of another one, which would send them to the store again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from pipelines.runtime.market_lease import ReplicatedLease
from pipelines.workspace import ignore_progress
from tests.bucket import Bucket
from warehouse.erasure.tombstones import Tombstone, TombstoneStore
from warehouse.raw.archive import RawArchive
from warehouse.replication.lease import LeaseDatabase, LeaseTiming
from warehouse.replication.s3 import ObjectStore
from warehouse.storage.layout import Layout

STONE = Tombstone("own_1", "NO", "firm:NO:1", datetime(2026, 11, 3, tzinfo=UTC), "request", clean=43)


def test_exports_that_name_what_another_machine_erased_go_with_the_next_lease(
    tmp_path: Path, object_store: Callable[[], Bucket], postgresql: Callable[[], str]
) -> None:
    store, leases = ObjectStore(object_store().address), LeaseDatabase(postgresql(), "s3://bucket")
    one, two = Layout(tmp_path / "one"), Layout(tmp_path / "two")

    def held(layout: Layout) -> None:
        lease = ReplicatedLease(
            layout, RawArchive(layout), store, {"NO": ["no.enheter"]}, leases, LeaseTiming(60), ignore_progress
        )
        with lease.hold_lease("NO"):
            if layout is one:
                TombstoneStore(layout).add(erased)

    names = ("latest.json", "0000000041/manifest.json", "deltas/0000000040-0000000041/manifest.json")
    for path in (two.exports_folder / "NO" / name for name in names):
        path.parent.mkdir(parents=True)
        path.write_text("{}")
    erased: list[Tombstone] = []
    held(one)
    held(two)
    assert len(list(two.exports_folder.rglob("*.json"))) == 3
    erased.append(STONE)
    held(one)
    held(two)
    assert list(two.exports_folder.rglob("*.json")) == []
