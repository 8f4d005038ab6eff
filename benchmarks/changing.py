"""Which rows of a generated register say something else on a day: one in a hundred others every day, for ever.

Row n changes on the days whose number ends as its own does (00 as the hundredth), and back on every second of them.
Does not belong here: what changes in a row (each register's own).
"""

from __future__ import annotations

from typing import Final

import polars as pl

_HUNDRED: Final = 100


def endings(day: int) -> frozenset[int]:
    """The last two digits of the rows that are otherwise than on day 0."""
    return frozenset(
        ending
        for ending in range(_HUNDRED)
        if (day + _HUNDRED - (ending or _HUNDRED)) // _HUNDRED % 2  # how often it has changed
    )


def changed(day: int) -> pl.Expr:
    """Whether the row of the number `i` is otherwise than on day 0."""
    return (pl.col("i") % _HUNDRED).is_in(sorted(endings(day)))
