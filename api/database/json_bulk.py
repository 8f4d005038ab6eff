"""Bulk statements over lists of rows, passed as one JSON parameter, for both engines.

One statement for a thousand rows costs a fraction of a thousand statements, and needs no ORM. Does not belong here:
the statements (`api.webhooks.delivery.queue_repository`, `api.usage.repository`,
`api.webhooks.delivery.attempt_repository`).
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Boolean, Connection, Integer, String
from sqlalchemy.types import TypeEngine

from api.database.models.base import Base, MillisecondInstant

ENGINES: Final = ("sqlite", "postgresql")
_ENCODER: Final = msgspec.json.Encoder()
_SQL_TYPES: Final = ((String, "text"), (Boolean, "boolean"), (Integer, "bigint"), (MillisecondInstant, "bigint"))


class JsonStatement:
    """SQL template for both engines.

    `?` are parameters, `{given}` is a table of the rows, `{for_update}` and `{skip_locked}` their lock.
    `columns` are the fields of each row in order, with their PostgreSQL types: `account_id text, month integer`; the
    rows are the first parameter.
    """

    __slots__ = ("_takes_rows", "_texts")

    def __init__(self, template: str, columns: str = "") -> None:
        self._texts = {engine: _render_sql(engine, template, columns) for engine in ENGINES}
        self._takes_rows = bool(columns)

    def run(self, connection: Connection, rows: Sequence[Sequence[Any]] = (), *more: Any) -> list[Any]:
        """Executes the statement, with rows if it takes any; returns all result rows. Does nothing without rows."""
        if self._takes_rows and not rows:
            return []
        parameters = (_ENCODER.encode(rows).decode(), *more) if self._takes_rows else more
        found = connection.exec_driver_sql(self._texts[connection.dialect.name], parameters)
        return list(found.fetchall()) if found.returns_rows else []


def insert_statement(table: type[Base], ending: str = "") -> JsonStatement:
    """Inserts rows with all columns of a table, in its order; rows whose key exists are skipped.

    Raises TypeError for a column that rows in JSON cannot carry.
    """
    columns = {column.name: _sql_type(column.type) for column in table.__table__.columns}
    names = ", ".join(columns)
    return JsonStatement(
        f"INSERT INTO {table.__tablename__} ({names}) SELECT {names} FROM {{given}} WHERE true "  # noqa: S608 -- our names
        f"ON CONFLICT DO NOTHING {ending}",
        ", ".join(f"{name} {kind}" for name, kind in columns.items()),
    )


def _sql_type(kind: TypeEngine[Any]) -> str:
    found = next((name for known, name in _SQL_TYPES if isinstance(kind, known)), None)
    if found is None:
        raise TypeError(f"rows in JSON have no type for {kind!r}: declare one in _SQL_TYPES")
    return found


def rows_query(engine: str, columns: str, parameter: str = "?") -> str:
    """Query of the rows of a JSON parameter, with casts: SQLite finds untyped values in no index."""
    chosen: list[str] = []
    for place, (name, kind) in enumerate(map(str.split, columns.split(", "))):
        cast = "integer" if engine == "sqlite" and kind != "text" else kind
        chosen.append(f"CAST(value ->> {place} AS {cast}) AS {name}")
    source = f"json_each({parameter})"
    if engine == "postgresql":
        source = f"jsonb_array_elements(CAST({parameter} AS jsonb)) AS value"
    return f"SELECT {', '.join(chosen)} FROM {source}"  # noqa: S608 -- names of this package


def _render_sql(engine: str, template: str, columns: str) -> str:
    given = f"({rows_query(engine, columns)}) AS given" if columns else ""
    locks = {"for_update": "", "skip_locked": ""}
    if engine == "postgresql":
        locks = {"for_update": "FOR UPDATE", "skip_locked": "FOR UPDATE SKIP LOCKED"}
    text = template.format(given=given, **locks)
    return text if engine == "sqlite" else text.replace("?", "%s")
