"""Exports and deltas in the store: the newest, under the names that consumers read, and no others."""

from __future__ import annotations

from collections.abc import Callable

from tests.bucket import Bucket
from tests.warehouse.helpers import day
from tests.warehouse.world import learn, member, publish
from warehouse.exports.exports import ExportStore
from warehouse.replication.exports import ReplicatedExports
from warehouse.replication.s3 import ObjectStore
from warehouse.storage.layout import Layout


def test_the_store_has_what_the_folder_keeps(layout: Layout, object_store: Callable[[], Bucket]) -> None:
    store = ObjectStore(object_store().address)
    shared = ReplicatedExports(layout.exports_folder, store)
    exports = ExportStore(layout, clock=lambda: day(9), keep=1, keep_deltas=1)
    for at in range(3):
        learn(layout, "NO", at, companies=[member("NO", 1, name=f"Navn {at}")])
        publish(layout, "NO", at=at)
        [made] = exports.write(formats=("parquet",))
        assert shared.send("NO") == 6 + (0 if made.delta is None else 12)
        assert shared.send("NO") == 0
        on_disk = {
            f"exports/{path.relative_to(layout.exports_folder)}"
            for path in layout.exports_folder.rglob("*")
            if path.is_file()
        }
        assert set(store.keys("exports/NO/")) == on_disk
