from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from tests.warehouse.helpers import Sent, day
from tests.warehouse.kills import STAGED, staged_rows
from warehouse.raw.archive import CorruptBlobError, RawArchive
from warehouse.raw.blobs import blob_path
from warehouse.staged.store import StagedStore
from warehouse.storage.layout import Layout
from warehouse.storage.parquet import RowGroupWriter


def test_many_small_frames_make_one_row_group(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    with RowGroupWriter(path) as groups:
        for number in range(500):
            groups.add(pl.DataFrame({"a": [str(number)]}))
    assert pq.ParquetFile(path).num_row_groups == 1
    assert pl.read_parquet(path)["a"].to_list() == [str(number) for number in range(500)]


def test_an_error_of_writing_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), RowGroupWriter(tmp_path / "nowhere" / "rows.parquet") as groups:
        groups.add(pl.DataFrame({"a": ["1"]}))


def test_a_pointer_that_rows_carry_is_kept(layout: Layout) -> None:
    lake = StagedStore(layout)
    piece = RawArchive(layout).store_body("no.x", Sent("a.zip", b"1", observed_at=day(0)), "b1")
    assert piece is not None
    with lake.write_batch("no.x", "b1") as writer:
        carried = staged_rows(("1", "A"), ("2", "B")).with_columns(_raw=pl.Series(["s#1", "s#2"]))
        writer.add_rows(STAGED, piece, carried)
        writer.add_rows(STAGED, piece, staged_rows(("3", "C")))
    pointers = lake.read_rows("no.x", "b1", STAGED).collect()["_raw"].to_list()
    assert pointers == ["s#1", "s#2", piece.sha256]


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_reading_a_damaged_object_tells(layout: Layout, damage: str) -> None:
    piece = RawArchive(layout).store_body("no.x", Sent("a.csv", b"content" * 1000), "b")
    assert piece is not None
    path = blob_path(layout.raw_folder, piece.sha256)
    packed = bytearray(path.read_bytes())
    packed[-1] ^= damage == "flipped"
    path.write_bytes(packed[:-6] if damage == "cut" else packed)
    with pytest.raises(CorruptBlobError), piece.open() as body:
        body.read()
