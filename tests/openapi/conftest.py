"""Outside tools over the OpenAPI document, and services over the small world of the API's own tests.

The tools of npm go into tests/openapi/node_modules, once (`make test` installs them; else the first test does). Where
there is no npm, or a node too old for them, what needs them is skipped.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.openapi.document import openapi_document
from tests import npm

HERE = Path(__file__).parent
QUIET = {
    "REDOCLY_TELEMETRY": "off",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "NO_UPDATE_NOTIFIER": "1",
    "NO_COLOR": "1",
}


def _load_fixtures():
    """The fixtures of tests/api; pytest shares those of parents only."""
    spec = importlib.util.spec_from_file_location("api_test_fixtures", HERE.parent / "api" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_fixtures = _load_fixtures()
world, migrated, serve = _fixtures.world, _fixtures.migrated, _fixtures.serve


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
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    return run
