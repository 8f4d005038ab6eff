"""Reads the environment, and the settings of the pipelines from it, for commands that open no service.

Does not belong here: objects made from settings (`bootstrap`), which import the service and its database.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv import dotenv_values

from firm.cli_errors import exit_on_error
from warehouse.settings.errors import SettingError

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


def read_environment() -> dict[str, str]:
    """Environment variables, which override `.env` in the current folder. Read once per command."""
    written = {name: value for name, value in dotenv_values(Path.cwd() / ".env").items() if value is not None}
    return {**written, **os.environ}


def read_ingest_settings() -> IngestSettings:
    """Settings of the pipelines; an invalid one ends the command as a usage error."""
    from pipelines.settings import IngestSettings

    with exit_on_error(SettingError):
        return IngestSettings.read(read_environment())
