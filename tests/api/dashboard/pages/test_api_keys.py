"""Keys made and revoked on their page work, and cease to work, at the interface."""

import re

import pytest

from tests.api.dashboard.conftest import Browser, Desk, hidden, texts

KEYS, COMPANY = "/dashboard/keys", "/api/v1/companies/5599999991"
EMPTY = {"kind": "live", "label": "", "domains": "", "expires": ""}
DAY = 86_400


@pytest.fixture
def desk(open_desk) -> Desk:
    return open_desk(key_cache_seconds=0.0)


def made(browser: Browser, **fields: str) -> str:
    answer = browser.follow(browser.submit(KEYS, KEYS, **EMPTY | fields))
    assert answer.status_code == 200
    (key,) = re.findall(r'id="key"[^>]* value="(firm_[a-z]+_[0-9A-Za-z]{42})"', answer.text)
    return key


def asked(desk: Desk, key: str, **headers: str) -> int:
    return desk.browser().get(COMPANY, authorization=f"Bearer {key}", **headers).status_code


def revoking(browser: Browser, key: str) -> str:
    page = browser.get(KEYS)
    (action,) = [
        row.xpath(".//form/@action")[0]
        for row in _rows(page)
        if row.xpath(".//form") and key[-4:] in row.text_content()
    ]
    return action


def test_a_secret_key_is_shown_once_and_works_until_it_is_revoked(desk: Desk) -> None:
    browser = desk.signed_in()
    key = made(browser, label="My server")
    assert key.startswith("firm_live_")
    assert asked(desk, key) == 200
    page = browser.get(KEYS)
    assert key not in page.text
    assert any(f"{key[:14]}…{key[-4:]}" in one and "My server" in one for one in texts(page, "//tbody/tr"))
    action = revoking(browser, key)
    assert browser.submit(KEYS, action).headers["location"] == KEYS
    assert asked(desk, key) == 401
    assert any(key[-4:] in one and one.endswith("revoked") for one in texts(browser.get(KEYS), "//tbody/tr"))
    assert browser.post(action, hidden(browser.get(KEYS), KEYS)).status_code == 303  # once more changes nothing


def test_a_publishable_key_works_on_its_domains(desk: Desk) -> None:
    browser = desk.signed_in()
    key = made(browser, kind="public", domains="Shop.Example\r\n*.shop.example\r\n\r\nshop.example")
    assert key.startswith("firm_public_")
    (record,) = [one for one in desk.made.accounts.keys("owner@example.com") if one.kind == "public"]
    assert record.domains == ("shop.example", "*.shop.example")
    assert asked(desk, key, origin="https://www.shop.example") == 200
    assert asked(desk, key, origin="https://evil.example") == 403
    assert "shop.example, *.shop.example" in texts(browser.get(KEYS), "//td[@data-name='Domains']")


def test_a_key_works_to_the_end_of_its_last_day(desk: Desk) -> None:
    """The clock stands at 2026-11-21T09:00Z."""
    browser = desk.signed_in()
    today, later = made(browser, expires="2026-11-21"), made(browser, expires="2026-11-22")
    desk.made.hands.seconds += 15 * 3_600 - 1
    assert (asked(desk, today), asked(desk, later)) == (200, 200)
    desk.made.hands.seconds += 1
    assert (asked(desk, today), asked(desk, later)) == (401, 200)
    assert any(today[-4:] in one and one.endswith("expired") for one in texts(browser.get(KEYS), "//tbody/tr"))


def test_what_makes_no_key_is_said_and_what_was_written_stays(desk: Desk) -> None:
    browser = desk.signed_in()
    before, many = len(desk.made.accounts.keys("owner@example.com")), [f"a{n}.example" for n in range(21)]
    for fields, said in (
        ({"kind": "secret"}, "choose a secret or a publishable key"),
        ({"kind": ""}, "choose a secret or a publishable key"),
        ({"kind": "public"}, "needs at least one domain"),
        ({"kind": "public", "domains": "*"}, "is not a valid domain"),
        ({"kind": "public", "domains": "https://shop.example"}, "is not a valid domain"),
        ({"kind": "public", "domains": "\n".join(many)}, "at most 20 domains"),
        ({"kind": "public", "domains": "shop.example:" + "9" * 5_000}, "its port must be a number from 1 to 65535"),
        ({"label": "a\x00b"}, "a label"),
        ({"domains": "shop.example"}, "domains can be set for publishable keys only"),
        ({"label": "x" * 101}, "a label can have at most 100 characters"),
        ({"expires": "2026-11-20"}, "is in the past"),
        ({"expires": "tomorrow"}, "enter the last day as YYYY-MM-DD"),
        ({"expires": "9999-12-31"}, "at most 10 years"),
    ):
        answer = browser.submit(KEYS, KEYS, **EMPTY | {"label": "kept"} | fields)
        assert answer.status_code == 422
        (alert,) = texts(answer, "//*[@role='alert']")
        assert said in alert
        assert f'value="{fields.get("label", "kept")}"' in answer.text
    assert len(desk.made.accounts.keys("owner@example.com")) == before


def test_an_account_has_so_many_keys_that_work(desk: Desk) -> None:
    browser = desk.signed_in()
    while len(desk.made.accounts.keys("owner@example.com")) < 50:
        last = desk.made.accounts.create_key("owner@example.com", "live")
    assert browser.submit(KEYS, KEYS, **EMPTY).status_code == 422
    desk.made.accounts.revoke_key(last.key_id)
    assert browser.submit(KEYS, KEYS, **EMPTY).status_code == 303


def _rows(answer):
    from lxml import html

    return html.fromstring(answer.text).xpath("//tbody/tr")
