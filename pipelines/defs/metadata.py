"""What Dagster shows of assets: who answers for them, their columns, how old they may become.

Does not belong here: figures of a run, which its steps report (`assets`).
Docs: https://docs.dagster.io/guides/build/assets/metadata-and-tags
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Dataset
from warehouse.schema.types import Column, Table

ROW_COUNT: Final = "dagster/row_count"
COLUMN_SCHEMA: Final = "dagster/column_schema"
SOURCE_OWNERS: Final = ("team:connectors",)  # of what a registry delivers
DATA_OWNERS: Final = ("team:warehouse",)  # of what is made of it


def column_schema(tables: Iterable[Table]) -> Mapping[str, Any]:
    """Definition metadata with the columns of some tables, as `table.column` if there are several."""
    tables = list(tables)
    columns = [
        _table_column(column, column.name if len(tables) == 1 else f"{table.name}.{column.name}", table.key)
        for table in tables
        for column in table.columns
    ]
    return {COLUMN_SCHEMA: dg.TableSchema(columns=columns)}


def _table_column(column: Column, name: str, key: Iterable[str]) -> dg.TableColumn:
    constraints = dg.TableColumnConstraints(nullable=column.nullable and column.name not in key)
    return dg.TableColumn(name, str(column.kind), column.description, constraints)


def freshness_policy(dataset: Dataset) -> dg.FreshnessPolicy:
    """Fails where `firm doctor` calls a source stale."""
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=dataset.cadence.stale_after_hours))
