"""One page of the components in Chromium, quick: each is drawn and says what is wrong. The rest is `test_ui_browser`."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.browsing import Run, Tab, browsing
from tests.ui.tour import UNKNOWN_COMPANY, UNKNOWN_KEY, gallery_at

KINDS = ("card", "stats", "chart", "financials", "ownership", "group", "filings", "calendar", "news", "changes")


@pytest.fixture(scope="module")
def tab(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """The gallery of components, with a service that is not there."""
    folder = tmp_path_factory.mktemp("page")
    with gallery_at(run, folder / "gallery") as gallery, browsing(folder) as browser:
        given = {"base": "http://127.0.0.1:1", "key": UNKNOWN_KEY, "company": UNKNOWN_COMPANY}
        tab = browser.tab()
        tab.open(f"{gallery}/?{urlencode(given)}")
        yield tab


def test_components_without_service_say_it_cannot_be_reached(tab: Tab) -> None:
    for kind in KINDS:
        assert "The service cannot be reached." in tab.text(f'section.firmdata-{kind}[data-state="failed"]')
