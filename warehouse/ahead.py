"""Work done by threads while its results are used, in the order of its items.

For work that runs outside of Python's own lock, as polars' does; much of that takes one thread at a time. Belongs
here: threads, order, how many items are under way. Does not belong here: what is made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

import polars as pl

T = TypeVar("T")
Made = TypeVar("Made")


def ahead(made: Generator[T, None, None]) -> Iterator[T]:
    """The same items in the same order, the next made while one is used, and an error in its place.

    Whoever stops early ends the maker.
    """
    with closing(made), ThreadPoolExecutor(1) as thread:
        following = thread.submit(_some, made)
        while item := following.result():
            following = thread.submit(_some, made)
            yield item[0]


def in_lanes(
    items: Generator[T, None, None], work: Callable[[T], Made], *, waiting: int = 0
) -> Iterator[Made]:
    """What `work` makes of each item, in their order, as many at one time as polars has threads.

    `work` must not need what it made of items before. An error comes in its place, also one of `items`, which one
    thread goes through. waiting: how many more are on their way, so that lanes have work while their user has too;
    one more is held.
    """
    lanes = pl.thread_pool_size()
    under_way = deque[Future[Made]]()
    with closing(items), ThreadPoolExecutor(1) as thread, ThreadPoolExecutor(lanes) as threads:
        following = thread.submit(_some, items)
        while following.exception() is None and (item := following.result()):
            under_way.append(threads.submit(work, item[0]))
            following = thread.submit(_some, items)
            if len(under_way) == lanes + waiting:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
        following.result()


def _some(made: Iterator[T]) -> tuple[T] | tuple[()]:
    """The next item; nothing behind the last."""
    for item in made:
        return (item,)
    return ()
