"""How much processor time an unmarked test may use: the quick run stays quick, because a test above it fails by name.

Counted per test: its call and its own fixtures, in this process and in the processes it started and waited for.
Not counted: fixtures shared by a module or the session, for any of their tests may be the first. Does not belong here: how long a test waits (timed assertions fail on busy machines).
"""

import os
import resource
from collections.abc import Generator
from typing import Any, Final

import pytest

SETTING: Final = "FIRM_TEST_SECONDS"
DEFAULT_SECONDS: Final = 2.0


def budget_seconds() -> float:
    """Processor seconds of an unmarked test, from the environment where a machine is slow."""
    given = os.environ.get(SETTING, "")
    try:
        seconds = float(given) if given else DEFAULT_SECONDS
    except ValueError:
        raise pytest.UsageError(f"{SETTING}={given!r} is no number of seconds") from None
    if not seconds > 0:
        raise pytest.UsageError(f"{SETTING}={given!r} must be above 0")
    return seconds


def processor_seconds() -> float:
    """Used so far by this process and by its ended children."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


class Budget:
    """A pytest plugin: fails each unmarked test that uses more than its budget."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = 0.0
        self._shared = 0.0  # what others would have paid as well
        self._depth = 0
        self._block_began = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        self._began, self._shared = processor_seconds(), 0.0
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        if fixturedef.scope == "function":
            return (yield)
        with self:
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        result = yield
        used = processor_seconds() - self._began - self._shared
        if used > self._seconds and item.get_closest_marker("slow") is None:
            pytest.fail(
                f"{item.nodeid} used {used:.1f} processor seconds of its {self._seconds:g}: make it faster, "
                f"or mark it slow (docs/testing.md); on a slow machine raise {SETTING}",
                pytrace=False,
            )
        return result

    def __enter__(self) -> None:
        """What is used from here on is shared; blocks may lie within each other."""
        if self._depth == 0:
            self._block_began = processor_seconds()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._shared += processor_seconds() - self._block_began
