"""The budget of an unmarked test: a test above it fails by name, whatever it used it for."""

import pytest

from tests import budget

pytest_plugins = "pytester"
BURN = """
import time
import pytest

def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
"""
CONFTEST = """
from tests import budget

def pytest_configure(config):
    config.addinivalue_line("markers", "slow: above the budget")
    config.pluginmanager.register(budget.Budget(0.1), "budget")
"""


def run(pytester: pytest.Pytester, tests: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(BURN + tests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # plugins cost more than all that is tested here
        return pytester.runpytest_inprocess("-p", "no:cacheprovider")


def test_budget_of_a_call_or_its_own_fixture_exceeded_fails_by_name(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
@pytest.fixture
def dear():
    burn(0.15)

def test_call():
    burn(0.15)

def test_set_up(dear):
    pass

def test_cheap():
    pass
""",
    )
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*::test_call used 0.* processor seconds of its 0.1: *", "*::test_set_up used 0.*"])


def test_budget_of_children_exceeded_fails(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
import subprocess, sys

def test_child():
    subprocess.run([sys.executable, "-c", "while __import__('time').process_time() < 0.4: pass"], check=True)
""",
    )
    done.assert_outcomes(failed=1)


def test_budget_leaves_out_shared_fixtures_and_slow_tests(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
@pytest.fixture(scope="session")
def inner():
    burn(0.15)

@pytest.fixture(scope="module")
def world(inner):
    burn(0.15)

@pytest.fixture
def late(request):
    return request.getfixturevalue("world")

def test_first(late):
    pass

@pytest.mark.slow
def test_marked():
    burn(0.15)
""",
    )
    done.assert_outcomes(passed=2)


@pytest.mark.parametrize("given", ["fast", "0", "-1", "nan"])
def test_budget_setting_without_a_number_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv(budget.SETTING, given)
    with pytest.raises(pytest.UsageError, match=budget.SETTING):
        budget.budget_seconds()


def test_budget_setting_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(budget.SETTING, raising=False)
    assert budget.budget_seconds() == budget.DEFAULT_SECONDS
    monkeypatch.setenv(budget.SETTING, "7.5")
    assert budget.budget_seconds() == 7.5
