"""Dagster's own records in SQLite, over connections that are kept; `dagster.yaml` names `Records`.

Dagster's storage makes an engine and opens a connection for every event it writes and every question it asks, and
SQLite folds its log back, with syncs, whenever the last connection closes: of an ingest of small steps that was
more than half of the time. Belongs here: how the files are connected to. Does not belong here: what is written
(Dagster's), or our own record of runs (`receipts`), which does not depend on these files.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.schema import AssetKeyTable, SqlEventLogStorageMetadata
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.runs.schema import RunStorageSqlMetadata
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from dagster._core.storage.sql import get_alembic_config
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS, create_db_conn_string
from dagster._core.storage.sqlite_storage import (
    DagsterSqliteStorage,
    _event_logs_directory,  # pyright: ignore[reportPrivateUsage] - the same files as Dagster's own storage
    _runs_directory,  # pyright: ignore[reportPrivateUsage]
    _schedule_directory,  # pyright: ignore[reportPrivateUsage]
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, MetaData, create_engine, event, inspect
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

if TYPE_CHECKING:
    from dagster._core.storage.sqlite_storage import SqliteStorageConfig

_KEPT: Final = 4  # files of events: the one over all runs, and those of runs under way


class _Engines:
    """One engine per file; of more than `_KEPT` the one used longest ago is closed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Engine] = OrderedDict()

    def of(self, address: str) -> Engine:
        engine = self._kept.pop(address, None)
        if engine is None:
            engine = create_engine(address, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
            event.listen(engine, "connect", _without_syncs)
        self._kept[address] = engine
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)[1].dispose()
        return engine

    def close(self) -> None:
        while self._kept:
            self._kept.popitem()[1].dispose()


def _without_syncs(connection: DBAPIConnection, _: object) -> None:
    """In SQLite's log mode a killed process loses nothing by it, and a power failure the newest records."""
    connection.cursor().execute("PRAGMA synchronous=NORMAL")


@cache
def _migrations() -> ScriptDirectory:
    """Dagster's, the same for all files: reading the scripts takes longer than making a file."""
    return ScriptDirectory.from_config(get_alembic_config(sqlite_event_log.__file__))


class _Found(Enum):
    """What a file was that somebody wants to use."""

    MADE = "made here"
    THERE = "there before"
    OTHER = "being made by another process, or of a Dagster that kept no revisions: a case for its own way"


def _made(engine: Engine, tables: MetaData) -> _Found:
    """Makes a file's tables where it has none, of the newest revision. An older revision is not looked after."""
    try:
        with engine.connect() as connection:
            marks = MigrationContext.configure(connection)
            if marks.get_current_revision() is not None:
                return _Found.THERE
            if inspect(connection).get_table_names():
                return _Found.OTHER
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            tables.create_all(connection, checkfirst=False)
            marks.stamp(_migrations(), "head")
            connection.commit()
    except DatabaseError:
        return _Found.OTHER
    return _Found.MADE


def _made_in(folder: str, name: str, tables: MetaData) -> _Found:
    Path(folder).mkdir(parents=True, exist_ok=True)
    engine = create_engine(create_db_conn_string(folder, name), poolclass=NullPool)
    return _made(engine, tables)


class RunRecords(SqliteRunStorage):
    """Runs."""

    _engines: _Engines | None = None

    @classmethod
    def from_local(cls, base_dir: str, inst_data: ConfigurableClassData | None = None) -> Self:
        """The runs below a folder; the file is made where it is missing."""
        found = _made_in(base_dir, "runs", RunStorageSqlMetadata)
        if found is _Found.OTHER:
            return super().from_local(base_dir, inst_data)
        records = cls(create_db_conn_string(base_dir, "runs"), inst_data)
        if found is _Found.MADE:
            records.migrate()
            records.optimize()
        return records

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A transaction."""
        self._engines = self._engines or _Engines()
        with self._engines.of(self._conn_string).connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Closes the file."""
        if self._engines is not None:
            self._engines.close()


class EventRecords(SqliteEventLogStorage):
    """Events: a file for each run, and one of what concerns assets over all of them."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = _Engines()
        self._tables: set[str] = set()
        self._columns: set[str] = set()
        self._indexes: set[str] = set()
        self._partitions: set[tuple[str, str]] = set()
        super().__init__(base_dir, inst_data)

    def has_table(self, table_name: str) -> bool:
        """Asked with every event; a table never goes."""
        if table_name not in self._tables:
            with self.index_connection() as connection:
                self._tables.update(inspect(connection).get_table_names())
        return table_name in self._tables

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        """Asked with every event of an asset; a column never goes."""
        if column_name not in self._columns:
            self._columns.update(column["name"] for column in inspect(conn).get_columns(AssetKeyTable.name))
        return column_name in self._columns

    def has_secondary_index(self, name: str) -> bool:
        """Asked with every question about assets; what has been indexed stays so."""
        if name not in self._indexes and super().has_secondary_index(name):
            self._indexes.add(name)
        return name in self._indexes

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Asked for every input of every step; a partition under way is not deleted by anybody else."""
        asked = (partitions_def_name, partition_key)
        if asked not in self._partitions and super().has_dynamic_partition(*asked):
            self._partitions.add(asked)
        return asked in self._partitions

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Forgotten here too."""
        self._partitions.discard((partitions_def_name, partition_key))
        super().delete_dynamic_partition(partitions_def_name, partition_key)

    def _initdb(self, engine: Engine, for_index_shard: bool = False) -> None:
        """Every run has a file of its own: made without going through all of Dagster's migrations again."""
        if _made(engine, SqlEventLogStorageMetadata) is _Found.OTHER:
            super()._initdb(engine, for_index_shard)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:  # nobody else uses an engine that is closed for room
            engine = self._engines.of(self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def dispose(self) -> None:
        """Closes the files."""
        super().dispose()
        with self._db_lock:
            self._engines.close()


def _schedules(folder: str) -> SqliteScheduleStorage:
    """Ticks of schedules and sensors; the file is made where it is missing."""
    found = _made_in(folder, "schedules", ScheduleStorageSqlMetadata)
    if found is _Found.OTHER:
        return SqliteScheduleStorage.from_local(folder)
    records = SqliteScheduleStorage(create_db_conn_string(folder, "schedules"))
    if found is _Found.MADE:
        records.migrate()
        records.optimize()
    return records


class Records(DagsterSqliteStorage):
    """All below one folder, in the files of Dagster's own storage: either reads what the other wrote.

    Ticks of schedules and sensors are few: they stay with Dagster's.
    """

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._run_storage = RunRecords.from_local(_runs_directory(base_dir))
        self._event_log_storage = EventRecords(_event_logs_directory(base_dir))
        self._schedule_storage = _schedules(_schedule_directory(base_dir))
        self._inst_data = inst_data
        DagsterStorage.__init__(self)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: SqliteStorageConfig) -> Self:
        """As `dagster.yaml` says."""
        return cls.from_local(inst_data=inst_data, **config_value)
