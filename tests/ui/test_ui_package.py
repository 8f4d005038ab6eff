"""The package by its own tests: units, states against an HTTP server, size, shaking, types (ui/tests)."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import npm
from tests.browsing import UI

pytestmark = pytest.mark.slow


def test_its_own_tests_pass(run):
    done = run("npm", "test", "--silent")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Tests +\d+ passed", done.stdout), done.stdout
    assert "failed" not in done.stdout


def test_its_types_hold(run):
    done = run("npm", "run", "--silent", "check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout + done.stderr == ""


def test_its_tarball_installs_beside_that_of_the_client(run, tmp_path: Path):
    """In an empty folder, with React and what the package depends on; it is imported there as on a server."""
    done = run("npm", "run", "--silent", "build")
    assert done.returncode == 0, done.stdout + done.stderr
    needed = [npm.packed(folder, tmp_path / "packed") for folder in (npm.built_client(), UI)]
    react = npm.packed(UI / "node_modules" / "react", tmp_path / "packed")
    npm.install([*needed[0], *needed[1], *react], tmp_path / "page")
    program = 'import * as all from "@firmdata/react"; console.log(Object.keys(all).sort().join(" "))'
    command = ["node", "--input-type=module", "-e", program]
    ran = subprocess.run(command, cwd=tmp_path / "page", capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert {"CompanyCard", "FirmdataProvider"} <= set(ran.stdout.split())
    installed = {path.name for path in (tmp_path / "page" / "node_modules" / "@firmdata").iterdir()}
    assert installed == {"client", "react"}
