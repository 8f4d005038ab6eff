"""The React components as a page has them: the package with its tools from npm, a Chromium, a running service.

The tools go into ui/node_modules, once (`make test` installs them; else the first test does). Where there is no npm,
or a node too old for them, or no Chromium, what needs them is skipped.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import npm
from tests.once import made_once
from tests.ui.tour import Seen, make_tour, read_tour

HERE = Path(__file__).parent
UI = HERE.parents[1] / "ui"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program within ui/, its packages installed: `run("npm", "test")` gives the finished process."""
    npm.commands(UI)

    def run(*command: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(one) for one in command],
            cwd=UI,
            env=os.environ | {"NO_COLOR": "1", "CI": "true"},
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


@pytest.fixture(scope="session")
def browser() -> str:
    """The path of a Chromium."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium: components are not tried in a browser (Debian: apt-get install chromium)")
    return found


@pytest.fixture(scope="session")
def seen(
    run: Callable[..., subprocess.CompletedProcess[str]],
    browser: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Seen:
    """One tour of a browser, made by the first process that asks; its folder keeps the screenshots."""
    return read_tour(made_once(tmp_path_factory, "components", lambda into: make_tour(run, browser, into)))
