"""Bulk statements over lists of rows, passed as one JSON parameter, for both engines.

One statement for a thousand rows costs a fraction of a thousand statements, and needs no ORM. Does not belong here:
the statements (`api.webhooks.delivery.endpoint_lease_repository`, `api.webhooks.delivery.queue_repository`,
`api.webhooks.delivery.attempt_repository`).
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

ENGINES: Final = ("sqlite", "postgresql")
_ENCODER: Final = msgspec.json.Encoder()


class JsonStatement:
    """SQL template for both engines.

    `?` are parameters, `{given}` is a table of the rows, `{for_update}` and `{skip_locked}` their lock.
    `columns` are the fields of each row in order, with their PostgreSQL types; the rows are the first
    parameter.
    """

    __slots__ = ("_texts",)

    def __init__(self, template: str, **columns: str) -> None:
        self._texts = {engine: _render_sql(engine, template, columns) for engine in ENGINES}

    def run(self, connection: Connection, rows: Sequence[Sequence[Any]] = (), *more: Any) -> list[Any]:
        """Executes the statement, with rows if it takes any; returns all result rows."""
        parameters = (_ENCODER.encode(rows).decode(), *more) if rows else more
        found = connection.exec_driver_sql(self._texts[connection.dialect.name], parameters)
        return list(found.fetchall()) if found.returns_rows else []


def _render_sql(engine: str, template: str, columns: dict[str, str]) -> str:
    given = _sqlite_rows_table(columns) if engine == "sqlite" else _postgresql_rows_table(columns)
    locks = {"for_update": "", "skip_locked": ""}
    if engine == "postgresql":
        locks = {"for_update": "FOR UPDATE", "skip_locked": "FOR UPDATE SKIP LOCKED"}
    text = template.format(given=given, **locks)
    return text if engine == "sqlite" else text.replace("?", "%s")


def _sqlite_rows_table(columns: dict[str, str]) -> str:
    """Table expression with casts: SQLite compares an untyped value with a key without using its index."""
    chosen = ", ".join(
        f"CAST(value ->> {place} AS {'text' if kind == 'text' else 'integer'}) AS {name}"
        for place, (name, kind) in enumerate(columns.items())
    )
    return f"(SELECT {chosen} FROM json_each(?)) AS given"  # noqa: S608 -- names of this package


def _postgresql_rows_table(columns: dict[str, str]) -> str:
    chosen = ", ".join(
        f"CAST(value ->> {place} AS {kind}) AS {name}" for place, (name, kind) in enumerate(columns.items())
    )
    return f"(SELECT {chosen} FROM jsonb_array_elements(CAST(? AS jsonb)) AS value) AS given"  # noqa: S608
