"""Tables of the PostgreSQL schema: their columns, creation, evolution with the data dictionary, and checks.

Does not belong here: declarations (`merged.tables`), rows (`writer`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from psycopg import Connection
from psycopg.sql import SQL, Identifier, Literal

from warehouse.exports.merged.results import MergePosition, MergeRefusedError
from warehouse.exports.merged.tables import MERGED
from warehouse.schema.types import ColumnKind, Table

RELEASE: Final = "release"  # one row: how far the tables are
_TYPES: Final[Mapping[ColumnKind, str]] = {
    ColumnKind.TEXT: "text",
    ColumnKind.TEXTS: "text[]",
    ColumnKind.JSON: "json",  # keeps the text as it is, U+0000 escaped in it included; jsonb does not
    ColumnKind.INTEGER: "bigint",
    ColumnKind.MONEY: "bigint",
    ColumnKind.PERCENT: "numeric(9,4)",
    ColumnKind.BOOLEAN: "boolean",
    ColumnKind.DATE: "date",
    ColumnKind.INSTANT: "timestamp with time zone",
}
_WIDER: Final = {("integer", "bigint"), ("smallint", "bigint"), ("smallint", "integer")}


class DatabaseTables:
    """The tables of one schema, in one transaction of its connection."""

    def __init__(self, connection: Connection[Any], schema: str) -> None:
        self.connection = connection
        self.schema = schema

    def name(self, table: str) -> Identifier:
        """The qualified name of a table."""
        return Identifier(self.schema, table)

    def lock(self) -> None:
        """Waits until no other export writes this schema; the end of the transaction lets the next one go on."""
        self.connection.execute("SELECT pg_advisory_xact_lock(hashtext('firm export'), hashtext(%s))", (self.schema,))

    def prepare(self) -> set[str]:
        """Creates what is missing and adds new columns; the names of tables that have to be filled in full.

        Raises MergeRefusedError if a table has columns or types that cannot be evolved.
        """
        schema = Identifier(self.schema)
        if not self._query("SELECT 1 FROM pg_namespace WHERE nspname = %s", self.schema):
            self.connection.execute(SQL("CREATE SCHEMA {}").format(schema))
        self.connection.execute(
            SQL(
                "CREATE TABLE IF NOT EXISTS {} (release bigint PRIMARY KEY, last_sequence bigint NOT NULL, "
                "released_at timestamp with time zone NOT NULL, content_fingerprint text NOT NULL, "
                "events_fingerprint text NOT NULL)"
            ).format(self.name(RELEASE))
        )
        return {table.name for table in MERGED if self._prepare_table(table)}

    def _prepare_table(self, table: Table) -> bool:
        stored = self._stored_types(table)
        if not stored:
            columns = SQL(", ").join(
                SQL("{} {}{}").format(
                    Identifier(column.name),
                    SQL(_TYPES[column.kind]),  # pyright: ignore[reportArgumentType] - a literal of this module
                    SQL(" NOT NULL" if column.name in table.key else ""),
                )
                for column in table.columns
            )
            self.connection.execute(SQL("CREATE TABLE {} ({})").format(self.name(table.name), columns))
            for column in table.columns:
                self.connection.execute(
                    SQL("COMMENT ON COLUMN {}.{} IS {}").format(
                        self.name(table.name), Identifier(column.name), Literal(column.description)
                    )
                )
            return True
        changes = [
            change
            for column in table.columns
            if (change := self._column_change(table, column.name, stored)) is not None
        ]
        for change in changes:
            self.connection.execute(SQL("ALTER TABLE {} {}").format(self.name(table.name), change))
        return bool(changes)

    def _column_change(self, table: Table, name: str, stored: Mapping[str, str]) -> Any:
        """The clause of ALTER TABLE that brings a column to its declaration; None if it is there already."""
        declared = _TYPES[table.column(name).kind]
        kind = SQL(declared)  # pyright: ignore[reportArgumentType] - a literal of this module
        before = stored.get(name)
        if before == declared:
            return None
        if before is None and name not in table.key:
            return SQL("ADD COLUMN {} {}").format(Identifier(name), kind)
        if before is not None and _is_wider(before, declared):
            return SQL("ALTER COLUMN {} TYPE {}").format(Identifier(name), kind)
        raise MergeRefusedError(
            f"table {self.schema}.{table.name} has {name} as {before or 'no column'}, and the data dictionary has "
            f"{declared}: drop or rename the table and export again"
        )

    def _stored_types(self, table: Table) -> dict[str, str]:
        """Types by column of an existing table; empty if there is none."""
        found = self._query(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = to_regclass(%s) "
            "AND attnum > 0 AND NOT attisdropped",
            self.name(table.name).as_string(self.connection),
        )
        return dict(found)

    def add_keys(self, table: Table) -> None:
        """Adds the primary key, and an index by company where the key does not begin with it."""
        key = SQL(", ").join(map(Identifier, table.key))
        self.connection.execute(SQL("ALTER TABLE {} ADD PRIMARY KEY ({})").format(self.name(table.name), key))
        if table.key[0] != "company_id":
            self.connection.execute(SQL("CREATE INDEX ON {} (company_id)").format(self.name(table.name)))

    def has_key(self, table: Table) -> bool:
        """True if a table has its primary key."""
        name = self.name(table.name).as_string(self.connection)
        return bool(self._query("SELECT 1 FROM pg_index WHERE indrelid = to_regclass(%s) AND indisprimary", name))

    def count_rows(self, table: Table) -> int:
        """Rows of a table."""
        return self.connection.execute(SQL("SELECT count(*) FROM {}").format(self.name(table.name))).fetchall()[0][0]

    def position(self) -> MergePosition | None:
        """How far the tables are; None before the first export."""
        found = self.connection.execute(
            SQL("SELECT release, last_sequence, content_fingerprint, events_fingerprint FROM {}").format(
                self.name(RELEASE)
            )
        ).fetchall()
        return MergePosition(*found[0]) if found else None

    def set_position(self, position: MergePosition, released_at: object) -> None:
        """Records how far the tables are."""
        self.connection.execute(SQL("DELETE FROM {}").format(self.name(RELEASE)))
        self.connection.execute(
            SQL(
                "INSERT INTO {} (release, last_sequence, released_at, content_fingerprint, events_fingerprint) "
                "VALUES (%s, %s, %s, %s, %s)"
            ).format(self.name(RELEASE)),
            (position.release, position.sequence, released_at, position.content, position.events),
        )

    def _query(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self.connection.execute(SQL(statement), parameters).fetchall()  # pyright: ignore[reportArgumentType]


def _is_wider(before: str, declared: str) -> bool:
    """True if every value of the stored type is one of the declared type."""
    if before.startswith("numeric(") and declared.startswith("numeric("):
        (precision, scale), (wider, same) = (
            map(int, text[len("numeric(") : -1].split(",")) for text in (before, declared)
        )
        return precision <= wider and scale == same
    return (before, declared) in _WIDER or (before.startswith("character varying") and declared == "text")
