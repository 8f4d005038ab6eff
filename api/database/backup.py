"""Copies the whole control-plane database to a SQLite file at one point in time, and loads it back.

Both engines produce the same file, so a backup of one can be restored into the other; neither needs a program
besides Python. SQLite copies pages (online backup API); PostgreSQL copies rows of one snapshot. Concurrent
readers and writers are not blocked. Does not belong here: the folder around the file, secrets, or who may
restore (`firm.backup.create`).
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import Connection, MetaData, Table, insert, select, update
from sqlalchemy.types import JSON

from api.database import migrate
from api.database.engine import Database
from api.database.models.accounts import DashboardSession, ShownOnce, SignInLink
from api.database.models.base import Base
from api.database.models.webhooks import EndpointState, Lease

_AT_ONCE: Final = 2_000  # rows
LEFT_OUT: Final = frozenset(str(model.__tablename__) for model in (Lease, SignInLink, DashboardSession, ShownOnce))
"""Tables not restored.

Leadership is elected afresh; sign-in links, sessions and one-time secrets that ended meanwhile stay ended.
"""


class DatabaseCopyError(ValueError):
    """A copy that cannot be made or used; the message says why and what to do."""


def export_copy(database: Database, path: Path) -> None:
    """Writes the database into a new SQLite file; raises DatabaseCopyError if its schema is not the newest known."""
    found, newest = migrate.current_revision(database), migrate.newest_revision()
    if found != newest:
        told = "has no tables yet" if found is None else f"is at revision {found}"
        raise DatabaseCopyError(
            f"the control-plane database {told}, this version expects {newest}: take the backup with the version "
            "in use, before upgrading"
        )
    if database.engine.dialect.name == "sqlite":
        # all pages in one step; concurrent writers go on in the write-ahead log
        with closing(sqlite3.connect(str(database.url.database))) as source, closing(sqlite3.connect(path)) as made:
            source.backup(made)
    else:
        _copy_from_postgresql(database, path)
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = DELETE")  # a single file, without a -wal file


def _copy_from_postgresql(database: Database, path: Path) -> None:
    with closing(migrate.prepare_database(f"sqlite:///{path}")) as made, made.writing() as target:
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True, "stream_results": True}
        with database.engine.connect().execution_options(**options) as source:
            _copy_rows(source, target.connection(), frozenset())


def upgrade_copy(path: Path) -> None:
    """Migrates a backup file in place to the newest revision, so pass a copy.

    Raises DatabaseCopyError if the file has no revision, or one that is not known here.
    """
    with closing(Database(f"sqlite:///{path}")) as file:
        found = migrate.current_revision(file)
        if found is None or not migrate.is_known_revision(found):
            raise DatabaseCopyError(
                f"the backup is of revision {found}, which this version does not know: restore it with the version "
                "that took it, or a later one"
            )
        migrate.upgrade_database(file)


def import_copy(path: Path, database: Database) -> Mapping[str, int]:
    """Loads an up-to-date backup file into an empty database; returns row counts by table.

    All or nothing. Raises DatabaseCopyError if the database already has rows.
    """
    with closing(Database(f"sqlite:///{path}")) as file, file.reading() as source, database.writing() as target:
        into = target.connection()
        taken = [
            table.name
            for table in Base.metadata.sorted_tables
            if table.name not in LEFT_OUT and into.execute(select(table).limit(1)).first() is not None
        ]
        if taken:
            raise DatabaseCopyError(
                f"the control-plane database {database.url.render_as_string(hide_password=True)} is not empty "
                f"({', '.join(taken)}): set FIRM_DATABASE_URL to another one, or move its file away"
            )
        copied = _copy_rows(source.connection(), into, LEFT_OUT)
        # the workers that leased them do not run on this installation
        into.execute(update(EndpointState).values(lessee=None, leased_until=None))
    return copied


def _copy_rows(source: Connection, target: Connection, left_out: frozenset[str]) -> dict[str, int]:
    """Copies every table not left out, referenced tables before referencing ones."""
    counts: dict[str, int] = {}
    for table, written in zip(Base.metadata.sorted_tables, _tables_with_null_json(), strict=True):
        if table.name in left_out:
            continue
        counts[table.name] = 0
        found = source.execute(select(table).execution_options(yield_per=_AT_ONCE))
        for part in found.mappings().partitions():
            target.execute(insert(written), [dict(row) for row in part])
            counts[table.name] += len(part)
    return counts


def _tables_with_null_json() -> list[Table]:
    """Copies of the tables in which a JSON column without a value is SQL NULL and not the text «null»."""
    copies = MetaData()
    made = [table.to_metadata(copies) for table in Base.metadata.sorted_tables]
    for column in (column for table in made for column in table.columns if isinstance(column.type, JSON)):
        column.type = JSON(none_as_null=True)
    return made


def integrity_errors(path: Path) -> list[str]:
    """Lists integrity problems of a backup file, empty if it is sound. Changes nothing."""
    try:
        with closing(_open_read_only(path)) as file:
            told = [str(row[0]) for row in file.execute("PRAGMA integrity_check(5)")]
            loose = [f"{row[0]}: a row without its {row[2]}" for row in file.execute("PRAGMA foreign_key_check")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [*(text for text in told if text != "ok"), *loose[:5]]


def copy_row_counts(path: Path) -> dict[str, int]:
    with closing(_open_read_only(path)) as file:
        return {
            table.name: file.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()[0]  # noqa: S608 -- our names
            for table in Base.metadata.sorted_tables
        }


def backup_fanout_cursor(path: Path) -> int | None:
    """Fan-out cursor in a backup file; None if there was no subscription yet."""
    with closing(_open_read_only(path)) as file:
        return file.execute("SELECT max(sequence) FROM ledger_cursors").fetchone()[0]


def read_sealed_secrets(path: Path) -> Iterator[bytes]:
    """Yields every subscription secret in a backup file, encrypted as stored; those of deleted ones were wiped."""
    with closing(_open_read_only(path)) as file:
        for row in file.execute("SELECT secret, previous_secret, credentials FROM webhook_subscriptions"):
            yield from (secret for secret in row if secret)


def _open_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
