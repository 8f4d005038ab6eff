"""Dagster's classes without a public name, as of Dagster 1.13.27; the package's docstring says why they are needed.

Belongs here: every import of a private module of Dagster. Does not belong here: what is changed in them.
"""

from dagster._core.storage.event_log import SqlEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from dagster._utils.concurrency import ConcurrencyClaimStatus

__all__ = [
    "ConcurrencyClaimStatus",
    "ConfigurableClassData",
    "DagsterSqliteStorage",
    "SqlEventLogStorage",
    "SqliteEventLogStorage",
    "SqliteRunStorage",
]
