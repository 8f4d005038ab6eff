"""Outside tools over the OpenAPI document, and services over the small world of the API's own tests.

The tools of npm go into tests/openapi/node_modules, once (`make test` installs them; else the first test does). Where
there is no npm, or a node too old for them, what needs them is skipped.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from api.openapi_document import openapi_document
from tests import npm
from tests.api.conftest import migrated, serve, world  # noqa: F401 -- pytest shares fixtures of parents only

HERE = Path(__file__).parent
QUIET = {
    "REDOCLY_TELEMETRY": "off",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "NO_UPDATE_NOTIFIER": "1",
    "NO_COLOR": "1",
}


@pytest.fixture(scope="session")
def described():
    """The document, as a fresh value for whoever wants to spoil it."""
    return lambda: json.loads(openapi_document("https://api.example.com"))


@pytest.fixture(scope="session")
def tool():
    """Runs a tool of npm by its name: `tool(folder, name, *arguments)` gives the finished process."""
    found = npm.commands(HERE)

    def run(folder, name, *arguments):
        command = [str(found / name), *arguments]
        environment = os.environ | QUIET
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return run
