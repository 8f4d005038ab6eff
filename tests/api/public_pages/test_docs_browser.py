"""The documentation in Chromium and Firefox: a page of every kind, as the other public pages are looked at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.settings.service import ApiSettings
from tests.api.dashboard.conftest import PATIENCE_SECONDS, listening
from tests.api.public_pages.page_visits import Visit, visit_in_chromium, visit_in_firefox

pytestmark = pytest.mark.slow

PAGES = {
    "docs-home": "/docs/",
    "docs-code": "/docs/quickstart/",
    "docs-long": "/docs/contract/contract/",
    "docs-pictures": "/docs/operating/",
    "docs-settings": "/docs/settings/",
    "docs-matrix": "/docs/faults/",
    "docs-changelog": "/docs/project/changelog/",
    "docs-found": "/docs/search?q=signing+secret",
}


@pytest.fixture(scope="module")
def base(shared_serve: Any, world: Any, built_site: Path) -> Iterator[str]:
    made = shared_serve(world, docs_site=built_site, with_client=False)
    with listening(made, ApiSettings(shutdown_seconds=PATIENCE_SECONDS)) as address:
        yield address


@pytest.fixture(scope="module")
def visit(base: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visit_in_chromium(base, PAGES, tmp_path_factory.mktemp("pictures")) as made:
        yield made


def test_pages_are_whole_without_scripts_or_other_hosts(visit: Visit) -> None:
    visit.assert_whole()


def test_axe_finds_nothing_light_and_dark_wide_and_narrow(visit: Visit) -> None:
    visit.assert_accessible()


def test_no_page_is_wider_than_its_window_or_a_sheet(visit: Visit) -> None:
    visit.assert_fitting()


def test_pages_are_small_and_soon_there(visit: Visit) -> None:
    visit.assert_small_and_soon_there()


def test_a_section_is_searched_for_and_read_by_keyboard(visit: Visit) -> None:
    tab = visit.browser.tab(scripts=False)
    tab.open(f"{visit.base}/docs/quickstart/")
    tab.reach("searchbox", "Search the documentation")
    tab.write("standard webhooks")
    tab.enter()
    assert tab.address().endswith("/docs/search?q=standard+webhooks")
    tab.open(f"{visit.base}/docs/quickstart/")
    tab.reach("link", "Skip to content")
    tab.reach("summary", "Operator")
    tab.key("Enter")
    tab.reach("link", "First live load")
    tab.enter()
    assert tab.address().endswith("/docs/first-live-load/")


def test_a_sheet_has_the_text_without_what_is_pressed(visit: Visit) -> None:
    tab = visit.browser.tab(scripts=False)
    tab.open(f"{visit.base}/docs/quickstart/")
    printed = tab.print("docs-code-again")["text"]
    assert "Before production" in printed
    assert [one for one in ("Skip to content", "Sign in", "Webhook subscriber", "Next") if one in printed] == []


def test_pages_are_the_same_in_firefox(base: str, tmp_path: Path) -> None:
    with visit_in_firefox(base, {name: PAGES[name] for name in ("docs-home", "docs-code", "docs-found")}, tmp_path):
        pass
