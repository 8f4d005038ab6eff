"""Dagster's records in PostgreSQL, where several workers make a pool at one time.

Dagster notes a pool when it is first asked for. Two that do so at once meet: the second breaks its transaction and
fails its run, though the pool is there. Belongs here: taking that for what it is. Does not belong here: records of
one machine (`dagster_storage`), or who gets a slot (`dagster_pools`).
"""

from __future__ import annotations

from typing import Any, Self

from dagster._core.storage.config import PostgresStorageConfig
from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage, PostgresEventLogStorage
from dagster_postgres.utils import pg_url_from_config
from sqlalchemy.exc import DBAPIError

from pipelines.dagster_pools import WatchedPools


class SharedEvents(WatchedPools, PostgresEventLogStorage):
    """Events, and the slots of pools."""

    def initialize_concurrency_limit_to_default(self, concurrency_key: str) -> bool:
        """Notes a pool, unless somebody else has meanwhile."""
        try:
            return super().initialize_concurrency_limit_to_default(concurrency_key)
        except DBAPIError:
            if concurrency_key not in self.get_concurrency_keys():
                raise
            return True


class SharedRecords(DagsterPostgresStorage):
    """All of them in one database; set up as Dagster's own storage is (`postgres_url`)."""

    def __init__(self, postgres_url: str, **given: Any) -> None:
        super().__init__(postgres_url, **given)
        self._event_log_storage = SharedEvents(postgres_url, self.should_autocreate_tables)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: PostgresStorageConfig
    ) -> Self:
        """As `dagster.yaml` says."""
        return cls(pg_url_from_config(config_value), inst_data=inst_data)
