"""Signing up, in and out by links that a real mail server gets."""

import logging
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from api.dashboard import sessions
from tests.api.dashboard.conftest import ORIGIN, hidden, link_in, texts

SIGN_IN, LINK, HOME = "/dashboard/sign-in", "/dashboard/sign-in/link", "/dashboard"
SESSION, VISITOR = "__Host-firm_session", "__Host-firm_visitor"
MINUTE, DAY = 60, 86_400


def test_whoever_opens_the_mailed_link_has_an_account(desk):
    browser = desk.browser()
    assert browser.get(HOME).headers["location"] == SIGN_IN
    path = desk.link("  New@Example.com ", browser)
    (post,) = desk.office.posts
    assert post.recipients == ["new@example.com"]
    assert post.message["Subject"] == "Your link to sign in to Firmdata"
    assert [one.email for one in desk.made.accounts.all_accounts()] == ["owner@example.com"]
    shown = browser.get(path)
    assert texts(shown, "//h1") == ["Sign in as new@example.com?"]
    entered = browser.post(LINK, hidden(shown, LINK))
    assert (entered.status_code, entered.headers["location"]) == (303, HOME)
    made = desk.made.accounts.account("new@example.com")
    assert (made.tier, made.status, made.trial_ends_at) == ("basic", "active", None)
    assert "new@example.com" in browser.get(HOME).text
    assert desk.signed_in("new@example.com").get(HOME).status_code == 200
    assert len(desk.made.accounts.all_accounts()) == 2


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(desk):
    browser = desk.signed_in()
    assert list(browser.cookies) == [SESSION]
    for written in browser.set_by:
        assert re.search(r"; Path=/; HttpOnly; SameSite=Lax; Secure", written)
        assert "domain" not in written.lower()
    assert any(f"{SESSION}=firm_session_" in one and one.endswith("; Max-Age=1209600") for one in browser.set_by)


def test_nobody_learns_whether_an_address_has_an_account(desk):
    answers = []
    for email in ("owner@example.com", "nobody@example.com"):
        browser = desk.browser()
        answer = browser.submit(SIGN_IN, SIGN_IN, email=email)
        following = browser.get(answer.headers["location"])
        kept = {name: value for name, value in answer.headers.items() if name not in ("date", "x-request-id")}
        answers.append((answer.status_code, kept, answer.content, following.content))
    assert answers[0] == answers[1]
    texts_sent = {re.sub("firm_link_[0-9a-f]+", "", post.text) for post in desk.mails(2)}
    assert len(texts_sent) == 1


def test_a_link_works_once_and_opening_it_is_not_using_it(desk):
    browser = desk.browser()
    path = desk.link("owner@example.com", browser)
    shown = [desk.browser().get(path) for _ in range(3)]  # as programs that look through mail do
    assert {one.status_code for one in shown} == {200}
    form = hidden(browser.get(path), LINK)
    assert browser.post(LINK, form).status_code == 303
    again = desk.browser()
    fresh = hidden(again.get(SIGN_IN), SIGN_IN)
    assert again.post(LINK, fresh | {"token": form["token"]}).status_code == 410
    assert again.get(path).status_code == 410
    assert SESSION not in again.cookies


def test_of_two_who_use_a_link_at_once_one_comes_in(desk):
    asking = desk.browser()
    path = desk.link("owner@example.com", asking)
    both = [desk.browser() for _ in range(4)]
    forms = [hidden(one.get(path), LINK) for one in both]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda one: one[0].post(LINK, one[1]), zip(both, forms, strict=True)))
    assert sorted(answer.status_code for answer in answers) == [303, 410, 410, 410]


def test_a_link_is_over_after_its_time(desk):
    browser = desk.browser()
    path = desk.link("owner@example.com", browser)
    desk.made.hands.seconds += 15 * MINUTE - 1
    form = hidden(browser.get(path), LINK)
    desk.made.hands.seconds += 1
    assert browser.post(LINK, form).status_code == 410
    assert texts(browser.get(path), "//h1") == ["This link is no longer valid"]


def test_what_was_never_mailed_opens_nothing(desk):
    browser = desk.browser()
    form = hidden(browser.get(SIGN_IN), SIGN_IN)
    for token in ("", "x", "firm_link_", "firm_link_" + "0" * 64, "%00", "firm_session_" + "a" * 64):
        assert browser.get(f"{LINK}?token={token}").status_code == 410
        assert browser.post(LINK, form | {"token": token}).status_code == 410


def test_a_planted_session_is_worth_nothing(desk):
    """Session fixation: what a browser showed before it signed in is not what it shows afterwards."""
    browser, planted = desk.browser(), "firm_session_" + "a" * 64
    browser.cookies[SESSION] = planted
    path = desk.link("owner@example.com", browser)
    assert browser.submit(path, LINK).status_code == 303
    assert browser.cookies[SESSION] != planted
    other = desk.browser()
    other.cookies[SESSION] = planted
    assert other.get(HOME).headers["location"] == SIGN_IN


def test_signing_in_again_ends_the_session_before(desk):
    browser = desk.signed_in()
    former = browser.cookies[SESSION]
    assert browser.submit(desk.link("owner@example.com", browser), LINK).status_code == 303
    assert browser.get(HOME).status_code == 200
    browser.cookies[SESSION] = former
    assert browser.get(HOME).status_code == 303


def test_nothing_leads_away(desk):
    """Open redirect: where a browser is sent never comes from the request."""
    away = "https://evil.example/"
    browser = desk.browser()
    browser.get(f"{SIGN_IN}?next={away}&return_to=//evil.example")
    form = hidden(browser.get(SIGN_IN, referer=away), SIGN_IN)
    asked = browser.post(f"{SIGN_IN}?next={away}", form | {"email": "a@example.com", "next": away})
    assert asked.headers["location"] == "/dashboard/sign-in/sent"
    path = link_in(desk.mails(1)[0])
    entered = browser.post(LINK, hidden(browser.get(f"{path}&next={away}"), LINK) | {"next": away})
    assert entered.headers["location"] == HOME
    stranger = desk.browser(host="evil.example")
    assert stranger.get("/dashboard/keys").headers["location"] == SIGN_IN
    form = hidden(stranger.get(SIGN_IN), SIGN_IN)
    assert stranger.post(SIGN_IN, form | {"email": "b@example.com"}).status_code == 303
    assert link_in(desk.mails(2)[1]).startswith(LINK)  # `link_in` wants the address that was set


def test_a_mailbox_gets_a_few_links_at_a_time(desk):
    browser = desk.browser()
    for _ in range(5):
        assert browser.submit(SIGN_IN, SIGN_IN, email="owner@example.com").status_code == 303
    desk.link("other@example.com", browser)
    assert sorted(post.recipients[0] for post in desk.mails(4)) == ["other@example.com"] + 3 * ["owner@example.com"]
    desk.made.hands.seconds += 15 * MINUTE
    desk.link("owner@example.com", browser)


def test_an_address_that_asks_too_often_waits(open_desk):
    desk = open_desk(trusted_proxies=("127.0.0.1",))
    browser = desk.browser()
    form = hidden(browser.get(SIGN_IN), SIGN_IN)

    def ask(client):
        return browser.post(SIGN_IN, form | {"email": "not an address"}, x_forwarded_for=client)

    assert [ask("192.0.2.1").status_code for _ in range(11)] == 10 * [422] + [429]
    refused = ask("192.0.2.1")
    assert refused.headers["retry-after"] == "60"
    assert refused.headers["content-type"].startswith("text/html")
    assert ask("192.0.2.2").status_code == 422
    assert [ask(f"2001:db8::{number}").status_code for number in range(11)][-1] == 429  # one subscriber's /64
    desk.made.hands.seconds += MINUTE
    assert ask("192.0.2.1").status_code == 422


def test_tokens_are_neither_stored_nor_logged(desk, tmp_path: Path):
    browser = desk.browser()
    path = desk.link("owner@example.com", browser)
    waiting = [digest for (digest,) in _rows(tmp_path, "SELECT digest FROM sign_in_links")]
    assert [len(one) for one in waiting] == [32]
    assert browser.submit(path, LINK).status_code == 303
    assert _rows(tmp_path, "SELECT * FROM sign_in_links") == []
    tokens = [path.partition("token=")[2], browser.cookies[SESSION]]
    desk.browser().get(f"/dashboard/{tokens[1]}")
    desk.made.hands.seconds += 1
    stored = b"".join(one.read_bytes() for one in tmp_path.glob("control.sqlite*"))
    assert all(token.encode() not in stored for token in tokens)
    assert all(token.rpartition("_")[2].encode() not in stored for token in tokens)
    _flushed(desk)
    logged = b"".join(desk.made.lines)
    assert b"firm_link_[redacted]" in logged
    assert all(token.rpartition("_")[2].encode() not in logged for token in tokens)


def test_what_is_no_address_is_said_and_not_obeyed(desk):
    browser = desk.browser()
    for email in ("", "x", "a b@example.com", "a@b", "<b>@example.com\r\nBcc: x@y.zz", "a@" + "b" * 400):
        answer = browser.submit(SIGN_IN, SIGN_IN, email=email)
        assert answer.status_code == 422
        assert texts(answer, "//*[@role='alert']") == ["Enter an e-mail address, for example name@example.com."]
    assert desk.office.posts == []


def test_signing_out_ends_the_session_itself(desk):
    browser = desk.signed_in()
    token = browser.cookies[SESSION]
    assert browser.submit(HOME, "/dashboard/sign-out").headers["location"] == SIGN_IN
    assert SESSION not in browser.cookies
    browser.cookies[SESSION] = token
    assert browser.get(HOME).headers["location"] == SIGN_IN


def test_a_session_ends_when_nobody_uses_it_and_at_last_anyway(desk):
    idle, busy = desk.signed_in(), desk.signed_in()
    for _ in range(6):
        desk.made.hands.seconds += 2 * DAY
        assert busy.get(HOME).status_code == 200
    assert idle.get(HOME).status_code == 303
    desk.made.hands.seconds += 2 * DAY - 1
    assert busy.get(HOME).status_code == 200
    desk.made.hands.seconds += 1
    assert busy.get(HOME).status_code == 303


def test_sessions_are_listed_and_ended_from_another(desk):
    first, second, third = (desk.signed_in(user_agent=f"Browser {name}") for name in "ABC")
    listed = third.get("/dashboard/sessions")
    shown = texts(listed, "//tbody/tr/th")
    assert sorted(shown) == ["Browser A", "Browser B", "Browser C (this one)"]
    (action,) = [
        row.xpath(".//form/@action")[0]
        for row in _tree(listed).xpath("//tbody/tr")
        if "Browser A" in row.text_content()
    ]
    assert third.submit("/dashboard/sessions", action).headers["location"] == "/dashboard/sessions"
    assert first.get(HOME).status_code == 303
    assert second.get(HOME).status_code == 200
    assert third.submit("/dashboard/sessions", "/dashboard/sessions/end-others").status_code == 303
    assert second.get(HOME).status_code == 303
    assert third.get(HOME).status_code == 200


def test_sessions_of_an_account_are_bounded(desk, monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 2)
    browsers = []
    for _ in range(3):
        desk.made.hands.seconds += 1
        browsers.append(desk.signed_in())
    assert [one.get(HOME).status_code for one in browsers] == [303, 200, 200]


def test_without_a_mail_server_the_operator_makes_the_link(open_desk, caplog):
    from api.settings.mail import MailSettings

    desk = open_desk(mail=MailSettings())
    browser = desk.browser()
    with caplog.at_level(logging.WARNING, "firm.mail"):
        sent = browser.follow(browser.submit(SIGN_IN, SIGN_IN, email="owner@example.com"))
    assert "no mail server yet" in texts(browser.get(SIGN_IN), "//*[@role='status']")[0]
    assert texts(sent, "//h1") == ["No e-mail was sent"]
    assert "firm accounts link" in texts(sent, "//main")[0]
    assert "firm accounts link" in caplog.text
    assert "firm_link_" not in caplog.text
    token = desk.made.accounts.sign_in_token("owner@example.com", timedelta(hours=1))
    desk.made.hands.seconds += 59 * MINUTE
    assert browser.submit(f"{LINK}?token={token}", LINK).status_code == 303


def test_a_form_of_another_page_is_refused_before_anything_is_sent(desk):
    browser = desk.browser()
    form = hidden(browser.get(SIGN_IN), SIGN_IN) | {"email": "owner@example.com"}
    assert browser.post(SIGN_IN, form, origin="https://evil.example").status_code == 403
    assert browser.post(SIGN_IN, form, origin="null").status_code == 403
    assert browser.post(SIGN_IN, form, origin=None, sec_fetch_site="cross-site").status_code == 403
    assert desk.browser().post(SIGN_IN, form).status_code == 403  # another browser's token
    assert browser.post(SIGN_IN, {"email": "owner@example.com"}).status_code == 403
    assert desk.office.posts == []
    assert browser.post(SIGN_IN, form, origin=ORIGIN, sec_fetch_site="same-origin").status_code == 303


def _rows(folder: Path, statement: str):
    with sqlite3.connect(folder / "control.sqlite") as connection:
        found = connection.execute(statement).fetchall()
    connection.close()
    return found


def _tree(answer):
    from lxml import html

    return html.fromstring(answer.text)


def _flushed(desk) -> None:
    """Lines are written a moment after their requests."""
    import time

    time.sleep(0.3)
