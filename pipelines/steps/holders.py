"""Who a holder is: one id per holder of one company, from the record that first told of them.

Joins across records of one register are exact only (the register's own id); persons are never joined across
companies. Does not belong here: what they hold (`ownership`).
"""

from __future__ import annotations

import polars as pl

from warehouse.schema.ids import holder_id


def with_holder_id(holdings: pl.DataFrame) -> pl.DataFrame:
    """Adds `holder_id`: the id of (company, register, the register's own id)."""
    keys = holdings.select("company_id", "register", "native_id").iter_rows()
    ids = [holder_id(company, register, native) for company, register, native in keys]
    return holdings.with_columns(pl.Series("holder_id", ids, dtype=pl.String))
