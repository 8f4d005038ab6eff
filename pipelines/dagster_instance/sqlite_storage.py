"""Dagster's own records in SQLite over kept connections; `dagster.yaml` names `LocalDagsterStorage`.

Dagster's own storage opens a connection for every event written and every query. Belongs here: the same rows in the
same files with fewer connections. Does not belong here: the rows (Dagster's), who gets a slot of a pool
(`concurrency_slots`), or our own record of runs (`runtime.step_results`), which does not depend on these files.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import Connection, Engine, create_engine, event, inspect
from sqlalchemy.engine.interfaces import DBAPIConnection

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.dagster_instance.dagster_internals import (
    ConfigurableClassData,
    DagsterSqliteStorage,
    SqliteEventLogStorage,
    SqliteRunStorage,
)

_KEPT: Final = 4  # event log files: the index over all runs, and those of runs in progress
_BUSY_SECONDS: Final = 30  # that a writer waits for another process, as in Dagster's own storage


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
        self._present_tables: set[str] = set()
        super().__init__(base_dir, inst_data)

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
        """Asked with every event, also within a transaction: so it takes a second connection. What is there stays."""
        if table_name not in self._present_tables:
            with self._engines.of(self.conn_string_for_shard("index")).connect() as connection:
                if not inspect(connection).has_table(table_name):
                    return False
            self._present_tables.add(table_name)
        return True

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

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Opens a transaction."""
        with self._engines.of(self._conn_string).connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Closes the file."""
        self._engines.close()


class LocalDagsterStorage(DagsterSqliteStorage):
    """All of Dagster's records below one folder, in the files of Dagster's own storage (compatible both ways).

    Ticks of schedules and sensors are few, so they use Dagster's storage unchanged.
    """

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data)
        history = Path(base_dir, "history")
        self._run_storage = RunRecords.from_local(str(history))
        self._event_log_storage = EventRecords(str(history / "runs"))

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> Self:
        """Creates the storage from its `dagster.yaml` configuration."""
        return cls.from_local(inst_data=inst_data, **config_value)
