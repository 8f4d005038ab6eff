"""The public pages in Chromium and Firefox: every page light and dark, wide and narrow, by keyboard and on paper."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from api.public_pages.reference import DEFAULT_FOLDER, FILES
from api.settings.service import ApiSettings
from tests import browsing, npm
from tests.api.conftest import Service
from tests.api.dashboard.conftest import PATIENCE_SECONDS, listening
from tests.api.public_pages.conftest import LISTED
from tests.browsing import UI, Browser, Tab
from tests.firefox import firefox

pytestmark = pytest.mark.slow

BUDGET_BYTES = 100_000
BUDGET_MILLISECONDS = 1_000
PAGES = {
    "home": "/",
    "status": "/status",
    "problem": "/problems/company-not-found",
    "problem-unknown": "/problems/nothing",
    "docs-search": "/docs/search?q=webhook",
    "docs-unknown": "/docs/nothing",
}
"""Pages without scripts."""


MARKETS = "#operations-Service-listMarkets"
TRYING = (".dialog-ux .authorize", ".btn-done", f"{MARKETS} button", f"{MARKETS} .try-out__btn", f"{MARKETS} .execute")
"""What is clicked, one after the other, once a key is entered."""


@dataclass
class Visit:
    """A service under uvicorn, and what Chromium saw of each page without JavaScript."""

    base: str
    browser: Browser
    folder: Path
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    painted: dict[str, float] = field(default_factory=dict)
    on_paper: dict[str, float] = field(default_factory=dict)

    def tour(self, tab: Tab) -> None:
        for name, path in PAGES.items():
            tab.open(self.base + path)
            self.painted[name] = tab.painted()
            self.looks[name] = tab.look(name)
            self.on_paper[name] = tab.print(name)["overhang"]


@pytest.fixture(scope="module")
def base(shared_serve: Any, norway: Any, site: Path) -> Iterator[tuple[str, Service]]:
    """Reached at an address of this machine; the service knows itself by another, as behind a proxy."""
    made: Service = shared_serve(norway, docs_site=site, with_client=False)
    with listening(made, ApiSettings(shutdown_seconds=PATIENCE_SECONDS)) as address:
        yield address, made


@pytest.fixture(scope="module")
def visit(base: tuple[str, Service], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    folder = tmp_path_factory.mktemp("pictures")
    with browsing.browsing(folder) as browser:
        made = Visit(base[0], browser, folder)
        made.tour(browser.tab(scripts=False))
        yield made
    browsing.keep_screenshots(folder, "public")


def test_pages_are_whole_without_scripts_or_other_hosts(visit: Visit) -> None:
    for name, look in visit.looks.items():
        assert look["foreign"] == [], name
        assert look["strayed"] == [], name
        assert look["broken"] == [], name
        assert look["cookies"] == "", name
        assert len(look["asked"]) >= 3, name
        assert [one for one in look["asked"][1:] if one[1] != 200] == [], name


def test_axe_finds_nothing_light_and_dark_wide_and_narrow(visit: Visit) -> None:
    faults = {(name, view): one["faults"] for name, look in visit.looks.items() for view, one in look["views"].items()}
    assert {where: found for where, found in faults.items() if found} == {}


def test_no_page_is_wider_than_its_window_or_a_sheet(visit: Visit) -> None:
    over = {(name, view): one["overhang"] for name, look in visit.looks.items() for view, one in look["views"].items()}
    assert {where: pixels for where, pixels in over.items() if pixels > 0} == {}
    assert {name: pixels for name, pixels in visit.on_paper.items() if pixels > 0} == {}


def test_pages_are_small_and_soon_there(visit: Visit) -> None:
    assert {name: look["bytes"] for name, look in visit.looks.items() if look["bytes"] >= BUDGET_BYTES} == {}
    assert {name: one for name, one in visit.painted.items() if not 0 < one < BUDGET_MILLISECONDS} == {}


def test_the_keyboard_reaches_what_there_is_to_do(visit: Visit) -> None:
    tab = visit.browser.tab(scripts=False)
    tab.open(f"{visit.base}/")
    tab.reach("link", "Skip to content")
    tab.reach("link", "Sign up")
    tab.enter()
    assert tab.address().endswith("/dashboard/sign-in")
    tab.open(f"{visit.base}/docs/nothing")
    tab.reach("searchbox", "Search the documentation")
    tab.write("signed")
    tab.enter()
    assert tab.address().endswith("/docs/search?q=signed")
    assert "Signing & keys" in tab.text()


def test_the_reference_tries_a_request_with_the_key_that_is_entered(visit: Visit, base: tuple[str, Service]) -> None:
    """Under its policy, with every operation of the document, and no word of the key once it is left."""
    needs_renderer()
    made, tab = base[1], visit.browser.tab()
    paths = json.loads(made.parts.openapi_document)["paths"]
    operations = sum(method in {"get", "post", "put", "patch", "delete"} for one in paths.values() for method in one)
    tab.open(f"{visit.base}/docs/api")
    tab.wait(".opblock")
    look = tab.look("reference")
    assert [one["faults"] for one in look["views"].values()] == [[], []]
    assert [one["overhang"] for one in look["views"].values()] == [0, 0]
    assert look["paper"] == 0
    assert (look["strayed"], look["broken"]) == ([], [])
    assert tab.text("#reference").count("/api/") == operations > 40
    tab.click(".btn.authorize")
    tab.fill("auth-bearer-value", made.key)
    for part in TRYING:
        tab.click(part)
    tab.wait(".live-responses-table .response")
    answered = tab.text(".live-responses-table")
    assert "200" in answered
    assert '"market": "NO"' in answered
    seen = tab.look("reference-tried")
    assert [one["faults"] for one in seen["views"].values()] == [[], []]
    assert (seen["strayed"], seen["broken"]) == ([], [])
    tab.open(f"{visit.base}/docs/api")
    tab.wait(".opblock")
    assert made.key not in tab.see()["text"]


def needs_renderer() -> None:
    if not all((DEFAULT_FOLDER / name).is_file() for name in FILES):
        pytest.skip("the renderer is not there (make reference)")


def test_the_reference_tries_a_request_in_firefox(base: tuple[str, Service], tmp_path: Path) -> None:
    """Its own reading of the page's policy; the key is gone with the page."""
    needs_renderer()
    address, made = base
    with firefox(tmp_path / "profile") as window:
        window.open(f"{address}/docs/api")
        window.click(".btn.authorize")
        window.write("#auth-bearer-value", made.key)
        for part in TRYING:
            window.click(part)
        answered = window.text(".live-responses-table .response")
        assert "200" in answered
        assert '"market": "NO"' in answered
        asked = window.run("return performance.getEntriesByType('resource').map(({ name }) => name)")
        assert [one for one in asked if not one.startswith(address)] == []
        assert f"{address}/api/v1/markets" in asked
        window.open(f"{address}/docs/api")
        window.click(".btn.authorize")
        assert window.run("return document.querySelector('#auth-bearer-value').value") == ""
        assert window.run("return [localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]


def test_pages_are_the_same_in_firefox(base: tuple[str, Service], tmp_path: Path) -> None:
    npm.commands(UI)
    axe = (UI / "node_modules" / "axe-core" / "axe.min.js").read_text()
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    with firefox(tmp_path / "profile") as window:
        for name, path in PAGES.items():
            for view, width, is_dark in (
                ("wide", 1280, False),
                ("narrow", 450, True),
            ):  # its windows have a least width
                window.darken(is_dark)
                window.open(base[0] + path)
                window.resize(width, 900)
                window.picture(pictures / f"firefox-{name}-{view}.png")
                assert window.run("return document.documentElement.scrollWidth - innerWidth") <= 0, (name, view)
                window.run(axe)
                faults, passed = window.run_async(AXE)
                assert (faults, passed > 10) == ([], True), (name, view)
                found = window.run("return [...performance.getEntriesByType('resource')].map(({ name }) => name)")
                assert [one for one in found if not one.startswith(base[0])] == []
        window.open(f"{base[0]}/")
        assert LISTED in window.run("return document.body.innerText")
    browsing.keep_screenshots(pictures, "public")


AXE = """
const done = arguments[arguments.length - 1];
axe.run().then(({ violations, passes }) => {
  done([violations.map(({ id, nodes }) => [id, nodes[0].html]), passes.length]);
});
"""
