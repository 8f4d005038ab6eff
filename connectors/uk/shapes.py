"""Casts rows to the exact schema of a shared table.

Belongs here: columns, order and types. Does not belong here: any value.
"""

from __future__ import annotations

import polars as pl

from connectors.kit import staging
from warehouse.schema.types import Table


def cast_to_table(rows: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Casts `rows` to the columns and types of a table; absent columns are null."""
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in staging.staged_schema(table).items()
    )
