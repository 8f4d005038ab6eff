"""Keys and secrets are shown once: reloading makes no other, nobody else sees them, the database cannot tell them."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from api.dashboard.one_time_secrets import LIFETIME
from api.database.engine import Database
from api.database.models.accounts import ShownOnce
from tests.api.dashboard.conftest import Browser, Desk, texts

KEYS, HOOKS = "/dashboard/keys", "/dashboard/webhooks"
KEY = {"kind": "live", "label": "", "domains": "", "expires": ""}
HOOK = {"endpoint_url": "https://hooks.example.com/events", "type status.changed": "on"}
OWNER = "owner@example.com"


@pytest.fixture
def rows(desk: Desk, tmp_path: Any) -> Iterator[Any]:
    database = Database(f"sqlite:///{tmp_path / 'control.sqlite'}")

    def kept() -> list[Any]:
        with database.reading() as session:
            return list(session.execute(select(ShownOnce.session_id, ShownOnce.sealed)))

    yield kept
    database.close()


def place(answer: Any) -> str:
    assert answer.status_code == 303
    return answer.headers["location"]


def secret(answer: Any, name: str) -> str:
    (found,) = (one for one in answer.text.split('"') if one.startswith(name))
    return found


def test_reloading_makes_no_other_key_and_shows_none(desk: Desk, rows: Any) -> None:
    browser = desk.signed_in(OWNER)
    before = len(desk.made.accounts.keys(OWNER))
    there = place(browser.submit(KEYS, KEYS, **KEY | {"label": "once"}))
    first = browser.get(there)
    key = secret(first, "firm_live_")
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-store")
    assert texts(first, "//h1") == ["Your new key: once"]
    for _ in range(2):
        again = browser.get(there)
        assert again.status_code == 410
        assert key not in again.text
    assert len(desk.made.accounts.keys(OWNER)) == before + 1
    assert rows() == []


def test_nobody_else_is_shown_it(desk: Desk, rows: Any) -> None:
    """Another account, another browser of the same account, a stranger: none of them takes it away either."""
    browser, other, second = desk.signed_in(OWNER), desk.signed_in("other@example.com"), desk.signed_in(OWNER)
    there = place(browser.submit(KEYS, KEYS, **KEY))
    assert [one.get(there).status_code for one in (other, second, desk.browser())] == [410, 410, 303]
    for path in (f"{KEYS}/made/x", f"{KEYS}/made/one_{'0' * 26}", f"{KEYS}/made/%27%20or%201=1"):
        assert browser.get(path).status_code == 410
    assert browser.get(there).status_code == 200


def test_the_database_cannot_tell_it(desk: Desk, rows: Any) -> None:
    browser = desk.signed_in(OWNER)
    there = place(browser.submit(KEYS, KEYS, **KEY))
    ((_, sealed),) = rows()
    from api.auth.encryption import SealingError, SecretBox

    secrets = desk.made.secrets
    with pytest.raises(SealingError):
        SecretBox([*secrets.sealing_keys, secrets.pepper]).open(sealed)
    assert secret(browser.get(there), "firm_live_").encode() not in sealed


def test_it_waits_for_a_slow_browser_and_no_longer(desk: Desk, rows: Any) -> None:
    browser = desk.signed_in(OWNER)
    late, slow = place(browser.submit(KEYS, KEYS, **KEY)), place(browser.submit(KEYS, KEYS, **KEY))
    desk.made.hands.seconds += LIFETIME.total_seconds() - 1
    assert browser.get(slow).status_code == 200
    desk.made.hands.seconds += 1
    assert browser.get(late).status_code == 410
    assert len(rows()) == 1
    browser.submit(KEYS, KEYS, **KEY)
    assert len(rows()) == 1, "what nobody came for went"


def test_it_goes_with_its_session(desk: Desk, rows: Any) -> None:
    browser: Browser = desk.signed_in(OWNER)
    place(browser.submit(KEYS, KEYS, **KEY))
    assert place(browser.submit("/dashboard", "/dashboard/sign-out")) == "/dashboard/sign-in"
    assert rows() == []


def test_secrets_of_webhooks_are_shown_once_too(desk: Desk) -> None:
    browser = desk.signed_in(OWNER)
    made = place(browser.submit(HOOKS, HOOKS, **HOOK))
    page = made.partition("/secret/")[0]
    first = secret(browser.get(made), "whsec_")
    replaced = place(browser.submit(page, f"{page}/rotate", hours="0"))
    assert secret(browser.get(replaced), "whsec_") != first
    assert [browser.get(one).status_code for one in (made, replaced)] == [410, 410]
    assert desk.signed_in("other@example.com").get(replaced).status_code == 404
