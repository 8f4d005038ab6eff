"""The public pages in Chromium and Firefox: every page light and dark, wide and narrow, by keyboard and on paper."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.public_pages.reference import DEFAULT_FOLDER, FILES
from api.settings.service import ApiSettings
from tests.api.conftest import Service
from tests.api.dashboard.conftest import PATIENCE_SECONDS, listening
from tests.api.public_pages.conftest import LISTED
from tests.api.public_pages.page_visits import Visit, visit_in_chromium, visit_in_firefox
from tests.firefox import firefox

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module")
def base(shared_serve: Any, norway: Any, site: Path) -> Iterator[tuple[str, Service]]:
    """Reached at an address of this machine; the service knows itself by another, as behind a proxy."""
    made: Service = shared_serve(norway, docs_site=site, with_client=False)
    with listening(made, ApiSettings(shutdown_seconds=PATIENCE_SECONDS)) as address:
        yield address, made


@pytest.fixture(scope="module")
def visit(base: tuple[str, Service], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visit_in_chromium(base[0], PAGES, tmp_path_factory.mktemp("pictures")) as made:
        yield made


def test_pages_are_whole_without_scripts_or_other_hosts(visit: Visit) -> None:
    visit.assert_whole()


def test_axe_finds_nothing_light_and_dark_wide_and_narrow(visit: Visit) -> None:
    visit.assert_accessible()


def test_no_page_is_wider_than_its_window_or_a_sheet(visit: Visit) -> None:
    visit.assert_fitting()


def test_pages_are_small_and_soon_there(visit: Visit) -> None:
    visit.assert_small_and_soon_there()


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
    with visit_in_firefox(base[0], PAGES, tmp_path) as window:
        window.open(f"{base[0]}/")
        assert LISTED in window.run("return document.body.innerText")
