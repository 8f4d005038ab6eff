"""Visits of pages for everyone in Chromium, without JavaScript, and in Firefox: what is seen, and what must hold of it.

Does not belong here: which pages there are, and what is done on them (the tests).
"""

import statistics
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests import browsing, npm
from tests.browsing import UI, Browser
from tests.firefox import Firefox, firefox

BUDGET_BYTES: Final = 100_000
"""Of a page and all that it loads, as it is transferred: texts are compressed by the service."""
BUDGET_MILLISECONDS: Final = 1_000
"""Until the largest part is painted, of a service on the same machine."""


@dataclass
class Visit:
    """A service under uvicorn, and what Chromium saw of each page without JavaScript."""

    base: str
    browser: Browser
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    painted: dict[str, float] = field(default_factory=dict)
    on_paper: dict[str, float] = field(default_factory=dict)

    def tour(self, pages: Mapping[str, str]) -> None:
        """Opens each page, given by its name and its path."""
        tab = self.browser.tab(scripts=False)
        for name, path in pages.items():
            tab.open(self.base + path)
            self.painted[name] = tab.painted()
            self.looks[name] = tab.look(name)
            self.on_paper[name] = tab.print(name)["overhang"]

    def assert_whole(self) -> None:
        """Pages need no scripts, no cookies and no other host, and everything that they load is there."""
        for name, look in self.looks.items():
            assert look["foreign"] == [], name
            assert look["strayed"] == [], name
            assert look["broken"] == [], name
            assert look["cookies"] == "", name
            assert len(look["asked"]) >= 3, name
            assert [one for one in look["asked"][1:] if one[1] != 200] == [], name

    def assert_accessible(self) -> None:
        """Axe finds nothing, wide in light and narrow in dark."""
        views = [(name, view, one) for name, look in self.looks.items() for view, one in look["views"].items()]
        assert {(name, view): one["faults"] for name, view, one in views if one["faults"]} == {}

    def assert_fitting(self) -> None:
        """No page is wider than its window or a sheet of paper, and no caption or heading wider than what is seen of it."""
        views = [(name, view, one) for name, look in self.looks.items() for view, one in look["views"].items()]
        assert {(name, view): one["cut"] for name, view, one in views if one["cut"]} == {}
        assert {(name, view): one["overhang"] for name, view, one in views if one["overhang"] > 0} == {}
        assert {name: pixels for name, pixels in self.on_paper.items() if pixels > 0} == {}

    def assert_small_and_soon_there(self) -> None:
        assert {name: look["bytes"] for name, look in self.looks.items() if look["bytes"] >= BUDGET_BYTES} == {}
        # the usual page: what else the machine does delays one or the other
        assert 0 < statistics.median(self.painted.values()) < BUDGET_MILLISECONDS, self.painted


@contextmanager
def visit_in_chromium(base: str, pages: Mapping[str, str], folder: Path) -> Iterator[Visit]:
    """A tour of the pages; keeps its pictures if pictures are kept."""
    with browsing.browsing(folder) as browser:
        made = Visit(base, browser)
        made.tour(pages)
        yield made
    browsing.keep_screenshots(folder, "public")


@contextmanager
def visit_in_firefox(base: str, pages: Mapping[str, str], folder: Path) -> Iterator[Firefox]:
    """Opens each page wide in light and narrow in dark, as Chromium did; gives the window for what else is asked."""
    npm.commands(UI)
    axe = (UI / "node_modules" / "axe-core" / "axe.min.js").read_text()
    pictures = folder / "pictures"
    pictures.mkdir()
    with firefox(folder / "profile") as window:
        for name, path in pages.items():
            for view, width, is_dark in (
                ("wide", 1280, False),
                ("narrow", 450, True),
            ):  # its windows have a least width
                window.darken(is_dark)
                window.open(base + path)
                window.resize(width, 900)
                window.picture(pictures / f"firefox-{name}-{view}.png")
                assert window.run("return document.documentElement.scrollWidth - innerWidth") <= 0, (name, view)
                window.run(axe)
                faults, passed = window.run_async(_AXE)
                assert (faults, passed > 10) == ([], True), (name, view)
                found = window.run("return [...performance.getEntriesByType('resource')].map(({ name }) => name)")
                assert [one for one in found if not one.startswith(base)] == []
        yield window
    browsing.keep_screenshots(pictures, "public")


_AXE: Final = """
const done = arguments[arguments.length - 1];
axe.run().then(({ violations, passes }) => {
  done([violations.map(({ id, nodes }) => [id, nodes[0].html]), passes.length]);
});
"""
