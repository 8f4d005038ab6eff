"""Classifies failures of the database of Dagster's own records, in SQLite and in PostgreSQL.

Does not belong here: how they are handled (`ingest.resource_errors`), or the records themselves (`sqlite_storage`,
`postgres_storage`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


def database_error_types(settings: IngestSettings) -> tuple[type[Exception], ...]:
    """The exception types of that database."""
    if not settings.dagster_database_url:
        return (DBAPIError,)
    from dagster_postgres.utils import DagsterPostgresException  # loads the driver

    return DBAPIError, DagsterPostgresException


def driver_message(error: BaseException) -> str:
    """The driver's message in one line: Dagster's own only says that it retried."""
    said: BaseException | None = error
    while said is not None and not isinstance(said, DBAPIError):
        said = said.__cause__ or said.__context__
    return " ".join(str(error if said is None else said.orig).split())
