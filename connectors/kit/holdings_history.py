"""Dated statements of holders: the latest of each holder, and the superseded ones.

Belongs here: notices, yearly lists and the like as shared HOLDINGS rows, oldest first. Does not belong here:
records that a register changes in place, or any source's own rules of which statement is newer.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_RECORD: Final = ("company_id", "register", "native_id")


def latest_statements(statements: pl.DataFrame) -> pl.DataFrame:
    """The last row of each record, from HOLDINGS rows sorted oldest first per record: shared `holdings`."""
    return statements.unique(_RECORD, keep="last", maintain_order=True)


def superseded_statements(statements: pl.DataFrame) -> pl.DataFrame:
    """Superseded rows of each record, valid before its newest, the last one of each day: `holdings_earlier`."""
    if statements.is_empty():
        return statements
    last = latest_statements(statements).select(*_RECORD, pl.col("valid_from").alias("_newest"))
    rows = statements.join(last, on=_RECORD, how="left", maintain_order="left")
    before = rows.filter(pl.col("valid_from") < pl.col("_newest")).drop("_newest")
    return before.unique([*_RECORD, "valid_from"], keep="last", maintain_order=True)
