"""Dagster's migrations, read once by a process of tests.

Dagster asks for the newest of them for each file of records that it opens, and twice for each run's, whose file is new.
Each time alembic reads and executes all ninety, which is more than a third of a small run. A process that a user starts
reads them as Dagster does.
"""

from functools import cache
from typing import Any, Final

from alembic.config import Config
from alembic.script import ScriptDirectory

DAGSTERS: Final = "dagster:"
_PLACE: Final = "script_location"
_read = ScriptDirectory.from_config


@cache
def _scripts(place: str) -> ScriptDirectory:
    config = Config()
    config.set_main_option(_PLACE, place)
    return _read(config)


def _from_config(config: Config) -> ScriptDirectory:
    place = config.get_main_option(_PLACE) or ""
    return _scripts(place) if place.startswith(DAGSTERS) else _read(config)


def read_once() -> None:
    """From here on this process reads Dagster's migrations once, and those of others as often as they are asked for."""
    directory: Any = ScriptDirectory
    directory.from_config = staticmethod(_from_config)
