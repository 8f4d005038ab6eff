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
from functools import cache
from typing import TYPE_CHECKING, Final, Self

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._core.storage.sql import get_alembic_config
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import (
    DagsterSqliteStorage,
    _event_logs_directory,  # pyright: ignore[reportPrivateUsage] - the same files as Dagster's own storage
    _runs_directory,  # pyright: ignore[reportPrivateUsage]
    _schedule_directory,  # pyright: ignore[reportPrivateUsage]
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError

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


class RunRecords(SqliteRunStorage):
    """Runs."""

    _engines: _Engines | None = None

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


@cache
def _migrations() -> ScriptDirectory:
    """Dagster's: reading the scripts takes longer than making a run's file."""
    return ScriptDirectory.from_config(get_alembic_config(sqlite_event_log.__file__))


def _made(engine: Engine) -> bool:
    """Whether a run's file has its tables; makes them where it has none. False: another process is at it."""
    try:
        with engine.connect() as connection:
            marks = MigrationContext.configure(connection)
            if marks.get_current_revision() is None:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                SqlEventLogStorageMetadata.create_all(connection)
                marks.stamp(_migrations(), "head")
                connection.commit()
    except DatabaseError:
        return False
    return True


class EventRecords(SqliteEventLogStorage):
    """Events: a file for each run, and one of what concerns assets over all of them."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = _Engines()
        self._tables: set[str] = set()
        self._partitions: set[tuple[str, str]] = set()
        super().__init__(base_dir, inst_data)

    def has_table(self, table_name: str) -> bool:
        """Asked with every event; a table never goes."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

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
        if for_index_shard or not _made(engine):
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


class Records(DagsterSqliteStorage):
    """All below one folder, in the files of Dagster's own storage: either reads what the other wrote.

    Ticks of schedules and sensors are few: they stay with Dagster's.
    """

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._run_storage = RunRecords.from_local(_runs_directory(base_dir))
        self._event_log_storage = EventRecords(_event_logs_directory(base_dir))
        self._schedule_storage = SqliteScheduleStorage.from_local(_schedule_directory(base_dir))
        self._inst_data = inst_data
        DagsterStorage.__init__(self)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: SqliteStorageConfig) -> Self:
        """As `dagster.yaml` says."""
        return cls.from_local(inst_data=inst_data, **config_value)
