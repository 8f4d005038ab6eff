"""The package by its own tests: units, states against an HTTP server, size, shaking, types (ui/tests)."""

import re

import pytest

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
