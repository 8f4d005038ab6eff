"""Brings a control-plane database to the newest schema; the only caller of Alembic.

Does not belong here: the steps themselves (`migrations/versions`).
"""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api.db.engine import Database

_FOLDER: Final = Path(__file__).parent / "migrations"


def config() -> Config:
    """Alembic's configuration without a file: the connection is handed over, never looked up."""
    settings = Config()
    settings.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return settings


def upgrade(database: Database) -> None:
    """Apply what is missing. Processes starting together wait for each other (a writer locks at BEGIN)."""
    settings = config()
    head = ScriptDirectory.from_config(settings).get_current_head()
    with database.engine.begin() as connection:
        if MigrationContext.configure(connection).get_current_revision() == head:
            return
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")


def prepare(url: str) -> Database:
    """The database of the service: its folder made where it is a file, its schema brought up to date."""
    database = Database(url)
    if database.url.get_backend_name() == "sqlite" and database.url.database:
        Path(database.url.database).parent.mkdir(parents=True, exist_ok=True)
    upgrade(database)
    return database
