"""Until when a run begins tests: what it has not begun by then is skipped, and told by number and file at its end.

For a run that has an hour on whatever machine (`.ci/run`): at ordinary speed it is over long before. Does not belong
here: what a test may cost (`budget`).
"""

import os
import time
from collections import Counter
from typing import Final

import pytest

SETTING: Final = "FIRM_TESTS_UNTIL"
NOT_BEGUN: Final = f"not begun by {SETTING}"


def last_start() -> float | None:
    """Seconds since 1970, from the environment; None without a last moment."""
    given = os.environ.get(SETTING, "")
    try:
        return float(given) if given else None
    except ValueError:
        raise pytest.UsageError(f"{SETTING}={given!r} is no number of seconds since 1970") from None


class LastStart:
    """A pytest plugin: skips each test that would begin after the last moment, and says so in the summary."""

    def __init__(self, until: float) -> None:
        self._until = until

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        if time.time() > self._until:
            pytest.skip(NOT_BEGUN)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        skipped: list[pytest.TestReport] = terminalreporter.getreports("skipped")
        files = Counter(one.nodeid.split("::")[0] for one in skipped if NOT_BEGUN in str(one.longrepr))
        if files:
            terminalreporter.section(f"{files.total()} tests were NOT RUN: {NOT_BEGUN}", sep="!", red=True)
            for name, count in sorted(files.items()):
                terminalreporter.write_line(f"{count:5} {name}")
