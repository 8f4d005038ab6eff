"""Difference between two known states of shared tables, as transforms get it.

Does not belong here: how states are compared (`warehouse.history.history`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import polars as pl


class TableDiffLike(Protocol):
    """One table's difference between two known states; frames have the table's columns.

    `known`: for the companies table, the company ids that were known before.
    """

    @property
    def added(self) -> pl.DataFrame: ...
    @property
    def removed(self) -> pl.DataFrame: ...
    @property
    def changed_before(self) -> pl.DataFrame: ...
    @property
    def changed_after(self) -> pl.DataFrame: ...
    @property
    def known(self) -> pl.Series: ...


Differences = Mapping[str, TableDiffLike]  # by table
Frames = Mapping[str, pl.DataFrame]  # rows of the companies concerned, by table
Row = Mapping[str, Any]
