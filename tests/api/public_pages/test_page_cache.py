"""What pages are made of is made once: for one release, for some seconds, for all who wait."""

import asyncio

import pytest

from api.common.clock import Clock
from api.public_pages.page_cache import PageCache


class Maker:
    """Makes numbers, one at each call, after the others have had their turn."""

    def __init__(self) -> None:
        self.made = 0

    async def __call__(self) -> int:
        self.made += 1
        await asyncio.sleep(0)
        return self.made


def test_a_value_is_made_once_for_all_who_wait_for_it() -> None:
    async def ask() -> list[int]:
        cache, maker = PageCache[int](Clock()), Maker()
        return await asyncio.gather(*(cache.get("home", 1, maker) for _ in range(5)))

    assert asyncio.run(ask()) == [1] * 5


def test_another_release_or_some_seconds_make_it_anew() -> None:
    hands = [0.0]
    cache, maker = PageCache[int](Clock(monotonic=lambda: hands[0]), 30.0), Maker()

    def ask(name: str, release: int | None) -> int:
        return asyncio.run(cache.get(name, release, maker))

    assert [ask("home", None), ask("home", 1), ask("home", 1), ask("status", 1)] == [1, 2, 2, 3]
    hands[0] = 29.9
    assert ask("home", 1) == 2
    hands[0] = 30.0
    assert ask("home", 1) == 4
    cache.forget("home")
    assert ask("home", 1) == 5


def test_a_failure_is_not_kept() -> None:
    cache, maker = PageCache[int](Clock()), Maker()

    async def fail() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(cache.get("home", 1, fail))
    assert asyncio.run(cache.get("home", 1, maker)) == 1
