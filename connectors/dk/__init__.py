"""Denmark: announced, not served. README.md describes what its register offers.

See docs/contract/contract.md «Not available».
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from polars import DataFrame, LazyFrame, Series, String

from connectors.contract.dataset import Jurisdiction, SharedTables


def _company_ids_of_rows(table: str, rows: DataFrame) -> Series:
    """No staged tables, so no row concerns a company."""
    del table
    return Series("company_id", [None] * len(rows), dtype=String)


def _empty_shared_tables(present: Mapping[str, LazyFrame], at: date) -> SharedTables:
    """No shared tables, as no dataset is read."""
    del present, at
    return {}


DENMARK: Final = Jurisdiction(
    code="DK",
    state="announced",
    datasets=(),
    precedence={},
    touches=_company_ids_of_rows,
    normalise=_empty_shared_tables,
)
