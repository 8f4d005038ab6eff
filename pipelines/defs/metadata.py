"""What Dagster shows of assets: who answers for them, their columns, how old they may become, how a fetch ended.

Does not belong here: figures of the other steps, which they report (`assets`).
Docs: https://docs.dagster.io/guides/build/assets/metadata-and-tags
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Dataset
from pipelines.steps.fetch import FetchResult
from warehouse.schema.types import Column, Table

ROW_COUNT: Final = "dagster/row_count"
COLUMN_SCHEMA: Final = "dagster/column_schema"
SOURCE_OWNERS: Final = ("team:connectors",)  # of what a registry delivers
DATA_OWNERS: Final = ("team:warehouse",)  # of what is made of it
_FAILURE, _FETCHED_AT, _NO_FAILURE = "failure", "fetched_at", "none"


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


def fetch_metadata(result: FetchResult, now: datetime) -> Mapping[str, Any]:
    """Figures of a fetch that ended now, and why it ended early."""
    return {
        "new": result.new,
        "unchanged": len(result.unchanged),
        _FAILURE: result.failure or _NO_FAILURE,
        _FETCHED_AT: dg.MetadataValue.timestamp(now),
    }


def read_failure_instant(made: Mapping[str, dg.MetadataValue[Any]]) -> datetime | None:
    """When a fetch with this metadata failed; None if it did not, or if an earlier version recorded it."""
    ended = made.get(_FETCHED_AT)
    if not isinstance(ended, dg.TimestampMetadataValue) or made[_FAILURE].value == _NO_FAILURE:
        return None
    return datetime.fromtimestamp(ended.value, UTC)
