"""Items made ahead by a thread: none lost, none twice, errors in their place, the maker ended with its user."""

import threading
from collections.abc import Generator

import polars as pl
import pytest

from warehouse.storage.parallel import parallel_map, prefetch


def counted(made: list[int], end: int, failure: Exception | None = None) -> Generator[int, None, None]:
    try:
        for number in range(end):
            made.append(number)
            yield number
        if failure is not None:
            raise failure
    finally:
        made.append(-1)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_all_come_once_and_in_order(count: int) -> None:
    made: list[int] = []
    assert list(prefetch(counted(made, count))) == list(range(count))
    assert made == [*range(count), -1]


def test_what_was_made_before_an_error_comes_before_it() -> None:
    items = prefetch(counted([], 7, ValueError("torn")))
    assert [next(items) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="torn"):
        next(items)


def test_whoever_stops_early_ends_the_maker_and_its_thread() -> None:
    made: list[int] = []
    before = threading.active_count()
    items = prefetch(counted(made, 1_000_000))
    assert next(items) == 0
    items.close()  # type: ignore[attr-defined]
    assert made[-1] == -1
    assert len(made) <= 3
    assert threading.active_count() == before


@pytest.mark.parametrize("waiting", [0, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
def test_what_lanes_make_comes_once_and_in_order(count: int, waiting: int) -> None:
    made: list[int] = []
    found = parallel_map(counted(made, count), lambda number: 2 * number, waiting=waiting)
    assert list(found) == list(range(0, 2 * count, 2))
    assert made == [*range(count), -1]


def test_items_are_on_their_way_while_others_are_used() -> None:
    made: list[int] = []
    items = parallel_map(counted(made, 1000), lambda number: number, waiting=4)
    assert next(items) == 0
    assert len(made) >= pl.thread_pool_size() + 4


def test_lanes_work_at_one_time() -> None:
    both = threading.Barrier(2, timeout=30)

    def work(number: int) -> int:
        both.wait()  # would never be passed by one
        return number

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pl, "thread_pool_size", lambda: 2)
        assert list(parallel_map(counted([], 4), work)) == [0, 1, 2, 3]


def test_errors_of_lanes_and_of_their_items_come_in_their_place() -> None:
    items = parallel_map(counted([], 7, ValueError("torn")), lambda number: number)
    assert [next(items) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="torn"):
        next(items)
    halves = parallel_map(counted([], 7), lambda number: 12 // (number - 3))
    assert [next(halves) for _ in range(3)] == [-4, -6, -12]
    with pytest.raises(ZeroDivisionError):
        next(halves)


def test_whoever_stops_lanes_early_ends_the_maker_and_all_threads() -> None:
    made: list[int] = []
    before = threading.active_count()
    items = parallel_map(counted(made, 1_000_000), lambda number: number)
    assert next(items) == 0
    items.close()  # type: ignore[attr-defined]
    assert made[-1] == -1
    assert len(made) <= pl.thread_pool_size() + 4
    assert threading.active_count() == before
