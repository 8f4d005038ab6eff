"""Dagster's records in PostgreSQL, with a workaround for concurrent creation of a pool.

Dagster inserts a pool on first use. When two workers do so at once, the second breaks its transaction and
fails its run, though the pool exists (https://github.com/dagster-io/dagster/issues/33552). Belongs here: treating
that as success. Does not belong here: records of a single machine (`sqlite_storage`), or who gets a slot
(`concurrency_slots`).
"""

from __future__ import annotations

from typing import Any, Self

from dagster_postgres import DagsterPostgresStorage, PostgresEventLogStorage
from dagster_postgres.utils import pg_url_from_config
from sqlalchemy.exc import DBAPIError

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.dagster_instance.dagster_internals import ConfigurableClassData


class ConcurrentPoolEventLog(SlotAssigningEventLog, PostgresEventLogStorage):
    """Event log and concurrency slots in PostgreSQL."""

    def initialize_concurrency_limit_to_default(self, concurrency_key: str) -> bool:
        """Creates a pool, unless another worker has done so meanwhile."""
        try:
            return super().initialize_concurrency_limit_to_default(concurrency_key)
        except DBAPIError:
            if concurrency_key not in self.get_concurrency_keys():
                raise
            return True


class PostgresDagsterStorage(DagsterPostgresStorage):
    """All of Dagster's records in one database; configured like Dagster's own storage (`postgres_url`)."""

    def __init__(self, postgres_url: str, **given: Any) -> None:
        super().__init__(postgres_url, **given)
        self._event_log_storage = ConcurrentPoolEventLog(postgres_url, self.should_autocreate_tables)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        """Creates the storage from its `dagster.yaml` configuration."""
        return cls(pg_url_from_config(config_value), inst_data=inst_data)
