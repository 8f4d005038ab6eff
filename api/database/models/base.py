"""What all tables of the control plane share: their declarative base, and instants as columns.

Does not belong here: tables.
"""

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pydantic import BaseModel
from sqlalchemy import BigInteger, DateTime, Dialect, Index, MetaData, TypeDecorator, text
from sqlalchemy.orm import DeclarativeBase

# Constraint names independent of the engine, so that migrations can refer to them.
_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def to_milliseconds(moment: datetime) -> int:
    """Converts an instant to milliseconds; fractions of a millisecond are cut off."""
    return (moment - _EPOCH) // _MILLISECOND


def from_milliseconds(stored: int) -> datetime:
    return _EPOCH + stored * _MILLISECOND


class Instant(TypeDecorator[datetime]):
    """An instant in UTC: timezone-aware in Python; stored without zone by engines that have none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime needs a time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class MillisecondInstant(TypeDecorator[datetime]):
    """An instant, stored as milliseconds since 1970 UTC."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else to_milliseconds(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else from_milliseconds(value)


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=_NAMES)


def partial_index(name: str, *columns: str, where: str) -> Index:
    """An index of the rows that fulfil a condition, in both engines."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


def columns_of(record: type[Any], *tables: type[Base], computed: Sequence[str] = ()) -> list[Any]:
    """The columns of a record's or model's fields, in order, each of the first table that has one; without `computed`.

    Raises ValueError if no table has a field.
    """
    columns = []
    names = record.model_fields if issubclass(record, BaseModel) else [one.name for one in fields(record)]
    for name in (one for one in names if one not in computed):
        table = next((table for table in tables if hasattr(table, name)), None)
        if table is None:
            raise ValueError(f"no table has {name} of {record.__name__}: name it as computed")
        columns.append(getattr(table, name))
    return columns


def values_of(record: Any, table: type[Base]) -> dict[str, Any]:
    """The fields of a record that are columns of a table, as values of a new row."""
    return {one.name: getattr(record, one.name) for one in fields(record) if hasattr(table, one.name)}
