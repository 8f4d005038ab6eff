"""A run that disk or memory end, or the database of Dagster's records: what happened, and what to do, in words.

Belongs here: errors that are no source's fault. Does not belong here: healing what such a run leaves (`healing`):
the next one does.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pipelines import dagster_failing
from pipelines.settings import Settings

_ROOM: Final = "make room on that disk"
_WRITABLE: Final = "make that disk writable again"
_MEMORY: Final = "give this process more memory"
# What the system, DuckDB and SQLite say; polars and DuckDB quote the system.
_ADVICE: Final = {
    os.strerror(errno.ENOSPC): _ROOM,
    os.strerror(errno.EDQUOT): _ROOM,
    "database or disk is full": _ROOM,
    os.strerror(errno.EROFS): _WRITABLE,
    "attempt to write a readonly database": _WRITABLE,
    os.strerror(errno.ENOMEM): _MEMORY,
    "Out of Memory": _MEMORY,
    "MemoryError": _MEMORY,
    # DuckDB, where one of its threads had no memory and another says it first
    "Current transaction is aborted": _MEMORY,
}
_AGAIN: Final = "then run this again; what is served and what was taken in stays"


class Interrupted(RuntimeError):  # noqa: N818 - named for the state it tells
    """A run that could not go on; the message says why, and what to do."""


def advised(message: str) -> str:
    """A message with what to do, where its words are those of a full disk, or of no memory."""
    advice = next((advice for words, advice in _ADVICE.items() if words in message), None)
    return message if advice is None else f"{message}: {advice}, {_AGAIN}"


@contextmanager
def explained(settings: Settings) -> Iterator[None]:
    """Raises Interrupted where the block is ended by disk or memory, or by the database of Dagster's records."""
    try:
        yield
    except OSError as error:
        raise Interrupted(advised(str(error))) from error
    except MemoryError as error:
        raise Interrupted(advised(f"MemoryError {error}".strip())) from error
    except dagster_failing.kinds(settings) as error:
        raise Interrupted(_told(settings, error)) from error


def _told(settings: Settings, error: BaseException) -> str:
    words = dagster_failing.words(error)
    if settings.dagster_database_url:
        what = f"the database of Dagster's records (FIRM_DAGSTER_DATABASE_URL) failed ({words})"
        return f"{what}: see that it answers, {_AGAIN}"
    return advised(f"the database of Dagster's records below {settings.dagster_storage} failed ({words})")
