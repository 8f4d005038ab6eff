"""Keys of links by name (`connectors.declare.Link`): the whole name first, then the core alone.

Only equal keys match; the link evaluation requires that exactly one company does. Does not belong here: which
rows of a register are candidates (the market).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import polars as pl

from connectors.declare import Key
from connectors.matching.names import full_name, strong_core, taken_apart

Names = Callable[
    [pl.DataFrame], pl.Series
]  # rows of a staged table to names; null for rows that are not candidates

FULL: Final = "full_name"
CORE: Final = "core_name"
BARE: Final = "bare_name"


def full_key(country: str, names: Names) -> Key:
    """Key of the core with its legal forms, on both sides."""
    return Key(FULL, partial(_keys, partial(full_name, country=country), names))


def core_key(country: str, names: Names) -> Key:
    """Key of the core of candidate companies; null if it is short or common."""
    return Key(CORE, partial(_keys, partial(strong_core, country=country), names))


def bare_key(country: str, names: Names) -> Key:
    """Key of the core of a name without a legal form: one with another form is another company."""
    return Key(BARE, partial(_keys, partial(_bare, country=country), names))


def _bare(name: str, country: str) -> str | None:
    return None if taken_apart(name, country).forms else strong_core(name, country)


def _keys(make: Callable[[str], str | None], names: Names, rows: pl.DataFrame) -> pl.Series:
    return pl.Series([make(name) if name else None for name in names(rows)], dtype=pl.String)
