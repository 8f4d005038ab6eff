"""Dagster's own records in SQLite over kept connections; `dagster.yaml` names `LocalDagsterStorage`.

Dagster's own storage opens a connection for every event written and every query, and loads all its migrations for
every file that it opens or creates, which is a sixth of an ingest's time. Belongs here: the same rows in the same
files with fewer connections and without loading migrations. Does not belong here: the rows (Dagster's), who gets a
slot of a pool (`concurrency_slots`), or our own record of runs (`runtime.step_results`), which does not depend on
these files.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import Connection, Engine, create_engine, event, inspect
from sqlalchemy.engine.interfaces import DBAPIConnection

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.dagster_instance.dagster_internals import (
    SCHEMA_REVISION,
    ConfigurableClassData,
    DagsterSqliteStorage,
    SqlEventLogStorageMetadata,
    SqliteEventLogStorage,
    SqliteRunStorage,
    SqliteScheduleStorage,
)

_KEPT: Final = 4  # event log files: the index over all runs, and those of runs in progress
_BUSY_SECONDS: Final = 30  # that a writer waits for another process, as in Dagster's own storage
# As Alembic notes the revision of a file's tables
_REVISION_TABLE: Final = """CREATE TABLE IF NOT EXISTS alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
)"""
_NOTE_REVISION: Final = (
    "INSERT INTO alembic_version SELECT ? WHERE NOT EXISTS (SELECT 1 FROM alembic_version)"  # by another process
)


def has_newest_schema(path: Path) -> bool:
    """True if a file has the tables of this version of Dagster; False leaves it to Dagster's own storage."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection:
        try:
            found = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        except sqlite3.DatabaseError:  # of an earlier version, not created yet, or damaged
            return False
    return found == [(SCHEMA_REVISION,)]


def create_event_log(engine: Engine) -> None:
    """Creates the tables of a run's events in a new file, in one transaction."""
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # another process waits here, and finds all tables
        SqlEventLogStorageMetadata.create_all(connection)
        connection.exec_driver_sql(_REVISION_TABLE)
        connection.exec_driver_sql(_NOTE_REVISION, (SCHEMA_REVISION,))
        connection.commit()


class EnginePool:
    """One engine per file; above `_KEPT` engines the least recently used one is closed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Engine] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, address: str) -> Engine:
        with self._lock:
            engine = self._kept.pop(address, None)
            if engine is None:
                engine = create_engine(address, connect_args={"timeout": _BUSY_SECONDS})
                event.listen(engine, "connect", _set_synchronous_normal)
            self._kept[address] = engine
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)[1].dispose()
            return engine

    def close(self, address: str | None = None) -> None:
        """Closes one file, which may be deleted then, or all."""
        with self._lock:
            for name in list(self._kept) if address is None else [address]:
                if engine := self._kept.pop(name, None):
                    engine.dispose()


def _set_synchronous_normal(connection: DBAPIConnection, _: object) -> None:
    """Sets synchronous=NORMAL: in WAL mode a killed process loses nothing, a power failure the newest records."""
    connection.cursor().execute("PRAGMA synchronous=NORMAL")


class EventRecords(SlotAssigningEventLog, SqliteEventLogStorage):
    """Event log: one file per run, and one index file of asset events over all runs."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = EnginePool()
        self._added: dict[str, frozenset[str]] = {}  # partitions that this process added last, by their definition
        super().__init__(base_dir, inst_data)

    def _initdb(self, engine: Engine, for_index_shard: bool = False) -> None:
        """Creates the tables of a new file; one of an earlier version is left to Dagster's own storage."""
        path = Path(str(engine.url.database))
        if not path.exists():
            create_event_log(engine)
        elif not has_newest_schema(path):
            super()._initdb(engine, for_index_shard)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engines.of(self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def has_table(self, table_name: str) -> bool:
        """Asked with every event, also within a transaction: so it takes a second connection."""
        with self._engines.of(self.conn_string_for_shard("index")).connect() as connection:
            return inspect(connection).has_table(table_name)

    def add_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        """Adds partitions, and remembers them."""
        super().add_dynamic_partitions(partitions_def_name, partition_keys)
        self._added[partitions_def_name] = frozenset(partition_keys)

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Asked several times for every step of a run, of the partition that was added for it."""
        if partition_key in self._added.get(partitions_def_name, ()):
            return True
        return super().has_dynamic_partition(partitions_def_name, partition_key)

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Deletes a partition, and forgets what was remembered."""
        self._added.pop(partitions_def_name, None)
        super().delete_dynamic_partition(partitions_def_name, partition_key)

    def delete_events(self, run_id: str) -> None:
        """Deletes a run's events and its file, of which Dagster's own storage leaves an empty one."""
        super().delete_events(run_id)
        with self._db_lock:
            self._engines.close(self.conn_string_for_shard(run_id))
            self._initialized_dbs.discard(run_id)
        path = Path(self.path_for_shard(run_id))
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)

    def dispose(self) -> None:
        """Closes the files."""
        super().dispose()
        self._engines.close()


class RunRecords(SqliteRunStorage):
    """Run records."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = EnginePool()
        super().__init__(conn_string, inst_data)

    @classmethod
    def from_local(cls, base_dir: str, inst_data: ConfigurableClassData | None = None) -> Self:
        """The runs of a folder."""
        path = Path(base_dir, "runs.db").absolute()
        if has_newest_schema(path):
            return cls(f"sqlite:///{path}", inst_data)
        return super().from_local(base_dir, inst_data)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Opens a transaction."""
        with self._engines.of(self._conn_string).connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Closes the file."""
        self._engines.close()


class TickRecords(SqliteScheduleStorage):
    """Ticks of schedules and sensors: they are few, so Dagster's own way of writing them is kept."""

    @classmethod
    def from_local(cls, base_dir: str, inst_data: ConfigurableClassData | None = None) -> SqliteScheduleStorage:
        """The ticks of a folder."""
        path = Path(base_dir, "schedules.db").absolute()
        if has_newest_schema(path):
            return cls(f"sqlite:///{path}", inst_data)
        return super().from_local(base_dir, inst_data)


class LocalDagsterStorage(DagsterSqliteStorage):
    """All of Dagster's records below one folder, in the files of Dagster's own storage (compatible both ways)."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super(DagsterSqliteStorage, self).__init__()  # its own opens the same files for its own storages
        self.base_dir = base_dir
        self._inst_data = inst_data
        history = Path(base_dir, "history")
        self._run_storage = RunRecords.from_local(str(history))
        self._event_log_storage = EventRecords(str(history / "runs"))
        self._schedule_storage = TickRecords.from_local(str(Path(base_dir, "schedules")))

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> Self:
        """Creates the storage from its `dagster.yaml` configuration."""
        return cls.from_local(inst_data=inst_data, **config_value)
