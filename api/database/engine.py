"""Connections to the control-plane database (SQLite or PostgreSQL): transactions, in threads or kept open.

SQLite: write-ahead log; a writer takes its lock at BEGIN (BEGIN IMMEDIATE), so that two writers wait for each
other instead of failing half-way. A commit reported as done survives a power failure: commits wait for the
disk, except on connections for data that may be repeated or slightly lost: on SQLite a power failure can lose the
log of an attempt, which is then made again. Does not belong here: statements (`api.accounts.repository`).
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from api.database.models.base import Base
from api.problems.problem import service_unavailable_problem

if TYPE_CHECKING:
    import psycopg

P = ParamSpec("P")
T = TypeVar("T")
_LOGGER: Final = logging.getLogger("firm.api")
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
_WORKER_BEGIN: Final = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"}
_WORKER_SETTINGS: Final = {
    "sqlite": ("PRAGMA synchronous = NORMAL",),
    # every statement looks up a list of keys: force the index, however stale the statistics of fast-growing
    # tables
    "postgresql": ("SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off"),
}
_THREADS: Final = 4
_RETRY_AFTER: Final = 2


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

    def reading(self) -> AbstractContextManager[Session]:
        """Opens a read-only transaction."""
        return self._begin_session(_READ)

    def writing(self) -> AbstractContextManager[Session]:
        """Opens a transaction that is committed if the block succeeds, and rolled back otherwise."""
        return self._begin_session(_WRITE)

    def read(self, query: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Returns the result of `query`, called with a connection in a read transaction and these arguments."""
        with self.reading() as session:
            return query(session.connection(), *given, **named)

    def write(self, change: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        """The same with a write transaction: commits when `change` returns, rolls back when it raises."""
        with self.writing() as session:
            return change(session.connection(), *given, **named)

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
        engine = create_engine(url, pool_pre_ping=True, hide_parameters=True, connect_args=patience)
        if engine.dialect.driver == "psycopg":
            event.listen(engine, "connect", _forgo_prepared_statements)
        return engine
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": _BUSY_SECONDS})
    synchronous = "FULL" if durable else "NORMAL"

    def on_connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions implicitly
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")

    def on_begin(connection: Connection) -> None:
        if begin := connection.get_execution_options().get(_BEGIN, "BEGIN IMMEDIATE"):
            connection.exec_driver_sql(begin)

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)
    return engine


def _forgo_prepared_statements(connection: "psycopg.Connection[Any]", _: Any) -> None:
    """Prepares no statements behind a pooler, as PgBouncer: the next transaction may be another server connection's.

    There a statement's name may be unknown, or another client's statement, which would be executed in its place. A
    pooler answers for the server, so that the process it names is not the one that answers queries.
    """
    answering = connection.execute("SELECT pg_backend_pid()").fetchone()
    connection.rollback()
    if answering != (connection.info.backend_pid,):
        connection.prepare_threshold = None


class WorkerConnection:
    """The delivery engine's connection, kept open, for one thread at a time; one transaction per group of attempts.

    After any failure it is closed, which rolls everything back, and the next transaction opens a new one.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Opens a transaction that is committed if the block succeeds, and rolled back otherwise."""
        with self.reading() as connection:
            connection.exec_driver_sql(_WORKER_BEGIN[connection.dialect.name])
            yield connection
            connection.exec_driver_sql("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yields the connection in autocommit mode."""
        with ExitStack() as after_failure:
            after_failure.callback(self.close)
            yield self._open_connection()
            after_failure.pop_all()

    def close(self) -> None:
        """Closes the connection; the next use opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _open_connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.statements()
            for setting in _WORKER_SETTINGS[self._connection.dialect.name]:
                self._connection.exec_driver_sql(setting)
        return self._connection


@contextmanager
def _reported_failures() -> Iterator[None]:
    try:
        yield
    except (OperationalError, NoConnection) as error:
        _LOGGER.warning("a query to the control-plane database failed", exc_info=error)
        raise service_unavailable_problem("The database cannot be reached at the moment.", _RETRY_AFTER) from error


class AsyncDatabase:
    """Runs reads and writes in threads; 503 if the database is unavailable.

    Key look-ups use other threads, so that writers waiting for each other do not block authentication.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="firm-control")

    async def read(self, query: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        return await self._run_in_pool(lambda: self._database.read(query, *given, **named))

    async def write(self, change: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        return await self._run_in_pool(lambda: self._database.write(change, *given, **named))

    def read_here(self, query: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs) -> T:
        """`Database.read` in the thread that calls it: never that of the event loop."""
        with _reported_failures():
            return self._database.read(query, *given, **named)

    async def _run_in_pool(self, work: Callable[[], T]) -> T:
        with _reported_failures():
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Waits for running statements; no new ones are accepted."""
        self._pool.shutdown()
