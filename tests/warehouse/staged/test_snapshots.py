from __future__ import annotations

import json
from functools import partial

import polars as pl
import pytest

from tests.warehouse import kills
from tests.warehouse.helpers import company, day, ids, killed_at, rows
from warehouse.schema.tables import COMPANIES
from warehouse.staged.snapshots import INDEX, TOUCHED, RunKnowledge, SnapshotStore
from warehouse.storage.layout import Layout

FRAME = rows(COMPANIES, company(1), company(2), company(3))
KNOWLEDGE = RunKnowledge({"no.enheter": day(0)}, {"no.roller": day(1)}, 3, frozenset({"no.enheter"}))


def _written(layout: Layout, at: int, *parts: pl.DataFrame, known: int | None = None) -> None:
    with SnapshotStore(layout).writer("NO", "b1", day(at), day(at if known is None else known), KNOWLEDGE) as writer:
        for part in parts:
            writer.add({"companies": part}, ids(part))


def test_images_come_by_instant(layout: Layout) -> None:
    for at in (2, 0, 1, 0):
        _written(layout, at, FRAME)
    images = SnapshotStore(layout)
    found = images.all("NO")
    assert [image.instant for image in found] == [day(0), day(1), day(2)]
    assert [image.batch for image in found] == ["b1"] * 3
    assert [image.knowledge for image in found] == [KNOWLEDGE] * 3
    images.drop(found[0])
    assert len(images.all("NO")) == 2


def test_snapshots_come_in_the_order_in_which_they_became_known(layout: Layout) -> None:
    _written(layout, 0, FRAME, known=3)  # late
    for at in (1, 2):
        _written(layout, at, FRAME)
    found = SnapshotStore(layout).all("NO")
    assert [(one.instant, one.known_at) for one in found] == [(day(1), day(1)), (day(2), day(2)), (day(0), day(3))]


def test_parts_come_in_their_order_and_each_by_itself(layout: Layout) -> None:
    _written(layout, 0, FRAME[:2], FRAME[2:])
    (image,) = SnapshotStore(layout).all("NO")
    for part, expected in zip(image.parts, (FRAME[:2], FRAME[2:]), strict=True):
        tables, touched = part.read()
        assert tables["companies"].equals(expected)
        assert touched.to_list() == ids(expected).to_list()


def test_an_image_of_before_there_were_parts_is_one(layout: Layout) -> None:
    """A run that was killed before an upgrade left it: it is taken in as it is."""
    folder = layout.snapshots_folder / "NO" / "20261121T000000000000Z.b1"
    folder.mkdir(parents=True)
    FRAME.write_parquet(folder / "companies.parquet")
    ids(FRAME).rename(TOUCHED).to_frame().write_parquet(folder / f"{TOUCHED}.parquet")
    index = {"market": "NO", "batch": "b1", "instant": day(0).isoformat(), "tables": {"companies": 3}}
    (folder / INDEX).write_text(json.dumps(index))
    (image,) = SnapshotStore(layout).all("NO")
    (part,) = image.parts
    assert (image.known_at, image.knowledge) == (day(0), None)
    tables, touched = part.read()
    assert tables["companies"].equals(FRAME)
    assert touched.to_list() == ids(FRAME).to_list()


def test_an_image_that_fails_half_way_is_not_there(layout: Layout) -> None:
    def write() -> None:
        with SnapshotStore(layout).writer("NO", "b1", day(0), day(0), KNOWLEDGE) as writer:
            writer.add({"companies": FRAME[:2]}, ids(FRAME[:2]))
            raise ValueError("second part")

    with pytest.raises(ValueError, match="second part"):
        write()
    assert SnapshotStore(layout).all("NO") == []


@pytest.mark.slow
def test_killed_at_any_step_an_image_is_whole_or_absent(layout: Layout) -> None:
    at = 1
    while killed_at(partial(kills.image, layout.root), at):
        for image in SnapshotStore(layout).all("NO"):
            assert [part.read()[0]["companies"].height for part in image.parts] == [1, 1]
        at += 1
    assert at >= 3
    assert len(SnapshotStore(layout).all("NO")) == 1
