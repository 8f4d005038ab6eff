"""The vocabulary of table declarations: kinds of values, columns, tables.

Does not belong here: any concrete table (`tables.py`) or its rendering for an engine (`warehouse.render`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

LEAST_INTEGER: Final = -(2**63)  # that a column of INTEGER or MONEY holds, in every engine
LARGEST_INTEGER: Final = 2**63 - 1


class Kind(StrEnum):
    """What a column holds. Every kind has one polars type, one DuckDB type and one JSON form."""

    TEXT = "text"
    TEXTS = "texts"  # list of text, never null inside
    JSON = "json"  # text that is a JSON document
    INTEGER = "integer"  # int64 count
    MONEY = "money"  # int64, whole units of the row's `currency`
    PERCENT = "percent"  # decimal(9, 4), 0 to 100; compared as a decimal, never as a float
    BOOLEAN = "boolean"
    DATE = "date"
    INSTANT = "instant"  # UTC, microseconds


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one table.

    `business` columns say something about the world: they are compared by history and enter the content
    fingerprint. The others say how we learned it (instants, raw pointers) and change nothing by changing.
    """

    name: str
    kind: Kind
    description: str
    nullable: bool = True
    allowed: tuple[str, ...] = ()
    business: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its key is unique and never null.

    `valid_from` names the column that says since when in the world a version holds (two time axes), `ended`
    the column that says when in the world the record ended; both None where the world has no such axis and
    only the known axis is kept.

    `sequence` names an integer column by which the source itself numbers its changes: of two rows that both have
    one, the higher is the newer, whatever instant they came at. `told` names, in such a table, the column of the
    instant at which the source says that it told so: it is older than what a whole file of a later day says.
    """

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    valid_from: str | None = None
    ended: str | None = None
    sort: tuple[str, ...] = field(default=())
    sequence: str | None = None
    told: str | None = None

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"table {self.name}: a column is declared twice")
        for name in (*self.key, *self.sort, self.valid_from, self.ended, self.sequence, self.told):
            if name is not None and name not in names:
                raise ValueError(f"table {self.name}: no column {name!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in declared order."""
        return tuple(column.name for column in self.columns)

    @property
    def business(self) -> tuple[str, ...]:
        """Names of the columns that say something about the world."""
        return tuple(column.name for column in self.columns if column.business)

    def column(self, name: str) -> Column:
        """The declaration of one column; KeyError where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name} has no column {name!r}")
