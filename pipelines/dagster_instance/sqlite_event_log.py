"""Dagster's event log in SQLite, over pooled connections.

Dagster's own storage creates an engine and opens a connection for every event written and every query, and
inspects the tables each time; in an ingest of small steps that was more than half of the time. Belongs here:
the same rows in the same files with less overhead. Does not belong here: the content of events (Dagster's),
how files are created (`sqlite_engines`), or who gets a slot of a pool (`concurrency_slots`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from dagster import AssetKey, AssetRecordsFilter, DagsterEventType, EventLogRecord
from dagster._core.event_api import EventLogCursor, EventRecordsResult
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS, EVENT_TYPE_TO_PIPELINE_RUN_STATUS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.schema import (
    AssetEventTagsTable,
    AssetKeyTable,
    SqlEventLogStorageMetadata,
    SqlEventLogStorageTable,
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, inspect

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.dagster_instance.sqlite_engines import EnginePool, SchemaState, ensure_dagster_schema

_INSERT: Final = SqlEventLogStorageTable.insert()


class MaterializationCache:
    """Newest partition materialisation per asset. A partition is a batch, so only one run writes it."""

    def __init__(self) -> None:
        self._kept: dict[AssetKey, EventLogRecord] = {}

    def note(self, event: EventLogEntry, storage_id: int) -> None:
        """Caches a stored event if it is the materialisation of a partition."""
        told = event.dagster_event
        is_made = event.dagster_event_type is DagsterEventType.ASSET_MATERIALIZATION
        if is_made and told is not None and told.asset_key is not None and told.partition is not None:
            self._kept[told.asset_key] = EventLogRecord(storage_id, event)

    def of(self, asset: AssetKey, partitions: Sequence[str] | None) -> EventLogRecord | None:
        """The asset's newest materialisation if exactly its partition is requested; None on a cache miss."""
        kept = self._kept.get(asset)
        return kept if kept is not None and partitions == [kept.partition_key] else None

    def first(self, asked: AssetKey | AssetRecordsFilter) -> EventRecordsResult | None:
        """The answer to a query for the one newest record; None on a cache miss."""
        if not isinstance(asked, AssetRecordsFilter):
            return None
        found = self.of(asked.asset_key, asked.asset_partitions)
        if found is None or asked != AssetRecordsFilter(asked.asset_key, asked.asset_partitions):
            return None
        cursor = EventLogCursor.from_storage_id(found.storage_id).to_string()
        return EventRecordsResult([found], cursor=cursor, has_more=True)

    def forget(self) -> None:
        """Clears the cache, after rows were removed from the files."""
        self._kept.clear()


class EventRecords(SlotAssigningEventLog, SqliteEventLogStorage):
    """Event log: one file per run, and one index file of asset events over all runs."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = EnginePool()
        self._tables: set[str] = set()
        self._columns: set[str] = set()
        self._indexes: set[str] = set()
        self._newest = MaterializationCache()
        self._partitions: set[tuple[str, str]] = set()
        super().__init__(base_dir, inst_data)

    def has_table(self, table_name: str) -> bool:
        """Cached: called with every event, and tables are never dropped."""
        if table_name not in self._tables:
            with self.index_connection() as connection:
                self._tables.update(inspect(connection).get_table_names())
        return table_name in self._tables

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        """Cached: called with every asset event, and columns are never dropped."""
        if column_name not in self._columns:
            self._columns.update(column["name"] for column in inspect(conn).get_columns(AssetKeyTable.name))
        return column_name in self._columns

    def has_secondary_index(self, name: str) -> bool:
        """Cached: called with every asset query, and an index that was built stays."""
        if name not in self._indexes and super().has_secondary_index(name):
            self._indexes.add(name)
        return name in self._indexes

    def store_event(self, event: EventLogEntry) -> None:
        """Stores an event in its run's file; asset and run status events also in the index over all runs.

        Same as Dagster's, but with an INSERT statement built once instead of per event.
        """
        row, kind = self._event_to_row(event), event.dagster_event_type
        with self.run_connection(event.run_id) as connection:
            connection.execute(_INSERT, row)
        if kind in ASSET_EVENTS:
            self.has_table(AssetEventTagsTable.name)  # cached here: within the transaction it would wait for ever
            with self.index_transaction() as connection:
                number = _insert_event(connection, row)
                self._store_asset_event_tags(connection, [event], [number])
                self._store_asset_event(connection, event, number)
            self._newest.note(event, number)
        elif kind in ASSET_CHECK_EVENTS:
            with self.index_connection() as connection:
                number = _insert_event(connection, row)
            self.store_asset_check_event(event, number)
        elif kind in EVENT_TYPE_TO_PIPELINE_RUN_STATUS:
            with self.index_connection() as connection:
                connection.execute(_INSERT, row)

    def fetch_materializations(
        self,
        records_filter: AssetKey | AssetRecordsFilter,
        limit: int,
        cursor: str | None = None,
        ascending: bool = False,
    ) -> EventRecordsResult:
        """Serves the newest materialisation from memory: partition checks query what their step just made."""
        is_newest = limit == 1 and cursor is None and not ascending
        found = self._newest.first(records_filter) if is_newest else None
        return found or super().fetch_materializations(records_filter, limit, cursor, ascending)

    def get_latest_tags_by_partition(
        self,
        asset_key: AssetKey,
        event_type: DagsterEventType,
        tag_keys: Sequence[str],
        asset_partitions: Sequence[str] | None = None,
        before_cursor: int | None = None,
        after_cursor: int | None = None,
    ) -> Mapping[str, Mapping[str, str]]:
        """Served from memory: queried for every input of every step, right after the steps that produced them."""
        is_open = event_type is DagsterEventType.ASSET_MATERIALIZATION and before_cursor is after_cursor is None
        found = self._newest.of(asset_key, asset_partitions) if is_open else None
        if found is None or found.partition_key is None:
            return super().get_latest_tags_by_partition(
                asset_key, event_type, tag_keys, asset_partitions, before_cursor, after_cursor
            )
        tags = self._tags_for_asset_event(found.event_log_entry)
        told = {key: tags[key] for key in tag_keys if key in tags}
        return {found.partition_key: told} if told else {}

    def wipe_asset(self, asset_key: AssetKey) -> None:
        """Wipes an asset and clears the cache."""
        self._newest.forget()
        super().wipe_asset(asset_key)

    def delete_events(self, run_id: str) -> None:
        """Deletes a run's events and its file, and clears the cache."""
        self._newest.forget()
        super().delete_events(run_id)
        with self._db_lock:
            self._engines.close_file(self.conn_string_for_shard(run_id))
            self._initialized_dbs.discard(run_id)
        path = Path(self.path_for_shard(run_id))
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Cached: called for every input of every step; a partition in use is deleted by no other process."""
        asked = (partitions_def_name, partition_key)
        if asked not in self._partitions and super().has_dynamic_partition(*asked):
            self._partitions.add(asked)
        return asked in self._partitions

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Deletes a partition and removes it from the cache."""
        self._partitions.discard((partitions_def_name, partition_key))
        super().delete_dynamic_partition(partitions_def_name, partition_key)

    def _initdb(self, engine: Engine, for_index_shard: bool = False) -> None:
        """Creates a run's file directly at the newest revision instead of running all of Dagster's migrations."""
        if ensure_dagster_schema(engine, SqlEventLogStorageMetadata) is SchemaState.OTHER:
            super()._initdb(engine, for_index_shard)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:  # no other thread may use an engine that is being evicted
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


def _insert_event(connection: Connection, row: Mapping[str, Any]) -> int:
    """Stores an event; returns its row id."""
    return connection.execute(_INSERT, row).lastrowid
