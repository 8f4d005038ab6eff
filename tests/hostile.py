"""A world whose companies have names that are made to break out of a page."""

from dataclasses import replace
from typing import Any, Final

from sandbox import World
from sandbox.model.company import Company

HOSTILE: Final = '<script>alert("company")</script><img src=x onerror=alert(1)>'


class HostileWorld(World):
    """As any other, but for the names of every so many companies of a market."""

    def __init__(self, *, every: int, **given: Any) -> None:
        super().__init__(**given)
        self._every = every

    def company(self, market: str, position: int, day: int) -> Company:
        made = super().company(market, position, day)
        return made if position % self._every else replace(made, name=f"{HOSTILE} {made.name}")
