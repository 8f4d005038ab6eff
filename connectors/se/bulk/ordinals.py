"""Numbers rows of one file that share the same key."""

from __future__ import annotations

from typing import cast

import polars as pl


class RepeatCounter:
    """Counts keys over the chunks of one piece."""

    def __init__(self) -> None:
        self._met: list[tuple[int, int, pl.Series]] = []  # minimum, maximum and keys per chunk
        self._again: dict[int, int] = {}  # keys seen more than once, and how often: few

    def ordinals(self, number: pl.Series, serial: pl.Series) -> pl.Series:
        """1 for the first row of a number and serial, 2 for the next, and so on through all chunks."""
        keys = self._keys(number, serial)
        is_new = keys.n_unique() == keys.len()  # nearly always, and faster than finding the duplicates
        met = self._met_before(keys)
        if not keys.is_empty():
            self._met.append((*_key_range(keys), keys))
        ordinals = pl.repeat(1, keys.len(), dtype=pl.Int64, eager=True)
        if is_new and not met:
            return ordinals
        several = keys.is_duplicated() | keys.is_in(list(met))
        return ordinals.scatter(several.arg_true(), [self._next(key, met) for key in keys.filter(several)])

    def _met_before(self, keys: pl.Series) -> set[int]:
        """Keys that an earlier chunk has; searching sorted chunks costs less than a set of all keys.

        Registers number consecutively, so many chunks do not overlap: those are skipped.
        """
        if not self._met or keys.is_empty():
            return set()
        least, greatest = _key_range(keys)
        near = [met for first, last, met in self._met if first <= greatest and last >= least]
        if not near:
            return set()
        before = pl.concat(near, rechunk=False)
        return set(before.filter(before.is_in(keys.implode())).to_list())

    def _next(self, key: int, met: set[int]) -> int:
        self._again[key] = self._again.get(key, int(key in met)) + 1
        return self._again[key]

    @staticmethod
    def _keys(number: pl.Series, serial: pl.Series) -> pl.Series:
        """Number and serial as one integer; a non-numeric serial counts as none."""
        first = number.cast(pl.Int64) * 10_000
        if not serial.str.len_bytes().max():  # nearly always no row has a serial
            return first
        return first + serial.cast(pl.Int64, strict=False).fill_null(0)


def _key_range(keys: pl.Series) -> tuple[int, int]:
    """Minimum and maximum of the keys."""
    return cast("tuple[int, int]", (keys.min(), keys.max()))
