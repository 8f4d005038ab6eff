"""Explains errors of disk, memory or Dagster's database: what happened and what to do.

Belongs here: errors not caused by a source. Does not belong here: cleaning up after such a run (`crash_recovery`),
which the next run does.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings

_ROOM: Final = "free space on that disk"
_WRITABLE: Final = "make that disk writable again"
_MEMORY: Final = "give this process more memory"
# Messages of the system, DuckDB and SQLite; polars and DuckDB quote the system.
_ADVICE: Final = {
    os.strerror(errno.ENOSPC): _ROOM,
    os.strerror(errno.EDQUOT): _ROOM,
    "database or disk is full": _ROOM,
    os.strerror(errno.EROFS): _WRITABLE,
    "attempt to write a readonly database": _WRITABLE,
    os.strerror(errno.ENOMEM): _MEMORY,
    "Out of Memory": _MEMORY,
    "MemoryError": _MEMORY,
    # DuckDB, where one thread ran out of memory and another reports first
    "Current transaction is aborted": _MEMORY,
}
_AGAIN: Final = "then run this again; the published release and ingested data are unchanged"


class RunInterruptedError(RuntimeError):
    """A run that could not go on; the message says why and what to do."""


def with_hint(message: str) -> str:
    """Adds what to do to a message that reports a full or read-only disk, or lack of memory."""
    advice = next((advice for words, advice in _ADVICE.items() if words in message), None)
    return message if advice is None else f"{message}: {advice}, {_AGAIN}"


@contextmanager
def explain_resource_errors(settings: IngestSettings) -> Iterator[None]:
    """Raises RunInterruptedError if the block lacks disk or memory, or the database of Dagster's records fails."""
    try:
        yield
    except OSError as error:
        raise RunInterruptedError(with_hint(str(error))) from error
    except MemoryError as error:
        raise RunInterruptedError(with_hint(f"MemoryError {error}".strip())) from error
    except _database_error_types(settings) as error:
        raise RunInterruptedError(_database_failure_message(settings, error)) from error


def _database_error_types(settings: IngestSettings) -> tuple[type[Exception], ...]:
    from pipelines.dagster_instance import errors  # here, because it loads the engine of that database

    return errors.database_error_types(settings)


def _database_failure_message(settings: IngestSettings, error: BaseException) -> str:
    from pipelines.dagster_instance import errors  # as above

    words = errors.driver_message(error)
    if settings.dagster_database_url:
        what = f"the database of Dagster's records (FIRM_DAGSTER_DATABASE_URL) failed ({words})"
        return f"{what}: check that it responds, {_AGAIN}"
    return with_hint(f"the database of Dagster's records below {settings.dagster_storage} failed ({words})")
