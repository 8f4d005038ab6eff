"""A Chromium for tests: where it is, the tools of ui/ that drive it, tabs that tests steer from here.

The tools go into ui/node_modules, once (`make test` installs them; else the first test does). Where there is no npm,
or a node too old for them, or no Chromium, what needs them is skipped. Does not belong here: which pages are visited,
and what must hold of them.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import npm

HERE = Path(__file__).parent
UI = HERE.parent / "ui"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
KEPT = "FIRM_SCREENSHOTS"  # a folder that screenshots of all tours are copied to; without it none are taken
Run = Callable[..., subprocess.CompletedProcess[str]]


def chromium() -> str:
    """The path of a Chromium; the test that asks is skipped where there is none."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium: no page is tried in a browser (Debian: apt-get install chromium)")
    return found


def tools() -> Run:
    """Runs a program within ui/, its packages installed: `run("npm", "test")` gives the finished process."""
    npm.built_client()
    npm.commands(UI)

    def run(*command: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(one) for one in command],
            cwd=UI,
            env=_environment(),
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


def keep_screenshots(folder: Path, tour: str) -> None:
    """Copies what a tour has pictured to where somebody wants to look at it, if anybody does."""
    if os.environ.get(KEPT):
        kept = Path(os.environ[KEPT]) / tour
        kept.mkdir(parents=True, exist_ok=True)
        for picture in (one for kind in ("png", "jpeg", "webp") for one in folder.glob(f"*.{kind}")):
            shutil.copy(picture, kept)


@dataclass(frozen=True)
class Tab:
    """One tab of a browser of its own: cookies, width and colours are nobody else's. Each deed waits for its page."""

    tell: Callable[..., Any]

    def open(self, url: str) -> None:
        self.tell("open", url=url)

    def fill(self, label: str, value: str) -> None:
        self.tell("fill", label=label, value=value)

    def choose(self, label: str, value: str) -> None:
        self.tell("choose", label=label, value=value)

    def check(self, label: str) -> None:
        self.tell("check", label=label)

    def unfold(self, summary: str) -> None:
        self.tell("unfold", summary=summary)

    def press(self, button: str) -> None:
        """A button that leads to a page."""
        self.tell("press", role="button", name=button)

    def follow(self, link: str) -> None:
        self.tell("press", role="link", name=link)

    def click(self, selector: str) -> None:
        """What stays on its page, or changes it by a script."""
        self.tell("click", selector=selector)

    def wait(self, selector: str) -> None:
        """Until an element is seen."""
        self.tell("wait", selector=selector)

    def painted(self) -> float:
        """Milliseconds until the largest part of the page was painted."""
        return self.tell("painted")

    def write(self, text: str) -> None:
        """Types where the keyboard is."""
        self.tell("write", text=text)

    def reach(self, role: str, name: str) -> None:
        """By Tab alone to what has that name; what has the keyboard must be seen to have it."""
        self.tell("reach", role=role, name=name)

    def enter(self) -> None:
        """The Enter key, which leads to a page."""
        self.tell("enter")

    def key(self, key: str) -> None:
        """A key that leads to no page."""
        self.tell("key", key=key)

    def settle(self, selector: str) -> None:
        """Until something is there that a script draws, and nothing is still read."""
        self.tell("settle", selector=selector, reading=0)

    def settle_but(self, reading: int) -> None:
        """Until so many components are still read, which never end."""
        self.tell("settle", selector="section.firmdata", reading=reading)

    def attributes(self, selector: str, name: str) -> list[str | None]:
        """An attribute of each element that a selector finds."""
        return self.tell("attributes", selector=selector, name=name)

    def print(self, name: str) -> dict[str, Any]:
        """The page as a sheet of A4: `text`, and `overhang` in pixels; with a picture if pictures are kept."""
        return self.tell("print", name=name)

    def text(self, selector: str = "main") -> str:
        return self.tell("text", selector=selector)

    def value(self, label: str) -> str:
        return self.tell("value", label=label)

    def address(self) -> str:
        return self.tell("address")

    def frames(self) -> list[str]:
        """Addresses of what stands in frames; of what refused to, the browser's own."""
        return self.tell("frames")

    def broken(self) -> list[str]:
        """What failed, opened a dialog or was stopped by a policy since the last look."""
        return self.tell("broken")

    def see(self) -> dict[str, Any]:
        """What there is to say of the page as it is."""
        return self.tell("see")

    def look(self, name: str) -> dict[str, Any]:
        """The same, and what axe says of it wide in light and narrow in dark, with a picture of each if they are kept.

        `painted`: milliseconds until its largest part was painted; `paper`: how much wider than a sheet it is.
        """
        return self.tell("look", name=name)

    def picture(self, name: str, width: int = 1280) -> None:
        """Takes a picture of the window in light, without what is below it, if pictures are kept."""
        self.tell("picture", name=name, width=width)

    def visited(self) -> list[list[Any]]:
        """Method, address and status of every page so far."""
        return self.tell("visited")


@dataclass(frozen=True)
class Browser:
    """A running Chromium."""

    process: subprocess.Popen[str]

    def tab(self, *, scripts: bool = True) -> Tab:
        """A new one; without `scripts` JavaScript is switched off."""
        number = self._ask({"deed": "tab", "given": {"scripts": scripts}})
        return Tab(lambda deed, **given: self._ask({"tab": number, "deed": deed, "given": given}))

    def _ask(self, asked: dict[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the browser has gone at {asked}"
        answer = json.loads(line)
        assert "failed" not in answer, f"{asked}: {answer['failed']}"
        return answer["told"]


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """A Chromium whose screenshots go into a folder; it ends with the block."""
    npm.commands(UI)
    process = subprocess.Popen(
        ["node", str(HERE / "tabs.mjs"), chromium(), str(folder)],
        cwd=UI,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Browser(process)
    finally:
        process.communicate(timeout=30)  # closes its input, at whose end it ends


def _environment() -> dict[str, str]:
    return os.environ | {"NO_COLOR": "1", "CI": "true"}
