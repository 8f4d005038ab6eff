"""Verifiers from npm: they go into tests/receivers/node_modules, once (`make test` installs them; else the first test
does). Where there is no npm, what needs them is skipped.
"""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import npm

HERE = Path(__file__).parent
NODE = 20  # the oldest that these libraries and the sample run on


@pytest.fixture(scope="session")
def node():
    """The command that runs JavaScript."""
    command = shutil.which("node")
    if command is None:
        pytest.skip("node is not installed")
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    if int(told.lstrip("v").split(".")[0]) < NODE:
        pytest.skip(f"node is older than {NODE}")
    return command


@pytest.fixture(scope="session")
def verified_by_npm(node):
    """Answers of libraries of npm: `verified_by_npm([(library, secret, headers, body), ...])`."""
    npm.commands(HERE)

    def ask(cases):
        asked = [
            {"library": library, "secret": secret, "headers": headers, "body": base64.b64encode(body).decode()}
            for library, secret, headers, body in cases
        ]
        told = subprocess.run(
            [node, HERE / "verify.mjs"], input=json.dumps(asked), capture_output=True, text=True, check=True, timeout=60
        )
        return json.loads(told.stdout)

    return ask
