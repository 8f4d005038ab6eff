from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import polars as pl
import pytest

from tests.warehouse import kills
from tests.warehouse.helpers import DAY, Sent, day, killed_at
from tests.warehouse.kills import STAGED, staged_rows
from warehouse.raw.archive import RawArchive, RawBody
from warehouse.schema.market_state import QuarantineReason
from warehouse.schema.retractions import BatchRetraction
from warehouse.staged.store import StagedStore
from warehouse.storage.layout import Layout


@dataclass(frozen=True)
class Member:
    name: str
    sha256: str
    observed_at: object
    scope: str
    member_name: str


@dataclass(frozen=True)
class Signal:
    code: str = "unknown_status"
    subject: str = "Z"
    count: int = 2
    examples: tuple[str, ...] = ("1", "2")


def _piece(layout: Layout, name: str = "a.csv", content: bytes = b"1", at: int = 0) -> RawBody:
    piece = RawArchive(layout).store_body("no.x", Sent(name, content, observed_at=day(at)), "b1")
    assert piece is not None
    return piece


def test_a_batch_comes_back_with_all_that_was_told(layout: Layout) -> None:
    lake, first, second = StagedStore(layout), _piece(layout), _piece(layout, "b.csv", b"2", 1)
    with lake.write_batch("no.x", "b1") as writer:
        for piece in (first, second):
            writer.add_member(piece)
        writer.add_rows(STAGED, first, staged_rows(("1", "A"), ("2", None)))
        writer.add_rows(STAGED, second, staged_rows(("3", "C")))
        writer.add_rejects(first, STAGED.name, pl.DataFrame({"record": ["9"], "reason": ["short"], "excerpt": ["9"]}))
        writer.add_signals([Signal()])
        writer.set_cursor("17")
        writer.add_figures({"rows": 3})
        assert writer.build_index()["tables"] == {"staged_units": 3}
    index = lake.index("no.x", "b1")
    assert index is not None
    assert index.tables == {"staged_units": 3}
    assert index.rejects == 1
    assert [edition["rows"] for edition in index.editions] == [{"staged_units": 2}, {"staged_units": 1}]
    assert [(piece["name"], piece["rows"], piece["rejects"]) for piece in index.pieces] == [
        ("a.csv", 2, 1),
        ("b.csv", 1, 0),
    ]
    found = lake.read_rows("no.x", "b1", STAGED).collect()
    assert found["_observed_at"].to_list() == [day(0), day(0), day(1)]
    assert found["_raw"][0] == first.sha256
    assert lake.rejects("no.x", "b1")["reason"].to_list() == ["short"]
    assert lake.signals("no.x", "b1")[0]["subject"] == "Z"
    assert lake.cursor("no.x") == "17"
    assert [piece["sha256"] for piece in index.pieces] == [first.sha256, second.sha256]


def test_a_member_counts_to_its_archive_and_its_failure_is_one_reject(layout: Layout) -> None:
    lake, piece = StagedStore(layout), _piece(layout, "a.zip")
    good = Member("good.html", piece.sha256, DAY, "part", "good.html")
    bad = Member("bad.html", piece.sha256, DAY, "part", "bad.html")
    with lake.write_batch("no.x", "b1") as writer:
        writer.add_member(piece)
        writer.add_rows(STAGED, good, staged_rows(("1", "A")))  # pyright: ignore[reportArgumentType]
        writer.add_unreadable_member(bad, "cut off")  # pyright: ignore[reportArgumentType]
    index = lake.index("no.x", "b1")
    assert index is not None
    [entry] = index.pieces
    assert (entry["name"], entry["rows"], entry["rejects"], entry["rejected"]) == ("a.zip", 1, 1, None)
    assert lake.read_rows("no.x", "b1", STAGED).collect()["_raw"].item() == f"{piece.sha256}#good.html"
    assert lake.rejects("no.x", "b1")["record"].item() == "bad.html"


def test_a_piece_rejected_whole_counts_as_read(layout: Layout) -> None:
    lake, piece = StagedStore(layout), _piece(layout)
    with lake.write_batch("no.x", "b1") as writer:
        writer.add_unreadable_member(piece, "HTML")
    index = lake.index("no.x", "b1")
    assert index is not None
    [entry] = index.pieces
    assert (entry["name"], entry["sha256"], entry["rejected"]) == ("a.csv", piece.sha256, "HTML")
    assert lake.read_rows("no.x", "b1", STAGED).collect().is_empty()


def test_a_batch_that_fails_is_not_there_and_one_is_written_once(layout: Layout) -> None:
    lake, piece = StagedStore(layout), _piece(layout)
    with pytest.raises(ZeroDivisionError):
        _fail_after(lake, piece)
    assert lake.batches("no.x") == []
    with lake.write_batch("no.x", "b1") as writer:
        writer.add_rows(STAGED, piece, staged_rows(("1", "A")))
    assert lake.batches("no.x") == ["b1"]
    with pytest.raises(FileExistsError, match="already staged"), lake.write_batch("no.x", "b1"):
        pass


def _fail_after(lake: StagedStore, piece: RawBody) -> None:
    with lake.write_batch("no.x", "b1") as writer:
        writer.add_rows(STAGED, piece, staged_rows(("1", "A")))
        _ = 1 / 0


def test_a_batch_can_be_held_and_let_go(layout: Layout) -> None:
    lake, piece = StagedStore(layout), _piece(layout)
    with lake.write_batch("no.x", "b1") as writer:
        writer.add_member(piece)
    held = QuarantineReason("max_shrink", 0.5, 0.02)
    for state in (held, None):
        lake.set_quarantine("no.x", "b1", state)
        index = lake.index("no.x", "b1")
        assert index is not None
        assert index.held == state
    with pytest.raises(KeyError):
        lake.set_quarantine("no.x", "other", held)


@pytest.mark.slow
def test_killed_at_any_step_a_batch_is_whole_or_absent(layout: Layout) -> None:
    _piece(layout)
    lake, at = StagedStore(layout), 1
    while killed_at(partial(kills.stage, layout.root), at):
        for batch in lake.batches("no.x"):
            assert lake.read_rows("no.x", batch, STAGED).collect().height == 2
            assert lake.cursor("no.x") == "17"
        if lake.batches("no.x"):
            break  # it was complete: the next run has nothing left to stage
        at += 1
    assert at >= 3
    assert lake.batches("no.x")


def _retraction(*batches: str, newest: str) -> BatchRetraction:
    return BatchRetraction(batches, ("no.x",), newest, day(5), "anna", "wrong file")


def test_retracted_batch_is_not_listed_and_takes_the_cursor_back_until_a_later_batch(layout: Layout) -> None:
    lake = StagedStore(layout)
    for number in (1, 2, 3):
        with lake.write_batch("no.x", f"b{number}") as writer:
            writer.set_cursor(str(number))
    for _ in range(2):  # a retraction that is completed is recorded once
        lake.retract_batches("no.x", _retraction("b2", newest="b3"))
    assert lake.batches("no.x") == ["b1", "b3"]
    assert lake.all_batches("no.x") == ["b1", "b2", "b3"]
    assert [index.batch for index in lake.newest_indexes("no.x")] == ["b3", "b1"]
    assert lake.cursor("no.x") == "1"
    assert lake.retractions("no.x") == [_retraction("b2", newest="b3")]
    with lake.write_batch("no.x", "b4") as writer:
        writer.set_cursor("4")
    assert lake.cursor("no.x") == "4"


def test_deletion_checks_that_a_retracted_batch_alone_answered_are_open_again(layout: Layout) -> None:
    lake, one, two, three = StagedStore(layout), ("units", ("1",)), ("units", ("2",)), ("units", ("3",))
    for batch in ("b2", "b3"):
        with lake.write_batch("no.x", batch):
            """An empty batch."""
    # what the killed run b1 had fetched was staged by the next one
    lake.record_pending_deletion_checks(
        "no.x", {"units": "no.y/b1"}, [], {"b1": [one], "b2": [two], "b3": [two, three]}
    )
    for _ in range(2):  # a retraction that is completed opens them once
        lake.retract_batches("no.x", _retraction("b2", newest="b3"))
    assert lake.pending_deletion_checks("no.x") == ({"units": "no.y/b1"}, [one])
    assert lake.answered_deletion_checks("no.x") == {"b2": [two], "b3": [two, three]}
    assert lake.checks_answered_by("no.x", ["b3"]) == [two, three], "b2 is out of use"


def test_retracted_batch_of_look_ups_is_looked_up_again(layout: Layout) -> None:
    lake = StagedStore(layout)
    for dataset, batch in (("no.named", "b1"), ("no.named", "b2"), ("no.named", "b3"), ("no.x", "b2"), ("no.x", "b3")):
        with lake.write_batch(dataset, batch):
            """An empty batch."""
    lake.record_looked_up_batches("no.x", {"no.named": "b3"})
    lake.retract_batches("no.x", _retraction("b2", newest="b3"))
    assert lake.looked_up_batches("no.x") == {"no.named": "b1"}
