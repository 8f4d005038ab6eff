from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import BinaryIO

import pytest

from connectors.declare import Piece, Scope
from pipelines.parsing import DIED, Outcome, Readers
from tests.pipelines.invented import read_accounts


def body(text: str) -> BinaryIO:
    return io.BytesIO(text.encode())


def piece(index: int, text: str) -> Piece:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Piece("fi.accounts", f"{index}.json", "ab", at, Scope.PART, "b", partial(body, text))


def pieces(count: int, **odd: str) -> list[Piece]:
    plain = '{"id": "%d", "number": "1", "start": "2025-01-01", "end": "2025-12-31", "revenue": 1}'
    return [piece(index, odd.get(f"n{index}", plain % index)) for index in range(count)]


@pytest.fixture
def pool() -> Iterator[Callable[..., Readers]]:
    made: list[Readers] = []

    def make(*values: int) -> Readers:
        made.append(Readers(*values))
        return made[-1]

    yield make
    for readers in made:
        readers.close()


def names(outcomes: list[Outcome]) -> list[str]:
    return [outcome.piece.name for outcome in outcomes]


def test_few_pieces_are_read_in_this_process(pool: Callable[..., Readers]) -> None:
    readers = pool(2, 100)
    outcomes = list(readers.read(read_accounts, iter(pieces(3, n1="{torn"))))
    assert names(outcomes) == ["0.json", "1.json", "2.json"]
    assert [outcome.reason is None for outcome in outcomes] == [True, False, True]
    assert outcomes[0].batches[0].rows["id"].to_list() == ["0"]


@pytest.mark.slow
def test_a_piece_that_kills_its_process_is_rejected_alone_and_order_stays(
    pool: Callable[..., Readers],
) -> None:
    readers = pool(2, 4, 2)
    outcomes = list(readers.read(read_accounts, iter(pieces(8, n2="deadly", n5="{torn"))))
    assert names(outcomes) == [f"{index}.json" for index in range(8)]
    assert outcomes[2].reason == DIED
    assert "not JSON" in (outcomes[5].reason or "")
    assert [outcome.batches[0].rows.height for outcome in outcomes if outcome.reason is None] == [1] * 6
