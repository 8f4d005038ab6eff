"""The React components as a page has them: the package with its tools from npm, a Chromium, a running service."""

import pytest

from tests import browsing
from tests.browsing import Run
from tests.once import made_once
from tests.ui.tour import Seen, make_tour, read_tour


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a program within ui/, its packages installed: `run("npm", "test")` gives the finished process."""
    return browsing.tools()


@pytest.fixture(scope="session")
def seen(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """One tour of a browser, made by the first process that asks."""
    browser = browsing.chromium()
    return read_tour(made_once(tmp_path_factory, "components", lambda into: make_tour(run, browser, into)))
