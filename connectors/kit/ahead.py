"""One item ahead: the next is made by a thread while one is used.

For readers whose work runs outside of Python's own lock, as polars' does. More than one ahead is slower: maker and
user share polars' threads. Does not belong here: what is read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

T = TypeVar("T")


def ahead(made: Generator[T, None, None]) -> Iterator[T]:
    """The same items in the same order, and an error in its place. Whoever stops early ends the maker."""
    with closing(made), ThreadPoolExecutor(1) as thread:
        following = thread.submit(_some, made)
        while item := following.result():
            following = thread.submit(_some, made)
            yield item[0]


def _some(made: Iterator[T]) -> tuple[T] | tuple[()]:
    """The next item; nothing behind the last."""
    for item in made:
        return (item,)
    return ()
