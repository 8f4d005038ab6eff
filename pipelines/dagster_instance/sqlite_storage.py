"""Dagster's own records in SQLite, over pooled connections; `dagster.yaml` names `LocalDagsterStorage`.

Belongs here: which file holds what, and the run records. Does not belong here: the rows written (Dagster's), events
(`sqlite_event_log`), or our own record of runs (`runtime.step_results`), which does not depend on these files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.runs.schema import RunStorageSqlMetadata
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from dagster._core.storage.sqlite import create_db_conn_string
from dagster._core.storage.sqlite_storage import (
    DagsterSqliteStorage,
    _event_logs_directory,  # pyright: ignore[reportPrivateUsage] - the same files as Dagster's own storage
    _runs_directory,  # pyright: ignore[reportPrivateUsage]
    _schedule_directory,  # pyright: ignore[reportPrivateUsage]
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection

from pipelines.dagster_instance.sqlite_engines import EnginePool, SchemaState, ensure_schema_in
from pipelines.dagster_instance.sqlite_event_log import EventRecords

if TYPE_CHECKING:
    from dagster._core.storage.sqlite_storage import SqliteStorageConfig


class RunRecords(SqliteRunStorage):
    """Run records."""

    _engines: EnginePool | None = None

    @classmethod
    def from_local(cls, base_dir: str, inst_data: ConfigurableClassData | None = None) -> Self:
        """The run records below a folder; the file is created if missing."""
        found = ensure_schema_in(base_dir, "runs", RunStorageSqlMetadata)
        if found is SchemaState.OTHER:
            return super().from_local(base_dir, inst_data)
        records = cls(create_db_conn_string(base_dir, "runs"), inst_data)
        if found is SchemaState.CREATED:
            records.migrate()
            records.optimize()
        return records

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Opens a transaction."""
        self._engines = self._engines or EnginePool()
        with self._engines.of(self._conn_string).connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Closes the file."""
        if self._engines is not None:
            self._engines.close()


def _open_schedule_storage(folder: str) -> SqliteScheduleStorage:
    """Ticks of schedules and sensors; the file is created if missing."""
    found = ensure_schema_in(folder, "schedules", ScheduleStorageSqlMetadata)
    if found is SchemaState.OTHER:
        return SqliteScheduleStorage.from_local(folder)
    records = SqliteScheduleStorage(create_db_conn_string(folder, "schedules"))
    if found is SchemaState.CREATED:
        records.migrate()
        records.optimize()
    return records


class LocalDagsterStorage(DagsterSqliteStorage):
    """All of Dagster's records below one folder, in the files of Dagster's own storage (compatible both ways).

    Ticks of schedules and sensors are few, so they use Dagster's storage unchanged.
    """

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._run_storage = RunRecords.from_local(_runs_directory(base_dir))
        self._event_log_storage = EventRecords(_event_logs_directory(base_dir))
        self._schedule_storage = _open_schedule_storage(_schedule_directory(base_dir))
        self._inst_data = inst_data
        DagsterStorage.__init__(self)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: SqliteStorageConfig) -> Self:
        """Creates the storage from its `dagster.yaml` configuration."""
        return cls.from_local(inst_data=inst_data, **config_value)
