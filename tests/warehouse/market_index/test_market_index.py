"""The index of a market derives from manifests and staged batches, whatever happens to the file or to these."""

from __future__ import annotations

import io
import json
import logging
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.forked import run_forked
from tests.warehouse import kills
from tests.warehouse.helpers import Sent, day, killed_at
from warehouse.market_index.index import MarketIndex
from warehouse.raw.archive import RawArchive
from warehouse.schema.market_state import QuarantineReason
from warehouse.schema.retractions import BatchRetraction
from warehouse.staged.store import StagedStore
from warehouse.storage.layout import Layout

KEY = "no.x"


def _stored(layout: Layout, *names: str, batch: str = "b1", dataset: str = KEY) -> None:
    archive = RawArchive(layout)
    for name in names:
        archive.store_body(dataset, Sent(name, name.encode()), batch)


def _staged(layout: Layout, batch: str) -> None:
    with StagedStore(layout).write_batch(KEY, batch) as writer:
        for body in RawArchive(layout).unstaged_bodies(KEY):
            writer.add_member(body)


def _names(layout: Layout) -> list[str]:
    return [body.name for body in RawArchive(layout).bodies(KEY)]


def _unstaged(layout: Layout) -> list[str]:
    return [body.name for body in RawArchive(layout).unstaged_bodies(KEY)]


def _truncated(path: Path) -> None:
    with path.open("r+b") as handle:
        handle.truncate(path.stat().st_size // 2 // 4096 * 4096)


def _foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE lines (something TEXT)")
        connection.commit()


def _no_database(path: Path) -> None:
    path.write_bytes(b"something else entirely" * 1000)


@pytest.mark.parametrize("damage", [_truncated, _foreign, _no_database], ids=["truncated", "foreign", "no database"])
def test_index_that_is_damaged_or_foreign_is_built_again(
    layout: Layout, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    _stored(layout, "a", "b")
    _staged(layout, "b1")
    _stored(layout, "c", batch="b2")
    damage(layout.market_index_file("no"))
    with caplog.at_level(logging.WARNING, "firm.index"):
        assert (_names(layout), _unstaged(layout)) == (["a", "b", "c"], ["c"])
    assert "built again" in caplog.text


def test_index_is_deleted_while_it_is_open(layout: Layout) -> None:
    archive, store = RawArchive(layout), StagedStore(layout)
    archive.store_body(KEY, Sent("a", b"1"), "b1")
    assert store.batches(KEY) == []
    shutil.rmtree(layout.indexes_folder)
    archive.store_body(KEY, Sent("b", b"2"), "b1")
    assert [body.name for body in archive.bodies(KEY)] == ["a", "b"]
    _staged(layout, "b1")
    assert store.batches(KEY) == ["b1"]
    assert list(archive.unstaged_bodies(KEY)) == []


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_manifest_shorter_than_the_index_is_read_again(layout: Layout, kept: int) -> None:
    _stored(layout, "a", "b", "c")
    path = MarketIndex(layout).manifest_path(KEY)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    assert _names(layout) == ["a", "b", "c"][:kept]
    _stored(layout, "d")
    assert _names(layout) == [*["a", "b", "c"][:kept], "d"]


def test_manifest_that_was_replaced_is_read_on_if_it_begins_alike_and_again_if_not(
    layout: Layout, caplog: pytest.LogCaptureFixture
) -> None:
    _stored(layout, "a", "b")
    path = MarketIndex(layout).manifest_path(KEY)
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0].replace(b'"a"', b'"z"'))
    copy.replace(path)
    with caplog.at_level(logging.WARNING, "firm.index"):
        assert _names(layout) == ["a", "b", "z"]
        assert caplog.text == ""
        copy.write_bytes(path.read_bytes().replace(b'"name":"a"', b'"name":"y"'))  # of the same length
        copy.replace(path)
        assert _names(layout) == ["b", "y", "z"]
    assert "read again" in caplog.text


def test_reader_of_a_rewritten_manifest_sees_one_state(layout: Layout) -> None:
    _stored(layout, *(f"{number:03d}" for number in range(300)))
    archive = RawArchive(layout)
    reading = archive.bodies(KEY)
    seen = [next(reading).name]
    RawArchive(layout).redact_lines(KEY, lambda line: {**line, "name": line["name"].replace("0", "o")})
    assert "ooo" in _names(layout)
    seen += [body.name for body in reading]
    assert seen == [f"{number:03d}" for number in range(300)]
    assert next(archive.bodies(KEY)).name == "111"  # digits come first


def test_erased_names_stay_in_no_file_of_the_index(layout: Layout) -> None:
    _stored(layout, "Kari Nordmann.csv", "b")
    _staged(layout, "b1")
    archive = RawArchive(layout)
    assert _names(layout) == ["Kari Nordmann.csv", "b"]
    archive.redact_lines(KEY, lambda line: {**line, "name": line["name"].replace("Kari Nordmann", "-")})
    archive.clear_index("NO")
    files = [path.read_bytes() for path in layout.indexes_folder.iterdir()]
    assert files
    assert not any(b"Nordmann" in content for content in files)
    assert [body.name for body in archive.bodies(KEY)] == ["-.csv", "b"]


def _append(root: Path, count: int) -> None:
    for number in range(count):
        _stored(Layout(root), f"{number:02d}")


def test_two_processes_read_while_one_appends(layout: Layout) -> None:
    _stored(layout, "00")
    with ThreadPoolExecutor(3) as threads:
        append = threads.submit(run_forked, _append, layout.root, 20)
        readers = [threads.submit(run_forked, _read_until, layout.root, 20) for _ in range(2)]
        for ended in (append, *readers):
            assert ended.result().exit_code == 0, ended.result().said


def _read_until(root: Path, count: int) -> None:
    """Reads again and again until all is there: each time a part from the first on."""
    archive, found = RawArchive(Layout(root)), list[str]()
    while len(found) < count:
        found = [body.name for body in archive.bodies(KEY)]
        assert found == [f"{number:02d}" for number in range(len(found))]


def test_index_of_read_only_media_is_temporary(layout: Layout) -> None:
    _stored(layout, "a", "b")
    _staged(layout, "b1")
    shutil.rmtree(layout.indexes_folder)
    layout.indexes_folder.write_text("")  # no folder can be made there, as on media that are read only
    assert (_names(layout), _unstaged(layout)) == (["a", "b"], [])
    assert StagedStore(layout).batches(KEY) == ["b1"]


def test_index_of_a_batch_that_changes_is_read_again(layout: Layout) -> None:
    _stored(layout, "a")
    _staged(layout, "b1")
    store, other = StagedStore(layout), StagedStore(layout)
    assert other.held_batches(KEY) == []
    store.set_quarantine(KEY, "b1", QuarantineReason("max_rejected", 1, 0))
    assert other.held_batches(KEY) == ["b1"]
    store.lift_quarantine(KEY, "b1")
    assert other.held_batches(KEY) == []


def test_batch_that_is_gone_leaves_its_bodies_pending(layout: Layout) -> None:
    _stored(layout, "a")
    _staged(layout, "b1")
    assert _unstaged(layout) == []
    shutil.rmtree(layout.staged_folder / KEY / "b1")
    assert (_unstaged(layout), StagedStore(layout).batches(KEY)) == (["a"], [])


def test_bodies_named_by_a_retracted_batch_alone_are_pending(layout: Layout) -> None:
    _stored(layout, "a")
    _staged(layout, "b1")
    assert _unstaged(layout) == []
    StagedStore(layout).retract_batches(KEY, BatchRetraction(("b1",), (KEY,), "b1", day(1), "anna", "wrong"))
    assert _unstaged(layout) == ["a"]
    shutil.rmtree(layout.indexes_folder)
    assert _unstaged(layout) == ["a"]


def test_datasets_of_a_market_share_an_index_and_nothing_else(layout: Layout) -> None:
    _stored(layout, "a")
    _stored(layout, "b", dataset="no.y")
    assert _names(layout) == ["a"]
    RawArchive(layout).erase_body("no.y", next(RawArchive(layout).bodies("no.y")).sha256, "asked")
    assert _names(layout) == ["a"]
    assert [path.name for path in layout.indexes_folder.glob("*.sqlite")] == ["no.sqlite"]


def test_body_of_the_same_bytes_parsed_before_is_left_out_when_a_folder_is_ingested_again(layout: Layout) -> None:
    archive = RawArchive(layout)
    for batch in ("b1", "b2"):
        for content in (b"old", b"new"):
            archive.store_body(KEY, Sent("a", content, observed_at=day(len(content) + content[0])), batch)
        if batch == "b1":
            _staged(layout, batch)
    assert _unstaged(layout) == []
    archive.store_body(KEY, Sent("a", b"old", observed_at=day(9)), "b3")
    assert _unstaged(layout) == ["a"]


def test_line_that_no_newline_ends_is_no_line(layout: Layout) -> None:
    _stored(layout, "a")
    path = MarketIndex(layout).manifest_path(KEY)
    line = json.loads(path.read_text())
    with path.open("a") as handle:
        handle.write(json.dumps(line | {"name": "torn"}))
    assert _names(layout) == ["a"]
    with path.open("a") as handle:
        handle.write("\n")
    assert _names(layout) == ["a", "torn"]


@pytest.mark.slow
def test_killed_at_any_step_of_a_quarantine_the_index_says_what_the_batch_says(layout: Layout) -> None:
    _stored(layout, "a")
    _staged(layout, "b1")
    at = 1
    while killed_at(partial(kills.quarantine, layout.root), at):
        index = StagedStore(layout).index(KEY, "b1")
        assert index is not None
        assert StagedStore(layout).held_batches(KEY) == (["b1"] if index.held else [])
        at += 1
    assert at >= 2
    assert StagedStore(layout).held_batches(KEY) == ["b1"]


def test_rewritten_body_is_read_under_its_first_name(layout: Layout) -> None:
    archive = RawArchive(layout)
    for content, left in ((b"one", b"two"), (b"two", b"three")):
        archive.store_body(KEY, Sent("a", content), "b1")
        archive.erase_body(KEY, next(archive.all_bodies(KEY)).sha256, "asked", io.BytesIO(left))
    with next(archive.bodies(KEY)).open() as body:
        assert body.read() == b"three"
