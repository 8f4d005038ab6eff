"""Migrates a control-plane database to the newest schema; the only caller of Alembic.

Does not belong here: the migrations (`migrations/versions`).
"""

from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import func, select
from sqlalchemy.exc import ArgumentError, OperationalError

from api.database.engine import Database
from warehouse.settings.errors import SettingError

_WRITE: Final = "use postgresql://user:password@host/name, or leave it empty for SQLite"
_LOCK: Final = 0x6669726D  # «firm» in ASCII; any number not used by other users of the database
_FOLDER: Final = Path(__file__).parent / "migrations"


def alembic_config() -> Config:
    """Alembic's configuration without a file: the connection is passed in, never looked up."""
    settings = Config()
    settings.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return settings


@cache
def newest_revision() -> str:
    """The newest known revision: the scripts are part of this version, read once a process."""
    return str(ScriptDirectory.from_config(alembic_config()).get_current_head())


def is_known_revision(revision: str) -> bool:
    """Whether a revision is known here, so that its database can be upgraded."""
    return revision in {step.revision for step in ScriptDirectory.from_config(alembic_config()).walk_revisions()}


def current_revision(database: Database) -> str | None:
    """The revision of a database; None if it has no tables yet. Changes nothing."""
    with database.reading() as session:
        return MigrationContext.configure(session.connection()).get_current_revision()


def upgrade_database(database: Database) -> None:
    """Applies missing migrations. Processes that start together wait for each other.

    SQLite's writers lock at BEGIN; PostgreSQL's would all read before one writes, so they take an advisory lock
    first. Raises SettingError for a database of a later version.
    """
    with database.engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        found = MigrationContext.configure(connection).get_current_revision()
        if found == newest_revision():
            return
        if found is not None and not is_known_revision(found):
            shown = database.url.render_as_string(hide_password=True)
            raise SettingError(
                f"the control-plane database {shown} is of a later version of this software (revision {found}): "
                "install that version, or restore the backup that was made before the upgrade"
            )
        settings = alembic_config()
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")


def prepare_database(url: str) -> Database:
    """Opens the service's database: creates the folder of a SQLite file and upgrades the schema.

    Raises SettingError if the address is invalid or the database cannot be reached; the message never shows the
    password.
    """
    try:
        database = Database(url)
    except (ArgumentError, ImportError) as error:
        raise SettingError(f"FIRM_DATABASE_URL is not a database URL ({error}): {_WRITE}") from None
    shown = database.url.render_as_string(hide_password=True)
    if database.url.get_backend_name() == "sqlite" and database.url.database:
        folder = Path(database.url.database).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            writable = f"{folder} cannot be created ({error.strerror}): set FIRM_DATA to a writable folder"
            raise SettingError(writable) from None
    try:
        upgrade_database(database)
    except OperationalError as error:
        database.close()
        raise SettingError(f"the control-plane database {shown} cannot be used: {error.orig}") from None
    except SettingError:
        database.close()
        raise
    return database
