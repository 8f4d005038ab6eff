"""SQLite files of Dagster: pooled engines, and tables created once.

Belongs here: how a file is connected to and created. Does not belong here: the rows written
(`sqlite_event_log`, `sqlite_storage`).
"""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.sql import get_alembic_config
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS, create_db_conn_string
from sqlalchemy import Engine, MetaData, create_engine, event, inspect
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

_KEPT: Final = 4  # event log files: the index over all runs, and those of runs in progress


class EnginePool:
    """One engine per file; above `_KEPT` engines the least recently used one is closed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Engine] = OrderedDict()

    def of(self, address: str) -> Engine:
        engine = self._kept.pop(address, None)
        if engine is None:
            engine = create_engine(address, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
            event.listen(engine, "connect", _set_synchronous_normal)
        self._kept[address] = engine
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)[1].dispose()
        return engine

    def close_file(self, address: str) -> None:
        """Closes one file, which may be deleted then."""
        engine = self._kept.pop(address, None)
        if engine is not None:
            engine.dispose()

    def close(self) -> None:
        while self._kept:
            self._kept.popitem()[1].dispose()


def _set_synchronous_normal(connection: DBAPIConnection, _: object) -> None:
    """Sets synchronous=NORMAL: in WAL mode a killed process loses nothing, a power failure the newest records."""
    connection.cursor().execute("PRAGMA synchronous=NORMAL")


@cache
def _migration_scripts() -> ScriptDirectory:
    """Dagster's migration scripts, cached: reading them takes longer than creating a file."""
    return ScriptDirectory.from_config(get_alembic_config(sqlite_event_log.__file__))


class SchemaState(Enum):
    """State of a database file before use."""

    CREATED = "made here"
    EXISTING = "there before"
    OTHER = "being created by another process, or by a Dagster without revisions: left to Dagster"


def ensure_dagster_schema(engine: Engine, tables: MetaData) -> SchemaState:
    """Creates a file's tables at the newest revision if it has none. Older revisions are not migrated."""
    try:
        with engine.connect() as connection:
            marks = MigrationContext.configure(connection)
            if marks.get_current_revision() is not None:
                return SchemaState.EXISTING
            if inspect(connection).get_table_names():
                return SchemaState.OTHER
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            tables.create_all(connection, checkfirst=False)
            marks.stamp(_migration_scripts(), "head")
            connection.commit()
    except DatabaseError:
        return SchemaState.OTHER
    return SchemaState.CREATED


def ensure_schema_in(folder: str, name: str, tables: MetaData) -> SchemaState:
    """Creates the tables of a file given by folder and name; creates the folder if it is missing."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    engine = create_engine(create_db_conn_string(folder, name), poolclass=NullPool)
    return ensure_dagster_schema(engine, tables)
