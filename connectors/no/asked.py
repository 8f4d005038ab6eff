"""Which accounts were asked for already: the cursor of one-by-one fetching, small enough to be kept as text.

Half a million companies make a few hundred kilobytes: numbers of one mark, sorted, as differences, packed.
A mark is what was asked for: a year of accounts, a round of asking again, or both; later ones sort behind.
Does not belong here: whom to ask (`fetching`, `konsern_fetch`).
"""

from __future__ import annotations

import base64
import json
import zlib
from datetime import date, timedelta
from itertools import accumulate, pairwise
from typing import Final

from connectors.declare import Cursor

_SLOTS: Final = 28  # days that every month has


def latest_round(number: str, today: date) -> str:
    """The month in which it was last a number's turn to be asked again: once a month, spread over its days."""
    turn = int(number) % _SLOTS + 1
    month = today if today.day >= turn else today.replace(day=1) - timedelta(days=1)
    return f"{month:%Y-%m}"


class Asked:
    """Numbers and the mark under which they were asked for last."""

    def __init__(self, years: dict[str, str] | None = None) -> None:
        self._years = years or {}

    @classmethod
    def of(cls, cursor: Cursor | None) -> Asked:
        """What a cursor remembers.

        A cursor that does not read remembers nothing: asking again does no harm.
        """
        if cursor is None:
            return cls()
        try:
            packed: dict[str, list[int]] = json.loads(zlib.decompress(base64.b85decode(cursor.value)))
        except (ValueError, zlib.error):
            return cls()
        return cls({f"{number:09}": year for year, steps in packed.items() for number in accumulate(steps)})

    def cursor(self) -> Cursor:
        by_year: dict[str, list[int]] = {}
        for number, year in self._years.items():
            by_year.setdefault(year, []).append(int(number))
        packed = {
            year: [end - start for start, end in pairwise([0, *sorted(found)])]
            for year, found in by_year.items()
        }
        text = json.dumps(packed, separators=(",", ":"), sort_keys=True)
        return Cursor(base64.b85encode(zlib.compress(text.encode(), 6)).decode())

    def knows(self, number: str, year: str) -> bool:
        """Whether these accounts, or newer ones, were asked for."""
        return self._years.get(number, "") >= year and number in self._years

    def add(self, number: str, year: str) -> None:
        self._years[number] = year

    def __len__(self) -> int:
        return len(self._years)
