"""How an export comes to lie there: whole or not at all, the former one untouched, the same bytes every time."""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import resource
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.warehouse.handed import TABLES, export_all, hostile_world, objects, write
from tests.warehouse.helpers import killed_at, segment_file
from tests.warehouse.world import learn, member, publish
from warehouse.exports.exports import (
    ExportStore,
    ExportWriteError,
    ForeignExportError,
    InvalidReleaseError,
    MarketExport,
)
from warehouse.publish.publisher import ReleaseStore
from warehouse.release.segments import DOCUMENTS
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError, exclusive_lock


@pytest.fixture(scope="module")
def stored_small(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = Layout(tmp_path_factory.mktemp("stored") / "data")
    learn(layout, "NO", 0, companies=[member("NO", number) for number in (1, 2)])
    publish(layout, "NO")
    return layout


@pytest.fixture
def small(stored_small: Layout, layout: Layout) -> Layout:
    """The same of the test's own."""
    shutil.copytree(stored_small.root, layout.root)
    return layout


def next_release(layout: Layout, at: int) -> None:
    learn(layout, "NO", at, companies=[member("NO", number, name=f"Navn {at}") for number in (1, 2)])
    publish(layout, "NO", at=at)


def is_whole(export: MarketExport | None) -> bool:
    """Every file that the manifest lists is there, with the bytes and the rows it says."""
    assert export is not None
    for entry in export.manifest["files"]:
        content = (export.folder / entry["name"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (entry["bytes"], entry["sha256"])
        if entry["format"] == "ndjson":
            assert len(objects(export, entry["table"])) == entry["rows"]
    pointer = json.loads((export.folder.parent / "latest.json").read_bytes())
    manifest = (export.folder / "manifest.json").read_bytes()
    assert pointer["manifest_sha256"] == hashlib.sha256(manifest).hexdigest()
    return True


def test_the_manifest_says_what_there_is(layout: Layout) -> None:
    hostile_world(layout)
    no, se = write(layout)
    manifest = no.manifest
    assert list(manifest)[:3] == ["market", "generated_at", "as_of_sequence"]
    assert (manifest["market"], manifest["generated_at"]) == ("NO", "2026-01-06T00:00:00Z")
    assert (manifest["as_of_sequence"], manifest["release"]) == (6, 3)
    assert (manifest["released_at"], manifest["state"]) == ("2026-01-03T00:00:00Z", "fresh")
    assert manifest["formats"] == ["parquet", "ndjson", "csv"]
    names = [f"{table}.{end}" for table in TABLES for end in ("parquet", "ndjson.gz", "csv.gz")]
    assert [entry["name"] for entry in manifest["files"]] == names
    assert sorted(path.name for path in no.folder.iterdir()) == sorted([*names, "manifest.json"])
    assert {entry["table"]: entry["rows"] for entry in manifest["files"]} == {
        "companies": 7,
        "details": 7,
        "events": 6,
        "filings": 4,
        "financials": 5,
        "ownership": 3,
    }
    columns = {column["name"]: column["type"] for column in manifest["columns"]["ownership"]}
    assert (columns["pct"], columns["as_of"]) == ("decimal128(9, 4)", "date32[day]")
    for export in (no, se):
        assert is_whole(export)
        assert ExportStore(layout).latest(export.market) == MarketExport(
            export.market, export.folder, export.manifest, is_new=False
        )
    assert ExportStore(layout).latest("FI") is None


@pytest.mark.slow
def test_the_same_release_gives_the_same_bytes(layout: Layout, tmp_path: Path) -> None:
    hostile_world(layout)
    first, again = write(layout, "NO", at=5), write(layout, "NO", at=9, to=tmp_path / "elsewhere")
    assert [entry["sha256"] for entry in again[0].manifest["files"]] == [
        entry["sha256"] for entry in first[0].manifest["files"]
    ]
    assert again[0].folder == tmp_path / "elsewhere" / "NO" / "0000000003"
    publish(layout, "NO", "SE", at=2, full=True)  # the same content, built another way
    [third] = write(layout, "NO")
    assert (third.manifest["release"], third.manifest["files"]) == (4, first[0].manifest["files"])


def test_what_is_there_is_left_alone_and_what_is_missing_is_added(small: Layout) -> None:
    [first] = write(small, formats=["parquet"])
    assert [entry["format"] for entry in first.manifest["files"]] == ["parquet"] * 6
    before = {path.name: path.stat() for path in first.folder.glob("*.parquet")}
    [same] = write(small, formats=["parquet"], at=8)
    assert (first.is_new, same.is_new, same.manifest) == (True, False, first.manifest)
    [both] = write(small, at=8)
    assert both.is_new
    assert both.manifest["formats"] == ["parquet", "ndjson", "csv"]
    assert {path.name: path.stat() for path in first.folder.glob("*.parquet")} == before
    assert is_whole(both)
    (both.folder / "companies.parquet").write_bytes(b"cut")
    [mended] = write(small, at=9)
    assert (mended.is_new, is_whole(mended)) == (True, True)
    (both.folder / "manifest.json").write_text('{"files":')
    [mended] = write(small, at=9)
    assert (mended.is_new, is_whole(mended)) == (True, True)


@pytest.mark.slow
def test_old_exports_go(small: Layout) -> None:
    exports = ExportStore(small, keep=2)
    for at in range(4):
        next_release(small, at + 1)
        list(exports.write())
        if at == 1:
            (small.exports_folder / "NO" / "0000000003" / "manifest.json").unlink()  # as a kill leaves it
    folder = small.exports_folder / "NO"
    assert sorted(path.name for path in folder.iterdir()) == ["0000000004", "0000000005", "deltas", "latest.json"]
    deltas = sorted(path.name for path in (folder / "deltas").iterdir())
    assert deltas == ["0000000002-0000000003", "0000000002-0000000004", "0000000004-0000000005"]
    assert is_whole(exports.latest("NO"))


def test_a_release_that_is_read_is_not_pruned(small: Layout) -> None:
    pruned: list[int] = []

    def publish_meanwhile(step: str) -> None:
        if step == "companies: a group of rows":
            next_release(small, 1)
            pruned.extend(ReleaseStore(small).prune_releases(1))

    [made] = ExportStore(small, on_step=publish_meanwhile).write()
    assert (pruned, made.manifest["release"]) == ([], 1)
    assert {row["name"] for row in objects(made, "companies")} == {"Firma 1 AS", "Firma 2 AS"}
    assert ReleaseStore(small).prune_releases(1) == [1]


def test_a_damaged_release_leaves_the_former_export(small: Layout) -> None:
    [former] = write(small)
    next_release(small, 1)
    path = segment_file(small, 2, DOCUMENTS)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(InvalidReleaseError, match=r"release 2 cannot be read: .*; see `firm release verify`"):
        write(small)
    latest = ExportStore(small).latest("NO")
    assert latest is not None
    assert (latest.folder, is_whole(latest)) == (former.folder, True)
    assert sorted(path.name for path in (small.exports_folder / "NO").iterdir()) == ["0000000001", "latest.json"]


@pytest.fixture
def other(tmp_path: Path) -> Layout:
    """Another installation with one release."""
    layout = Layout(tmp_path / "other")
    learn(layout, "NO", 0, companies=[member("NO", 7)])
    publish(layout, "NO", at=5)
    return layout


@pytest.mark.parametrize("releases", [1, 2])
def test_a_folder_with_exports_of_another_installation_is_refused(
    small: Layout, other: Layout, tmp_path: Path, releases: int
) -> None:
    [made] = write(other, to=tmp_path / "shared", formats=["ndjson"])
    for at in range(1, releases):
        next_release(small, at)  # a greater number, published before that of the folder
    with pytest.raises(ForeignExportError, match=r"shared.* has release 1 of another installation: .*--to DIR"):
        write(small, to=tmp_path / "shared")
    assert is_whole(made)
    assert [path.name for path in made.folder.parent.glob("0*")] == ["0000000001"]


def test_a_newer_export_is_not_replaced_by_an_older_one(small: Layout, other: Layout, tmp_path: Path) -> None:
    next_release(small, 1)
    [newest] = write(small, to=tmp_path / "shared", formats=["ndjson"])
    with pytest.raises(ForeignExportError, match=r"has release 2, which is newer than 1, the current one here: .*--to"):
        write(other, to=tmp_path / "shared")
    pointer = json.loads((newest.folder.parent / "latest.json").read_bytes())
    assert (pointer["folder"], is_whole(newest)) == ("0000000002", True)


def test_one_at_a_time(small: Layout) -> None:
    with exclusive_lock(small, "export-NO", "x"), pytest.raises(AlreadyLockedError, match="the export of NO"):
        write(small)


def test_a_folder_that_cannot_be_written(small: Layout, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(
        ExportWriteError, match=r"cannot write .*taken.*: Not a directory; free space or give another folder"
    ):
        write(small, to=tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_a_folder_that_may_not_be_written(small: Layout, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(ExportWriteError, match=r"cannot write .*closed.*: Permission denied"):
        write(small, to=tmp_path / "closed")


def _where_files_end(root: Path, limit: int, told: Any) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # what a full disk is to a file
    try:
        write(Layout(root))
    except ExportWriteError as error:
        told.put((str(error), error.__cause__.errno))  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [100, 3000])
def test_a_full_disk_is_told_and_the_former_export_stays(small: Layout, limit: int) -> None:
    [former] = write(small)
    next_release(small, 1)
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    process = context.Process(target=_where_files_end, args=(small.root, limit, told))
    process.start()
    message, number = told.get(timeout=60)
    process.join()
    assert number == errno.EFBIG
    assert "cannot write" in message
    assert "the previous export is unchanged" in message
    assert sorted(path.name for path in (small.exports_folder / "NO").iterdir()) == ["0000000001", "latest.json"]
    assert ExportStore(small).latest("NO") == MarketExport("NO", former.folder, former.manifest, is_new=False)
    assert is_whole(former)


def write_pointer_back(layout: Layout) -> None:
    """As if the newest release had never been exported."""
    folder = layout.exports_folder / "NO" / "0000000001"
    digest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    pointer = {"market": "NO", "release": 1, "folder": folder.name, "manifest_sha256": digest}
    (folder.parent / "latest.json").write_text(json.dumps(pointer))


@pytest.mark.slow
def test_killed_at_any_step_the_former_export_is_whole_and_the_next_run_mends(small: Layout) -> None:
    write(small, formats=("parquet",))
    next_release(small, 1)
    releases = []
    while killed_at(partial(export_all, small.root), len(releases) + 1):
        latest = ExportStore(small).latest("NO")
        assert is_whole(latest)
        assert latest is not None
        releases.append(latest.manifest["release"])
        [made] = write(small, formats=("parquet",))
        assert (made.manifest["release"], is_whole(made)) == (2, True)
        assert made.delta is not None
        assert not list(small.exports_folder.rglob("*.tmp"))
        shutil.rmtree(made.delta)
        shutil.rmtree(made.folder)
        write_pointer_back(small)
    # six files, a group, checksums, manifest, twelve files of the delta and its manifest; then the pointer
    assert releases == [1] * 22 + [2]
