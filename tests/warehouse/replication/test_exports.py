"""Exports and deltas in the store: the newest, under the names that consumers read, and no others."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bucket import Bucket
from tests.warehouse.helpers import day
from tests.warehouse.world import learn, member, publish
from warehouse.exports.exports import ExportStore
from warehouse.replication.exports import ReplicatedExports
from warehouse.replication.s3 import ObjectStore
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout


def test_the_store_has_what_the_folder_keeps(layout: Layout, object_store: Callable[[], Bucket]) -> None:
    store = ObjectStore(object_store().address)
    shared = ReplicatedExports(layout.exports_folder, store, keep=1, keep_deltas=1)
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


def exported(layout: Layout, store: ObjectStore, at: int) -> ReplicatedExports:
    """A machine that exports a release, and sends it."""
    learn(layout, "NO", at, companies=[member("NO", 1, name=f"Navn {at}")])
    publish(layout, "NO", at=at)
    list(ExportStore(layout, clock=lambda: day(9)).write(formats=("parquet",)))
    shared = ReplicatedExports(layout.exports_folder, store, keep=3, keep_deltas=30)
    shared.send("NO")
    return shared


def folders(store: ObjectStore) -> set[str]:
    return {key.rpartition("/")[0].removeprefix("exports/NO/") for key in store.keys("exports/NO/")} - {"exports/NO"}


@pytest.mark.slow
def test_exports_of_another_machine_stay_until_something_is_erased(
    layout: Layout, tmp_path: Path, object_store: Callable[[], Bucket]
) -> None:
    store = ObjectStore(object_store().address)
    one, two = layout, Layout(tmp_path / "two")
    for at in range(2):
        exported(one, store, at)
    shutil.copytree(one.root, two.root)
    atomic_files.delete_if_exists(two.exports_folder)
    shared = exported(two, store, 2)  # it has made none before, and has no delta
    assert folders(store) == {"0000000001", "0000000002", "0000000003", "deltas/0000000001-0000000002"}

    shared.send("NO", is_erased=True)
    assert folders(store) == {"0000000003"}
    learn(one, "NO", 2, companies=[member("NO", 1, name="Navn 2")])
    publish(one, "NO", at=2)
    learn(one, "NO", 3, companies=[member("NO", 1, name="Navn 3")])
    publish(one, "NO", at=3)
    exported(one, store, 4)  # its release 5, after 2
    assert folders(store) == {"0000000003", "0000000005", "deltas/0000000002-0000000005"}, "what was erased stays away"
