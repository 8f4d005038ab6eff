"""Items made ahead by a thread: none lost, none twice, errors in their place, the maker ended with its user."""

import threading
from collections.abc import Generator

import pytest

from connectors.kit.ahead import ahead


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
    assert list(ahead(counted(made, count))) == list(range(count))
    assert made == [*range(count), -1]


def test_what_was_made_before_an_error_comes_before_it() -> None:
    items = ahead(counted([], 7, ValueError("torn")))
    assert [next(items) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="torn"):
        next(items)


def test_whoever_stops_early_ends_the_maker_and_its_thread() -> None:
    made: list[int] = []
    before = threading.active_count()
    items = ahead(counted(made, 1_000_000))
    assert next(items) == 0
    items.close()  # type: ignore[attr-defined]
    assert made[-1] == -1
    assert len(made) <= 3
    assert threading.active_count() == before
