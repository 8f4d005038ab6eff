"""Dagster's migrations, read once by a process.

Dagster asks for the newest migration of each file of records that it opens, and twice for each run's, whose file is
new. Each time alembic reads and executes all of Dagster's ninety scripts, a quarter of what a run without news costs.
They do not change while a process lives. Does not belong here: migrations of other databases, which are read anew.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from alembic.config import Config
from alembic.script import ScriptDirectory

from pipelines.dagster_instance.dagster_internals import sql

_LOCATION: Final = "script_location"
_read = ScriptDirectory.from_config


@cache
def _dagster_scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option(_LOCATION, sql.ALEMBIC_SCRIPTS_LOCATION)
    return _read(config)


def _from_config(config: Config) -> ScriptDirectory:
    """The scripts at the place that a configuration names."""
    return _dagster_scripts() if config.get_main_option(_LOCATION) == sql.ALEMBIC_SCRIPTS_LOCATION else _read(config)


def read_once() -> None:
    """From here on this process reads Dagster's scripts once."""
    ScriptDirectory.from_config = staticmethod(_from_config)  # type: ignore[method-assign]
