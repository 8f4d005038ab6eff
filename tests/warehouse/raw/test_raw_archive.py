from __future__ import annotations

import gzip
import io
import json
import pickle
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pytest
import zstandard

from tests.warehouse import kills
from tests.warehouse.helpers import DAY, Sent, day, killed_at
from warehouse.raw.archive import CorruptBlobError, RawArchive
from warehouse.raw.blobs import blob_path
from warehouse.schema.retractions import BatchRetraction
from warehouse.storage.layout import Layout


def test_a_body_comes_back_as_it_was(layout: Layout) -> None:
    archive = RawArchive(layout, clock=lambda: day(1), version="7")
    piece = archive.store_body(
        "no.x", Sent("a.csv", b"one;two\n" * 1000, response_headers={"ETag": "e", "Set-Cookie": "s"}), "b1"
    )
    assert piece is not None
    with piece.open() as body:
        assert body.read() == b"one;two\n" * 1000
    [line] = archive.manifest_lines("no.x")
    assert line["headers"] == {"etag": "e"}
    assert (line["bytes"], line["version"], line["status"], line["new"]) == (8000, "7", 200, True)
    assert piece.observed_at == DAY
    assert piece.fetched_at == day(1)


def test_the_same_bytes_are_a_line_and_no_piece(layout: Layout) -> None:
    archive = RawArchive(layout)
    archive.store_body("no.x", Sent("a.csv", b"same"), "b1")
    assert archive.store_body("no.x", Sent("a.csv", b"same", observed_at=day(1)), "b2") is None
    assert len(list(archive.bodies("no.x"))) == 1
    assert [line["new"] for line in archive.manifest_lines("no.x")] == [True, False]
    assert len(list(layout.raw_folder.rglob("*.zst"))) == 1


def test_bytes_that_come_back_after_others_are_a_piece_again(layout: Layout) -> None:
    archive = RawArchive(layout)
    for number, content in enumerate((b"one", b"two", b"one")):
        assert archive.store_body("no.x", Sent("a.csv", content, observed_at=day(number)), "b") is not None
    assert [piece.observed_at for piece in archive.bodies("no.x")] == [day(0), day(1), day(2)]


def test_pieces_come_by_instant_and_name_and_a_reissue_after_what_it_replaces(layout: Layout) -> None:
    archive = RawArchive(layout)
    for name, content, at in (("b", b"1", 1), ("a", b"2", 1), ("c", b"3", 0), ("b", b"4", 1)):
        archive.store_body("no.x", Sent(name, content, observed_at=day(at)), "b")
    again = RawArchive(layout)
    found = list(again.bodies("no.x"))
    assert [piece.name for piece in found] == ["c", "a", "b", "b"]
    assert found[3].replaces == found[2].sha256
    assert [piece.replaces for piece in found[:3]] == [None, None, None]
    assert [piece.name for piece in again.bodies("no.x", "b")] == ["c", "a", "b", "b"]
    assert list(again.bodies("no.x", "other")) == []


def test_a_failed_fetch_is_a_line(layout: Layout) -> None:
    archive = RawArchive(layout)
    archive.record_failed_fetch("no.x", "a.csv", "https://register.example/a", "answered with HTML", "b1", 200)
    [line] = archive.manifest_lines("no.x")
    assert (line["error"], line["new"]) == ("answered with HTML", False)
    assert list(archive.bodies("no.x")) == []


def test_redaction_runs_before_the_archive_and_both_hashes_are_kept(layout: Layout) -> None:
    def redact(body: BinaryIO) -> BinaryIO:
        return io.BytesIO(body.read().replace(b"19121212-1212", b""))

    archive = RawArchive(layout)
    piece = archive.store_body("se.x", Sent("a.txt", b"name;19121212-1212"), "b", redact)
    assert piece is not None
    with piece.open() as body:
        assert body.read() == b"name;"
    [line] = archive.manifest_lines("se.x")
    assert line["received_sha256"] != line["sha256"]
    assert not any(b"19121212" in path.read_bytes() for path in layout.root.rglob("*") if path.is_file())


def test_a_body_can_be_sought_in_and_sent_to_another_process(layout: Layout) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive_file:
        archive_file.writestr("inner.txt", "x" * 100_000)
    archive = RawArchive(layout)
    piece = archive.store_body("uk.x", Sent("a.zip", packed.getvalue()), "b")
    assert piece is not None
    opener = pickle.loads(pickle.dumps(piece.open))
    with opener() as body, zipfile.ZipFile(body) as found:
        assert found.read("inner.txt") == b"x" * 100_000
    with opener() as body:
        assert body.read(3) == packed.getvalue()[:3]
        assert body.seek(0) == 0
        assert body.read() == packed.getvalue()


def test_a_large_body_is_never_whole_in_memory(layout: Layout) -> None:
    archive = RawArchive(layout)
    size = 64 << 20
    sent = Sent("big", b"")
    tracemalloc.start()
    try:
        object.__setattr__(sent, "content", None)
        piece = archive.store_body("no.x", _Streaming(size), "b")  # pyright: ignore[reportArgumentType]
        assert piece is not None
        with piece.open() as body:
            total = sum(len(chunk) for chunk in iter(lambda: body.read(1 << 16), b""))
        assert total == size
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


class _Streaming(Sent):
    def __init__(self, size: int) -> None:
        super().__init__("big", b"")
        object.__setattr__(self, "size", size)

    @property
    def body(self) -> io.BufferedReader:  # pyright: ignore[reportIncompatibleMethodOverride]
        return io.BufferedReader(_Zeros(self.size))  # pyright: ignore[reportAttributeAccessIssue]


class _Zeros(io.RawIOBase):
    def __init__(self, size: int) -> None:
        self.left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        taken = min(len(buffer), self.left)
        self.left -= taken
        return taken


def test_a_damaged_object_is_named_clearly(layout: Layout) -> None:
    archive = RawArchive(layout)
    piece = archive.store_body("no.x", Sent("a.csv", b"content" * 100), "b")
    assert piece is not None
    path = blob_path(layout.raw_folder, piece.sha256)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CorruptBlobError, match=r"no\.x: a\.csv: the archived body .*\.zst is damaged") as caught:
        archive.verify_body(piece)
    assert caught.value.path == path
    path.unlink()
    with pytest.raises(CorruptBlobError, match="the file is missing"):
        archive.verify_body(piece)


def test_an_object_with_other_bytes_is_found_out(layout: Layout) -> None:
    archive = RawArchive(layout)
    good = archive.store_body("no.x", Sent("a.csv", b"good"), "b")
    bad = archive.store_body("no.x", Sent("b.csv", b"bad"), "b")
    assert good is not None
    assert bad is not None
    blob_path(layout.raw_folder, bad.sha256).replace(blob_path(layout.raw_folder, good.sha256))
    with pytest.raises(CorruptBlobError, match="SHA-256 differs"), good.open() as body:
        body.read()


@pytest.mark.parametrize("damage", [lambda whole: whole[:-5], lambda whole: whole[:-9] + b"other" + whole[-4:]])
def test_the_same_bytes_mend_a_damaged_object(layout: Layout, damage: Callable[[bytes], bytes]) -> None:
    archive = RawArchive(layout)
    piece = archive.store_body("no.x", Sent("a.csv", b"content" * 100), "b1")
    assert piece is not None
    path = blob_path(layout.raw_folder, piece.sha256)
    path.write_bytes(damage(path.read_bytes()))
    assert archive.store_body("no.x", Sent("a.csv", b"content" * 100), "b2") is None, "they are no other body"
    archive.verify_body(piece)
    assert list((layout.raw_folder / "incoming").iterdir()) == []


def test_another_file_of_the_same_bytes_stays_as_it_is(layout: Layout) -> None:
    """As another edition of zstd would have written it."""
    archive = RawArchive(layout)
    piece = archive.store_body("no.x", Sent("a.csv", b"content" * 100), "b1")
    assert piece is not None
    path = blob_path(layout.raw_folder, piece.sha256)
    path.write_bytes(zstandard.ZstdCompressor(level=19).compress(b"content" * 100))
    former = path.read_bytes()
    archive.store_body("no.x", Sent("a.csv", b"content" * 100), "b2")
    assert path.read_bytes() == former


def test_erasing_leaves_a_tombstone(layout: Layout) -> None:
    archive = RawArchive(layout)
    piece = archive.store_body("no.x", Sent("a.csv", b"person"), "b")
    assert piece is not None
    archive.erase_body("no.x", piece.sha256, "request of the person")
    assert list(RawArchive(layout).bodies("no.x")) == []
    assert not blob_path(layout.raw_folder, piece.sha256).exists()
    assert [line.get("erased") for line in archive.manifest_lines("no.x")] == [None, piece.sha256]


@pytest.mark.parametrize("left", [0, 1, 40])
def test_a_torn_last_line_is_ignored_and_written_over(layout: Layout, left: int) -> None:
    archive = RawArchive(layout)
    archive.store_body("no.x", Sent("a.csv", b"1"), "b1")
    whole = _manifest(layout).read_bytes()
    archive.store_body("no.x", Sent("b.csv", b"2"), "b2")
    _manifest(layout).write_bytes(_manifest(layout).read_bytes()[: len(whole) + left])
    again = RawArchive(layout)
    assert [piece.name for piece in again.bodies("no.x")] == ["a.csv"]
    assert again.store_body("no.x", Sent("b.csv", b"2"), "b3") is not None
    lines = [json.loads(line) for line in _manifest(layout).read_text().splitlines()]
    assert [line["batch"] for line in lines] == ["b1", "b3"]


def test_two_archives_lose_no_line_of_each_other(layout: Layout) -> None:
    one, other = RawArchive(layout), RawArchive(layout)
    for number, archive in enumerate((one, other, one, one, other)):
        archive.store_body("no.x", Sent(f"{number}.csv", str(number).encode()), "b")
    assert [piece.name for piece in one.bodies("no.x")] == [f"{number}.csv" for number in range(5)]
    assert one.store_body("no.x", Sent("4.csv", b"4"), "b") is None


def test_a_broken_line_in_the_middle_is_not_passed_over(layout: Layout) -> None:
    archive = RawArchive(layout)
    archive.store_body("no.x", Sent("a.csv", b"1"), "b1")
    _manifest(layout).write_bytes(b"{broken\n" + _manifest(layout).read_bytes())
    with pytest.raises(CorruptBlobError, match="manifest line 1 is not JSON"):
        list(RawArchive(layout).bodies("no.x"))


def _manifest(layout: Layout) -> Path:
    return layout.raw_folder / "manifest" / "no.x.jsonl"


@pytest.mark.slow
def test_killed_at_any_step_the_archive_is_whole(layout: Layout) -> None:
    RawArchive(layout).store_body("no.x", Sent("a.csv", b"first"), "batch1")
    at = 1
    while killed_at(partial(kills.put, layout.root), at):
        names = [piece.name for piece in RawArchive(layout).bodies("no.x")]
        assert names in (["a.csv"], ["a.csv", "b.csv"])
        at += 1
    assert at >= 4
    archive = RawArchive(layout)
    assert list((layout.raw_folder / "incoming").iterdir()) == []
    assert [piece.name for piece in archive.bodies("no.x")] == ["a.csv", "b.csv"]
    for piece in archive.bodies("no.x"):
        archive.verify_body(piece)


def test_gzip_members_read_as_streams(layout: Layout) -> None:
    piece = RawArchive(layout).store_body("no.x", Sent("a.gz", gzip.compress(b"inside")), "b")
    assert piece is not None
    with piece.open() as body, gzip.open(body) as plain:
        assert plain.read() == b"inside"


def _retraction(*batches: str) -> BatchRetraction:
    return BatchRetraction(batches, ("no.x",), max(batches), day(5), "anna", "wrong file")


def test_retracted_bodies_stay_stored_and_are_new_when_they_come_again(layout: Layout) -> None:
    archive = RawArchive(layout)
    for batch, content in (("b1", b"good"), ("b2", b"wrong")):
        archive.store_body("no.x", Sent("a.csv", content), batch)
    for _ in range(2):  # a retraction that is completed is recorded once
        archive.retract_batches("no.x", _retraction("b2"), [])
    for reread in (archive, RawArchive(layout)):
        assert [body.batch for body in reread.bodies("no.x")] == ["b1"]
        assert [body.batch for body in reread.all_bodies("no.x")] == ["b1", "b2"]
        assert reread.retractions("no.x") == [_retraction("b2")]
    assert archive.store_body("no.x", Sent("a.csv", b"good"), "b3") is None
    assert archive.store_body("no.x", Sent("a.csv", b"wrong"), "b4") is not None
    assert [body.batch for body in RawArchive(layout).bodies("no.x")] == ["b1", "b4"]
    assert [line["new"] for line in archive.manifest_lines("no.x")] == [True, True, False, False, True]


def test_retracted_batch_takes_bodies_with_it_that_an_earlier_run_fetched(layout: Layout) -> None:
    archive = RawArchive(layout)
    killed = archive.store_body("no.x", Sent("a.csv", b"one"), "b1")
    assert killed is not None
    archive.store_body("no.x", Sent("b.csv", b"two"), "b2")
    archive.retract_batches("no.x", _retraction("b2"), [("a.csv", killed.sha256)])
    assert list(archive.bodies("no.x")) == []


def test_retracted_batch_takes_the_newest_cursor_back(layout: Layout) -> None:
    archive = RawArchive(layout)
    for number in (1, 2, 3):
        archive.store_body("no.x", Sent(f"{number}.json", b"%d" % number, cursor=str(number)), f"b{number}")
    assert archive.newest_cursor("no.x") == "3"
    archive.retract_batches("no.x", _retraction("b2"), [])
    assert archive.newest_cursor("no.x") == "1"
    archive.store_body("no.x", Sent("4.json", b"4", cursor="4"), "b4")
    assert archive.newest_cursor("no.x") == "4"
