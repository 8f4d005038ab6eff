"""One page of the dashboard in Chromium, quick; all others and what holds of them is `test_browser`."""

from collections.abc import Iterator

import pytest

from tests.api.dashboard.conftest import Desk
from tests.browsing import Browser, browsing


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("page")) as browser:
        yield browser


def test_dashboard_sign_in_page_in_browser_takes_an_address(chromium: Browser, desk: Desk) -> None:
    tab = chromium.tab(scripts=False)
    tab.open(f"{desk.base}/dashboard")
    assert tab.address() == f"{desk.base}/dashboard/sign-in"
    tab.reach("textbox", "E-mail address")
    tab.write("owner@example.com")
    tab.reach("button", "Send me a link")
    assert tab.value("E-mail address") == "owner@example.com"
    assert tab.broken() == []
