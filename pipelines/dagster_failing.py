"""What it looks like when the database of Dagster's own records fails, on one machine and in PostgreSQL.

Does not belong here: what is done then (`interrupted`), or the records themselves (`dagster_storage`,
`dagster_postgresql`).
"""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from pipelines.settings import Settings


def kinds(settings: Settings) -> tuple[type[Exception], ...]:
    """The exceptions of that database."""
    if not settings.dagster_database_url:
        return (DBAPIError,)
    from dagster_postgres.utils import DagsterPostgresException  # loads its driver

    return DBAPIError, DagsterPostgresException


def words(error: BaseException) -> str:
    """The driver's own, in one line: Dagster says no more than that it has tried often."""
    said: BaseException | None = error
    while said is not None and not isinstance(said, DBAPIError):
        said = said.__cause__ or said.__context__
    return " ".join(str(error if said is None else said.orig).split())
