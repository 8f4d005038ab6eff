"""Keys of links by name (`connectors.contract.dataset.Link`): the whole name first, then the core alone.

Only equal keys match; the link evaluation requires that exactly one company does. Does not belong here: which
rows of a register are candidates (the market).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey
from name_matching.core_name import full_name, split_core_and_forms, strong_core

Names = Callable[[pl.DataFrame], pl.Series]  # rows of a staged table to names; null for rows that are not candidates

FULL: Final = "full_name"
CORE: Final = "core_name"
BARE: Final = "bare_name"


def full_name_key(country: str, names: Names) -> ComputedKey:
    """Key of the core with its legal forms, on both sides."""
    return ComputedKey(FULL, partial(_key_series, partial(full_name, country=country), names))


def core_key(country: str, names: Names) -> ComputedKey:
    """Key of the core of candidate companies; null if it is short or common."""
    return ComputedKey(CORE, partial(_key_series, partial(strong_core, country=country), names))


def formless_core_key(country: str, names: Names) -> ComputedKey:
    """Key of the core of a name without a legal form: one with another form is another company."""
    return ComputedKey(BARE, partial(_key_series, partial(_formless_core, country=country), names))


def _formless_core(name: str, country: str) -> str | None:
    return None if split_core_and_forms(name, country).forms else strong_core(name, country)


def _key_series(make: Callable[[str], str | None], names: Names, rows: pl.DataFrame) -> pl.Series:
    return pl.Series([make(name) if name else None for name in names(rows)], dtype=pl.String)
