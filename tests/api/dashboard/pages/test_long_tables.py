"""A table of a company with more rows than a download of the dashboard has."""

from typing import Any

import pytest

from tests.api.dashboard.conftest import Desk
from tests.api.fixtures.release_data import company, owner

KNOWN, LONG = "firm:SE:5599999991", "firm:SE:5599999983"
MOST = 5_000


@pytest.fixture(scope="module")
def world(new_world: Any) -> Any:
    made = new_world()
    owners = [owner(LONG, f"Holder {number}") for number in range(MOST + 1)]
    owners += [owner(KNOWN, f"Holder {number}") for number in range(MOST)]
    made.publish([company(KNOWN, "Exempel AB"), company(LONG, "Exempel HB")], owners=owners)
    return made.world


@pytest.mark.slow
def test_a_longer_table_is_a_page_that_says_where_it_is(desk: Desk) -> None:
    browser = desk.signed_in()
    whole = browser.get(f"/dashboard/companies/{KNOWN}/owners.csv")
    assert (whole.status_code, whole.text.count("\r\n")) == (200, MOST + 1)
    longer = browser.get(f"/dashboard/companies/{LONG}/owners.csv")
    assert longer.status_code == 413
    assert "It has more than 5,000 rows" in longer.text
