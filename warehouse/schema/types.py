"""The vocabulary of table declarations: kinds of values, columns, tables.

Does not belong here: any concrete table (`tables.py`) or its rendering for an engine (`warehouse.schema_render`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

LEAST_INTEGER: Final = -(2**63)  # limits of INTEGER and MONEY columns, in every engine
LARGEST_INTEGER: Final = 2**63 - 1
# Column of current rows of tables with person marks: how many subjects the record had beyond doubt; null: one
SUBJECT_NUMBER: Final = "_subject_number"


class ColumnKind(StrEnum):
    """Type of a column's values. Every kind has one polars type, one DuckDB type and one JSON form."""

    TEXT = "text"
    TEXTS = "texts"  # list of text without nulls
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

    `business` columns are facts about the world: history compares them, and they enter the content fingerprint.
    The others are provenance (instants, raw pointers); their changes do not count as changes.
    """

    name: str
    kind: ColumnKind
    description: str
    nullable: bool = True
    allowed: tuple[str, ...] = ()
    business: bool = True


@dataclass(frozen=True, slots=True)
class Subject:
    """Columns that state whom or what a record is about, where its key does not.

    numbers: in this order; the first number that both the former and the new row state decides. names: compared where
    no number does (`name_matching.same_subject`). marks: keyed marks of births; two of one key that differ are of two
    persons, whatever the names.
    """

    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurningDay:
    """A column of a staged table with a day on which what is derived from an unchanged row changes.

    after_days: how many days later it changes; negative: earlier. written: format of a text column's day. Without one,
    each ISO day in a text counts.
    """

    column: str
    after_days: int = 0
    written: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its key is unique and never null.

    `valid_from` names the column with the start of a row's valid time, `ended` the column with the end of the
    record in the world; both are None if the table has known time only.
    `sequence` names an integer column with the source's own change number: if two rows have one, the higher is
    newer, regardless of their instants. `told` names, in such a table, the column with the source's time of
    publication; such a row is older than any full file of a later day.
    `subjects`, of a staged table: whom its records are about. A record that names another subject under an unchanged
    key is counted. Empty: the key itself is the number or the name of the subject.
    `turning_days`, of a staged table: the company of a row is normalised again once such a day of it has come.
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
    subjects: tuple[Subject, ...] = ()
    turning_days: tuple[TurningDay, ...] = ()

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"table {self.name}: a column is declared more than once")
        for name in (
            *self.key,
            *self.sort,
            self.valid_from,
            self.ended,
            self.sequence,
            self.told,
            *self.subject_columns,
            *(day.column for day in self.turning_days),
        ):
            if name is not None and name not in names:
                raise ValueError(f"table {self.name}: no column {name!r}")

    def __hash__(self) -> int:
        """By name, as what is computed once for each table is looked up thousands of times in a run."""
        return hash(self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in declared order."""
        return tuple(column.name for column in self.columns)

    @property
    def business(self) -> tuple[str, ...]:
        """Names of the business columns."""
        return tuple(column.name for column in self.columns if column.business)

    @property
    def subject_columns(self) -> tuple[str, ...]:
        """Columns that state the subjects of a record, each once."""
        named = [column for one in self.subjects for column in (*one.numbers, *one.names, *one.marks)]
        return tuple(dict.fromkeys(named))

    @property
    def has_person_marks(self) -> bool:
        """True if keyed marks tell the persons of its records apart."""
        return any(subject.marks for subject in self.subjects)

    def column(self, name: str) -> Column:
        """The declaration of one column; raises KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name} has no column {name!r}")
