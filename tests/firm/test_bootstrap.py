"""How one reading of the environment becomes an installation."""

import pytest

from api.settings.service import ApiSettings
from firm.bootstrap import Installation


@pytest.mark.parametrize(
    ("host", "address"),
    [("::1", "http://[::1]:8815"), ("192.0.2.7", "http://192.0.2.7:8815"), (None, "http://127.0.0.1:8815")],
)
def test_links_name_the_address_that_is_listened_on(host: str | None, address: str) -> None:
    assert Installation({}, ApiSettings()).reached(host, 8815).settings.public_url == address


def test_links_name_the_public_address_where_one_is_set() -> None:
    given = {"FIRM_PUBLIC_URL": "https://api.example.com/"}
    found = Installation(given, ApiSettings.read(given)).reached("::1", 8815)
    assert found.settings.public_url == "https://api.example.com"
