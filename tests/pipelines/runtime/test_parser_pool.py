from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

import dagster as dg
import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from pipelines.runtime.parser_pool import DIED, ParseOutcome, ParserPool, parse_member
from tests.pipelines.invented import MARKET, read_accounts
from tests.pipelines.places import Place


def body(text: str) -> BinaryIO:
    return io.BytesIO(text.encode())


def piece(index: int, text: str) -> ArchiveMember:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return ArchiveMember("fi.accounts", f"{index}.json", "ab", at, Scope.PART, "b", partial(body, text))


def pieces(count: int, **odd: str) -> list[ArchiveMember]:
    plain = '{"id": "%d", "number": "1", "start": "2025-01-01", "end": "2025-12-31", "revenue": 1}'
    return [piece(index, odd.get(f"n{index}", plain % index)) for index in range(count)]


@pytest.fixture
def pool() -> Iterator[Callable[..., ParserPool]]:
    made: list[ParserPool] = []

    def make(*values: int) -> ParserPool:
        made.append(ParserPool(*values))
        return made[-1]

    yield make
    for readers in made:
        readers.close()


def names(outcomes: list[ParseOutcome]) -> list[str]:
    return [outcome.member.name for outcome in outcomes]


def test_few_pieces_are_read_in_this_process(pool: Callable[..., ParserPool]) -> None:
    readers = pool(2, 100)
    outcomes = list(readers.parse_members(read_accounts, iter(pieces(3, n1="{torn"))))
    assert names(outcomes) == ["0.json", "1.json", "2.json"]
    assert [outcome.reason is None for outcome in outcomes] == [True, False, True]
    assert outcomes[0].batches[0].rows["id"].to_list() == ["0"]


def faulty(error: Exception, piece: ArchiveMember) -> Iterator[Batch]:
    """A reader with a defect: it fails on one file after its first batch."""
    yield from read_accounts(piece)
    if piece.name == "1.json":
        raise error


@pytest.mark.parametrize(
    "error",
    [
        TypeError("no\nmore"),
        ValueError(),
        AttributeError("x"),
        KeyError("x"),
        ZeroDivisionError(),
        RecursionError(),
        csv.Error("x"),
        pl.exceptions.ComputeError("x"),
    ],
)
def test_a_piece_that_a_reader_fails_on_is_rejected_alone(pool: Callable[..., ParserPool], error: Exception) -> None:
    outcomes = list(pool(1, 100).parse_members(partial(faulty, error), iter(pieces(3))))
    assert [len(outcome.batches) for outcome in outcomes] == [1, 0, 1]
    reason = outcomes[1].reason or ""
    assert reason.startswith(f"the parser failed on it ({type(error).__name__}")
    assert reason.endswith("): a defect, please report this file")
    assert "\n" not in reason


def test_what_a_large_piece_gives_is_packed_until_its_end_and_comes_out_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (large,) = pieces(1)
    frames = [pl.DataFrame({"number": [str(place)] * 1000}) for place in range(4)]
    batches = [Batch("accounts", frame, frame[:place]) for place, frame in enumerate(frames)]
    size = frames[0].estimated_size()
    monkeypatch.setattr("pipelines.runtime.parser_pool.PLAIN_BYTES", 2 * int(size))
    found = parse_member(lambda _: iter(batches), large).batches
    assert [found[place] is batch for place, batch in enumerate(batches)] == [True, True, False, False]
    assert [(one.table, one.rows.rows(), one.rejects.rows()) for one in found[:]] == [
        (one.table, one.rows.rows(), one.rejects.rows()) for one in batches
    ]


def test_what_a_reader_fails_on_is_told_by_its_place_and_never_quoted() -> None:
    read: dict[str, Callable[[ArchiveMember], Iterator[Batch]]] = {}
    source = "def read(piece):\n    int('19121212-1212')\n"
    exec(compile(source, "/anywhere/connectors/se/reader.py", "exec"), read)
    outcome = parse_member(read["read"], next(iter(pieces(1))))
    assert outcome.reason == (
        "the parser failed on it (ValueError in connectors/se/reader.py:2): a defect, please report this file"
    )


def test_what_is_no_files_fault_ends_the_run(pool: Callable[..., ParserPool]) -> None:
    with pytest.raises(OSError, match="full"):
        list(pool(1, 100).parse_members(partial(faulty, OSError("full")), iter(pieces(3))))


@pytest.mark.slow
def test_a_piece_that_kills_its_process_is_rejected_alone_and_order_stays(pool: Callable[..., ParserPool]) -> None:
    readers = pool(2, 4, 2)
    outcomes = list(readers.parse_members(read_accounts, iter(pieces(8, n2="deadly", n5="{torn"))))
    assert names(outcomes) == [f"{index}.json" for index in range(8)]
    assert outcomes[2].reason == DIED
    assert "not JSON" in (outcomes[5].reason or "")
    assert [outcome.batches[0].rows.height for outcome in outcomes if outcome.reason is None] == [1] * 6


@pytest.mark.slow
def test_a_full_edition_that_a_reader_fails_on_is_held_by_its_guard(tmp_path: Path) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        place = Place(tmp_path, instance=instance)
        place.plain()
        place.write("day.json", json.dumps({"complete": ["fi.accounts"]}))
        place.write("fi/accounts/a1.json", "[]")  # the reader wants a mapping
        report = place.ingest()
    assert [(one.dataset, one.guard) for one in report.held] == [("fi.accounts", "unreadable")]
    assert [file.reason for file in report.files if file.path.endswith("a1.json")] == [
        "the parser failed on it (TypeError): a defect, please report this file"
    ]


def torn_apart(piece: ArchiveMember) -> Iterator[ArchiveMember]:
    if piece.name.endswith("a2.json"):
        raise IndexError(piece.name)
    yield piece


@pytest.mark.slow
def test_a_file_that_cannot_be_taken_apart_as_nobody_foresaw_is_rejected_alone(tmp_path: Path) -> None:
    torn = [replace(one, split_members=torn_apart) for one in MARKET.datasets]
    with dg.DagsterInstance.ephemeral() as instance:
        place = Place(tmp_path, instance=instance, market=replace(MARKET, datasets=tuple(torn)))
        place.plain()
        place.write("fi/accounts/a2.json", "{}")
        report = place.ingest()
    assert report.release == 1
    assert [file.reason for file in report.files if file.path.endswith("a2.json")] == [
        "the parser failed on it (IndexError): a defect, please report this file"
    ]
