"""The last moment at which a run begins tests: what comes later is not run, and nobody can take that for green."""

import time

import pytest

from tests import last_start

pytest_plugins = "pytester"
TESTS = """
import time

def test_in_time():
    pass

def test_in_time_and_an_hour_long():
    time.time = lambda: {after}

def test_too_late():
    raise AssertionError

def test_too_late_again():
    raise AssertionError
"""
CONFTEST = """
from tests import last_start

def pytest_configure(config):
    config.pluginmanager.register(last_start.LastStart({until}), "last-start")
"""


def test_what_begins_too_late_is_skipped_and_counted_by_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", time.time)  # put back after the tests that change it
    pytester.makeconftest(CONFTEST.format(until=now + 3_600))
    pytester.makepyfile(test_hour=TESTS.format(after=now + 3_601))
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:randomly")
    done.assert_outcomes(passed=2, skipped=2)
    done.stdout.fnmatch_lines(["*2 tests were NOT RUN: not begun by FIRM_TESTS_UNTIL*", "*2 test_hour.py"])


def test_a_run_without_a_last_moment_begins_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(last_start.SETTING, raising=False)
    assert last_start.last_start() is None
    monkeypatch.setenv(last_start.SETTING, "1795000000")
    assert last_start.last_start() == 1795000000
    monkeypatch.setenv(last_start.SETTING, "soon")
    with pytest.raises(pytest.UsageError, match="FIRM_TESTS_UNTIL='soon' is no number of seconds since 1970"):
        last_start.last_start()
