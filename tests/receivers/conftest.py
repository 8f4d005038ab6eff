"""Verifiers from npm: they go into tests/receivers/node_modules, once (`make test` installs them; else the first test
does). Where there is no npm, what needs them is skipped.
"""

import base64
import fcntl
import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
STAMP = HERE / "node_modules" / ".installed"
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
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    with LOCK.open() as held:  # several processes of one test run
        fcntl.flock(held, fcntl.LOCK_EX)
        if not STAMP.is_file() or STAMP.stat().st_mtime < LOCK.stat().st_mtime:
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(command, cwd=HERE, check=True, capture_output=True)
            STAMP.touch()

    def ask(cases):
        asked = [
            {
                "library": library,
                "secret": secret,
                "headers": headers,
                "body": base64.b64encode(body).decode(),
            }
            for library, secret, headers, body in cases
        ]
        told = subprocess.run(
            [node, HERE / "verify.mjs"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return json.loads(told.stdout)

    return ask
