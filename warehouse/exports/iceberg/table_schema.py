"""Iceberg schemas of the merged tables, and their evolution with the data dictionary.

Only columns of the key are required. A new column is added, a wider type is taken over, a column that is no longer
declared stays and is null in new rows; any other change is refused. Does not belong here: declarations
(`merged.tables`).
"""

from __future__ import annotations

from typing import Final

from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table as IcebergTable
from pyiceberg.transforms import TruncateTransform
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    TimestamptzType,
)

from warehouse.exports.merged.results import MergeRefusedError
from warehouse.schema.types import Column, ColumnKind, Table

MARKET_PREFIX: Final = len("firm:NO")  # of a company id: the partition of its rows
_PARTITION_ID: Final = 1000
_TYPES: Final[dict[ColumnKind, IcebergType]] = {
    ColumnKind.TEXT: StringType(),
    ColumnKind.JSON: StringType(),
    ColumnKind.INTEGER: LongType(),
    ColumnKind.MONEY: LongType(),
    ColumnKind.PERCENT: DecimalType(9, 4),
    ColumnKind.BOOLEAN: BooleanType(),
    ColumnKind.DATE: DateType(),
    ColumnKind.INSTANT: TimestamptzType(),
}
_WIDER: Final = {(IntegerType(), LongType())}


def iceberg_schema(table: Table) -> Schema:
    """The schema of a new table; its identifier fields are the key."""
    elements = iter(range(len(table.columns) + 1, 2 * len(table.columns) + 1))
    fields = [
        NestedField(
            number,
            column.name,
            _column_type(column, next(elements)),
            required=column.name in table.key,
            doc=column.description,
        )
        for number, column in enumerate(table.columns, 1)
    ]
    return Schema(*fields, identifier_field_ids=[one.field_id for one in fields if one.required])


def market_partitions(schema: Schema) -> PartitionSpec:
    """One partition per market: the first characters of the company's id."""
    source = schema.find_field("company_id").field_id
    return PartitionSpec(PartitionField(source, _PARTITION_ID, TruncateTransform(MARKET_PREFIX), "market"))


def _column_type(column: Column, element_id: int) -> IcebergType:
    if column.kind is ColumnKind.TEXTS:
        return ListType(element_id, StringType(), element_required=False)
    return _TYPES[column.kind]


def evolve_schema(stored: IcebergTable, table: Table) -> bool:
    """Brings a table to the declared columns; True if they have changed. Raises MergeRefusedError."""
    known = {field.name: field for field in stored.schema().fields}
    added = [column for column in table.columns if column.name not in known]
    widened = [
        column for column in table.columns if column.name in known and _is_wider(table, column, known[column.name])
    ]
    loosened = [name for name, field in known.items() if field.required and name not in table.key]
    if missing := [name for name in table.key if name not in known]:
        raise _refused(table, f"has no column {missing[0]}, which is part of the key")
    if not (added or widened or loosened):
        return False
    with stored.update_schema() as update:
        if loosened:
            update.set_identifier_fields(*table.key)
        for name in loosened:
            update.make_column_optional(name)
        for column in widened:
            update.update_column(column.name, _TYPES[column.kind])
        for column in added:
            update.add_column(column.name, _column_type(column, 0), column.description)
    return True


def _is_wider(table: Table, column: Column, stored: NestedField) -> bool:
    """True if the declared type is wider than the stored one, False if it is the same."""
    before, after = stored.field_type, _column_type(column, 0)
    if before == after or (isinstance(before, ListType) and isinstance(after, ListType)):
        return False
    if isinstance(before, DecimalType) and isinstance(after, DecimalType):
        is_wider = before.scale == after.scale and before.precision < after.precision
    else:
        is_wider = (before, after) in _WIDER
    if not is_wider:
        raise _refused(table, f"has {column.name} as {before}, and the data dictionary has {after}")
    return True


def _refused(table: Table, what: str) -> MergeRefusedError:
    return MergeRefusedError(
        f"Iceberg table {table.name} {what}: drop or rename the table and export again, or export into another folder"
    )
