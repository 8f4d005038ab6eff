"""Outside tools over the OpenAPI document, and services over the small world of the API's own tests.

The tools of npm go into tests/openapi/node_modules, once (`make test` installs them; else the first test does). Where
there is no npm, or a node too old for them, what needs them is skipped.
"""

import fcntl
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from api.openapi import document

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
LOCK = HERE / "package-lock.json"
STAMP = MODULES / ".installed"
NODE = (20, 19)  # the oldest version that all of the tools run on
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
    return lambda: json.loads(document("https://api.example.com"))


def _old():
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2]) < NODE


def _installed():
    return STAMP.is_file() and STAMP.stat().st_mtime >= LOCK.stat().st_mtime


@pytest.fixture(scope="session")
def tool():
    """Runs a tool of npm by its name: `tool(folder, name, *arguments)` gives the finished process."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    if _old():
        pytest.skip(f"node is older than {NODE[0]}.{NODE[1]}")
    with LOCK.open() as held:  # several processes of one test run
        fcntl.flock(held, fcntl.LOCK_EX)
        if not _installed():
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(command, cwd=HERE, check=True, capture_output=True)
            STAMP.touch()

    def run(folder, name, *arguments):
        command = [str(MODULES / ".bin" / name), *arguments]
        environment = os.environ | QUIET
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    return run
