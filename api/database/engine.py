"""Connections to the control-plane database (SQLite or PostgreSQL) with read and write transactions.

SQLite: write-ahead log; a writer takes its lock at BEGIN (BEGIN IMMEDIATE), so that two writers wait for each
other instead of failing half-way. A commit reported as done survives a power failure: commits wait for the
disk, except on connections for data that may be repeated or slightly lost. Does not belong here: statements
(`api.accounts.repository`).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from api.database.models.base import Base

_BUSY_SECONDS: Final = 10
_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_PATIENT: Final = {
    "connect_timeout": 10,
    # without keepalives, a query to a server that lost power would block for hours
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
"""Seconds, and milliseconds for the last."""
_BEGIN: Final = "firm_begin"
_READ: Final = {_BEGIN: "BEGIN DEFERRED"}
_WRITE: Final = {_BEGIN: "BEGIN IMMEDIATE"}
_EACH: Final = {_BEGIN: ""}


class Database:
    """One database; `reading` and `writing` open a session inside one transaction.

    Not `durable`: a power failure may undo the last commits, but never part of a commit, and never what a
    durable connection has committed after them.
    """

    def __init__(self, url: str, durable: bool = True) -> None:
        self.url = make_url(url)
        self.engine = _build_engine(url, durable)
        self._is_closed = False
        event.listen(self.engine, "checkin", self._on_checkin)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Opens a read-only transaction."""
        with self._begin_session(_READ) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Opens a transaction that is committed if the block succeeds, and rolled back otherwise."""
        with self._begin_session(_WRITE) as session:
            yield session

    @contextmanager
    def _begin_session(self, options: dict[str, str]) -> Iterator[Session]:
        with Session(self.engine.execution_options(**options), expire_on_commit=False) as session, session.begin():
            yield session

    def statements(self) -> Connection:
        """Opens an autocommit connection: each statement is its own transaction, not durable; not pooled."""
        connection = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT", **_EACH)
        connection.detach()
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA synchronous = NORMAL")
        return connection

    def close(self) -> None:
        """Closes idle connections; those in use are closed when they are returned."""
        self._is_closed = True
        self.engine.dispose()

    def _on_checkin(self, _: object, record: ConnectionPoolEntry) -> None:
        if self._is_closed:
            record.invalidate()


def insert_into(connection: Connection, table: type[Base]) -> sqlite.Insert | postgresql.Insert:
    """An INSERT of the connection's engine, which may say what happens on a conflict."""
    return _INSERTS[connection.dialect.name](table)


def _build_engine(url: str, durable: bool) -> Engine:
    """Creates an engine that hides parameters in errors, which are logged: they may be URLs with secrets."""
    if make_url(url).get_backend_name() != "sqlite":
        asked = make_url(url).query
        patience = {name: value for name, value in _PATIENT.items() if name not in asked}
        return create_engine(url, pool_pre_ping=True, hide_parameters=True, connect_args=patience)
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": _BUSY_SECONDS})
    synchronous = "FULL" if durable else "NORMAL"

    def on_connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions implicitly
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_begin(connection: Connection) -> None:
    begin = connection.get_execution_options().get(_BEGIN, "BEGIN IMMEDIATE")
    if begin:
        connection.exec_driver_sql(begin)
