"""Which of several rows of one file with the same key a row is."""

from __future__ import annotations

import polars as pl


class Repeats:
    """Counts keys over the chunks of one piece."""

    def __init__(self) -> None:
        self._met: set[int] = set()
        self._again: dict[int, int] = {}  # keys met more than once, and how often: few

    def ordinals(self, number: pl.Series, serial: pl.Series) -> pl.Series:
        """1 for the first row of a number and serial, 2 for the next, and so on through all chunks."""
        keys = self._keys(number, serial)
        several = keys.is_duplicated()
        once = keys.filter(~several).to_list() if several.any() else keys.to_list()
        if not self._met.isdisjoint(once):
            several = several | keys.is_in(self._met.intersection(once))
            once = keys.filter(~several).to_list()
        self._met.update(once)
        ordinals = pl.repeat(1, keys.len(), dtype=pl.Int64, eager=True)
        if not several.any():
            return ordinals
        return ordinals.scatter(several.arg_true(), [self._next(key) for key in keys.filter(several)])

    def _next(self, key: int) -> int:
        if key not in self._met:
            self._met.add(key)
            return 1
        self._again[key] = self._again.get(key, 1) + 1
        return self._again[key]

    @staticmethod
    def _keys(number: pl.Series, serial: pl.Series) -> pl.Series:
        """Number and serial as one integer; a serial that is no number counts as none."""
        part = serial.cast(pl.Int64, strict=False).fill_null(0)
        return number.cast(pl.Int64) * 10_000 + part
