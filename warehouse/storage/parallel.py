"""Prefetching and ordered parallel mapping with threads.

For work that releases the GIL, as polars does; much of it is limited to one thread at a time. Belongs here:
threads, order, how many items are in progress. Does not belong here: the work done.
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


def prefetch(items: Generator[T, None, None]) -> Iterator[T]:
    """Prefetches one item: the next is made while the current one is used; order and errors are preserved.

    Closing the iterator early also closes `items`.
    """
    with closing(items), ThreadPoolExecutor(1) as thread:
        following = thread.submit(_next_item, items)
        while item := following.result():
            following = thread.submit(_next_item, items)
            yield item[0]


def parallel_map(items: Generator[T, None, None], work: Callable[[T], Made], *, waiting: int = 0) -> Iterator[Made]:
    """Maps `work` over the items in parallel, one thread per polars thread; results keep the order of the items.

    `work` must not depend on results of earlier items. An error is raised at its position, also one of `items`,
    which is iterated by a single thread. waiting: extra items in progress, so that the threads have work while
    the consumer is busy; one more item is kept in memory.
    """
    lanes = pl.thread_pool_size()
    under_way = deque[Future[Made]]()
    with closing(items), ThreadPoolExecutor(1) as thread, ThreadPoolExecutor(lanes) as threads:
        following = thread.submit(_next_item, items)
        while following.exception() is None and (item := following.result()):
            under_way.append(threads.submit(work, item[0]))
            following = thread.submit(_next_item, items)
            if len(under_way) == lanes + waiting:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
        following.result()


def _next_item(made: Iterator[T]) -> tuple[T] | tuple[()]:
    """The next item as a 1-tuple; an empty tuple at the end."""
    for item in made:
        return (item,)
    return ()
