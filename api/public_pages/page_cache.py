"""Keeps what pages for everyone are made of, so that a flood of requests costs one rendering.

Does not belong here: what is made (`api.public_pages.home`, `api.public_pages.status`), or caching by browsers
(`api.public_pages.rendering`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from api.common.clock import Clock

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    release: int | None
    made_at: float
    value: T


class PageCache(Generic[T]):
    """One value per name, made by one request while others wait for it.

    It is made anew for another release, and `seconds` after it was made. A failure is not kept.
    """

    def __init__(self, clock: Clock, seconds: float = inf) -> None:
        self._clock = clock
        self._seconds = seconds
        self._kept: dict[str, _Kept[T]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def get(self, name: str, release: int | None, make: Callable[[], Awaitable[T]]) -> T:
        """The kept value, or the one that `make` gives now; `name` is never a client's text."""
        if (kept := self._current(name, release)) is not None:
            return kept.value
        async with self._locks.setdefault(name, asyncio.Lock()):
            if (kept := self._current(name, release)) is None:
                began = self._clock.monotonic()
                self._kept[name] = kept = _Kept(release, began, await make())
        return kept.value

    def forget(self, name: str) -> None:
        """The next request makes the value anew."""
        self._kept.pop(name, None)

    def _current(self, name: str, release: int | None) -> _Kept[T] | None:
        kept = self._kept.get(name)
        if kept is None or kept.release != release:
            return None
        return kept if self._clock.monotonic() - kept.made_at < self._seconds else None
