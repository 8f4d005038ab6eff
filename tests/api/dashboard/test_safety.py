"""What others may try: forms of other sites, hostile texts, other accounts' objects, frames, floods."""

import re

import pytest
from lxml import html

from api.dashboard.pages import PAGES
from api.dashboard.templating import static_assets
from tests.api.dashboard.conftest import Browser, Desk, hidden, texts

SESSION = "__Host-firm_session"
KEYS, SESSIONS, HOME, SIGN_IN = "/dashboard/keys", "/dashboard/sessions", "/dashboard", "/dashboard/sign-in"
HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(1)>' {{ 7*7 }} </title></textarea>"
BUDGET = 100_000
KEY = {"kind": "live", "label": "mine", "domains": "", "expires": ""}


@pytest.fixture
def owner(desk: Desk) -> Browser:
    return desk.signed_in()


def key_of(desk: Desk, email: str = "owner@example.com") -> str:
    return desk.made.accounts.create_key(email, "live", label="of a test").key_id


def session_of(browser: Browser) -> str:
    (action,) = html.fromstring(browser.get(SESSIONS).text).xpath("//tr[.//strong]//form/@action")
    return action.split("/")[-2]


def test_forms_of_other_sites_change_nothing(desk: Desk, owner: Browser) -> None:
    """CSRF: whatever a page of another origin can make a signed-in browser send."""
    key_id, before = key_of(desk), len(desk.made.accounts.keys("owner@example.com"))
    own = hidden(owner.get(KEYS), KEYS)
    anonymous = hidden(owner.get(SIGN_IN), SIGN_IN)
    others = hidden(desk.signed_in("other@example.com").get(KEYS), KEYS)
    forms = {
        KEYS: KEY,
        f"{KEYS}/{key_id}/revoke": {},
        f"{SESSIONS}/{session_of(owner)}/end": {},
        f"{SESSIONS}/end-others": {},
        "/dashboard/sign-out": {},
        "/dashboard/companies/firm:SE:5599999991/watch": {"watchlist": ""},
        "/dashboard/explorer/getCompany": {"key": desk.made.key, "path org_number": "5599999991"},
    }
    posts = {path for page in PAGES for path in page.paths if "POST" in page.http_methods}
    elsewhere = ("/dashboard/webhooks", "/dashboard/watchlists", "/dashboard/plan")  # in modules of their own
    posts = {path for path in posts if not path.startswith(elsewhere)}
    assert len(posts) == len(forms) + 2  # signing in is tried in a module of its own
    for path, fields in forms.items():
        for token in ({}, {"form_token": ""}, {"form_token": "0" * 64}, {"form_token": "é"}, anonymous, others):
            assert owner.post(path, fields | token).status_code == 403, path
        assert owner.post(path, fields | own, origin="https://evil.example").status_code == 403
        assert owner.post(path, fields | own, origin="https://api.example.com.evil.example").status_code == 403
        assert owner.post(path, fields | own, origin=None, sec_fetch_site="same-site").status_code == 403
        assert path in (KEYS, "/dashboard/explorer/getCompany") or owner.get(path).status_code == 405
    assert 'route="/api/' not in owner.get("/metrics").text
    assert owner.get(HOME).status_code == 200
    keys = desk.made.accounts.keys("owner@example.com")
    assert (len(keys), {key.revoked_at for key in keys}) == (before, {None})
    assert owner.post(KEYS, KEY | own).status_code == 303


def test_hostile_texts_stay_texts(desk: Desk) -> None:
    """XSS: labels, domains, addresses and names of browsers, wherever they are shown."""
    browser = desk.signed_in(user_agent="<script>alert(1)</script><b onclick=alert(1)>")
    made = browser.follow(browser.submit(KEYS, KEYS, **KEY | {"label": HOSTILE[:100]}))
    assert made.status_code == 200
    refused = browser.submit(KEYS, KEYS, **KEY | {"kind": "public", "label": HOSTILE[:100], "domains": HOSTILE})
    assert refused.status_code == 422
    said = browser.submit(SIGN_IN, SIGN_IN, email=HOSTILE)
    for answer in (made, refused, said, browser.get(KEYS), browser.get(SESSIONS)):
        tree = html.fromstring(answer.text)
        assert tree.xpath("//script | //img | //b | //@onclick | //@onerror") == []
        assert "49" not in "".join(texts(answer, "//h1"))
    assert HOSTILE[:100] in " ".join(texts(browser.get(KEYS), "//td[@data-name='Label']"))
    assert html.fromstring(refused.text).xpath("//textarea")[0].text_content() == HOSTILE
    assert texts(browser.get(SESSIONS), "//tbody//th")[0].startswith("<script>alert(1)</script>")


def test_every_page_says_what_browsers_may_do(desk: Desk, owner: Browser) -> None:
    key = owner.follow(owner.submit(KEYS, KEYS, **KEY))
    answers = [key, owner.get(f"{SIGN_IN}/link?token=x"), owner.get(SIGN_IN), owner.get(f"{SIGN_IN}/sent")]
    answers += [owner.get(path) for path in (HOME, KEYS, SESSIONS)]
    answers += [desk.browser().get(HOME), owner.post(KEYS, {}), owner.get("/dashboard/assets/dashboard.css")]
    for answer in answers:
        policy = dict(one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert "script-src" not in policy
        assert (policy["frame-ancestors"], policy["base-uri"], policy["form-action"]) == ("'none'", "'none'", "'self'")
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert answer.headers["cache-control"] == "no-store"


def test_pages_need_nothing_but_this_service(owner: Browser) -> None:
    """No script, no inline style, no other host; everything a page loads together is small."""
    for path in (HOME, KEYS, SESSIONS, SIGN_IN):
        answer = owner.get(path)
        tree = html.fromstring(answer.text)
        assert tree.xpath("//script | //style | //@style | //iframe") == []
        assert not [name for name in tree.xpath("//@*") if name.attrname.startswith("on")]
        loaded = tree.xpath("//link/@href | //img/@src")
        assert loaded
        bodies = [owner.get(one) for one in loaded]
        assert all(one.startswith("/dashboard/assets/") for one in loaded)
        assert all(one.status_code == 200 and "immutable" in one.headers["cache-control"] for one in bodies)
        assert len(answer.content) + sum(len(one.content) for one in bodies) < BUDGET
    own = [asset for asset in static_assets().values() if not asset.is_named_by_content]
    assert sum(len(asset.body) for asset in own) < BUDGET
    assert not re.search(rb"url\(|@import|https?:", static_assets()["dashboard.css"].body)


def test_another_accounts_objects_are_not_there(desk: Desk, owner: Browser) -> None:
    key_id, mine = key_of(desk), session_of(owner)
    intruder = desk.signed_in("intruder@example.com")
    own = hidden(intruder.get(HOME), "/dashboard/sign-out")
    unknown = intruder.post(f"{KEYS}/key_{'0' * 26}/revoke", own)
    theirs = intruder.post(f"{KEYS}/{key_id}/revoke", own)
    assert (theirs.status_code, theirs.text) == (unknown.status_code, unknown.text)
    assert theirs.status_code == 404
    assert intruder.post(f"{SESSIONS}/{mine}/end", own).status_code == 303
    assert intruder.post(f"{SESSIONS}/end-others", own).status_code == 303
    assert owner.get(HOME).status_code == 200
    assert [key.revoked_at for key in desk.made.accounts.keys("owner@example.com") if key.key_id == key_id] == [None]
    assert "of a test" not in intruder.get(KEYS).text


def test_pages_are_for_who_is_signed_in(desk: Desk) -> None:
    stranger = desk.browser()
    for planted in (None, "", "x", "firm_session_" + "0" * 64):
        if planted is not None:
            stranger.cookies[SESSION] = planted
        for method, path in (("GET", HOME), ("GET", KEYS), ("HEAD", SESSIONS)):
            answer = stranger.ask(method, path)
            assert (answer.status_code, answer.headers["location"], answer.content) == (303, SIGN_IN, b"")
    twice = desk.signed_in()
    token = twice.cookies.pop(SESSION)
    assert twice.get(HOME, cookie=f"{SESSION}={token}").status_code == 200
    assert twice.get(HOME, cookie=f"{SESSION}={token}; {SESSION}={token}").status_code == 303


def test_sessions_open_no_interface_and_keys_no_page(desk: Desk, owner: Browser) -> None:
    assert owner.get("/api/v1/usage").status_code == 401
    assert desk.browser().get(HOME, authorization=f"Bearer {desk.made.key}").status_code == 303


def test_pages_count_against_no_quota(desk: Desk, owner: Browser) -> None:
    for _ in range(3):
        assert "ratelimit" not in owner.get(HOME).headers
    account = desk.made.accounts.account("owner@example.com")
    assert desk.made.accounts.used(account.account_id, 202611) == 0


def test_what_is_no_form_is_refused_on_a_page(owner: Browser) -> None:
    form = "application/x-www-form-urlencoded"
    for content, media_type, status in (
        (b"a=" + b"b" * 20_000, form, 413),
        (b"{}", "application/json", 415),
        (b"form_token=x&form_token=y", form, 400),
        (b"label=%ff", form, 400),
        (b"label=\xff", form, 400),
        (b"&".join(b"f%d=" % number for number in range(51)), form, 400),
        (b"", form, 403),
    ):
        answer = owner.ask("POST", KEYS, content, content_type=media_type)
        assert answer.status_code == status, content[:40]
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert texts(answer, "//h1")


def test_who_changes_things_too_fast_waits(desk: Desk, owner: Browser) -> None:
    own = hidden(owner.get(HOME), "/dashboard/sign-out")
    answers = [owner.post(f"{SESSIONS}/end-others", own).status_code for _ in range(31)]
    assert answers == 30 * [303] + [429]
    assert owner.get(HOME).status_code == 200
    desk.made.hands.seconds += 60
    assert owner.post(f"{SESSIONS}/end-others", own).status_code == 303


def test_other_methods_are_told_what_there_is(owner: Browser) -> None:
    answer = owner.ask("DELETE", KEYS)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS, POST")


def test_over_plain_http_cookies_are_as_safe_as_they_can_be(open_desk) -> None:
    """On one's own machine, where `__Host-` and Secure would keep them from being stored."""
    from api.dashboard.routing import DashboardCookies

    written = DashboardCookies(is_secure=False).write("session", "firm_session_x")[1].decode()
    assert written == "firm_session=firm_session_x; Path=/; HttpOnly; SameSite=Lax"


def test_everything_has_a_name_that_can_be_read_out(owner: Browser) -> None:
    """What readers of screens live by: language, landmarks, one heading of the page, a label for every field."""
    owner.submit(KEYS, KEYS, **KEY)
    for path in (HOME, KEYS, SESSIONS, SIGN_IN, f"{SIGN_IN}/sent"):
        tree = html.fromstring(owner.get(path).text)
        assert tree.get("lang") == "en"
        assert [len(tree.xpath(one)) for one in ("//h1", "//main", "//header", "//head/title")] == [1] * 4, path
        named = set(tree.xpath("//label/@for"))
        for field in tree.xpath("//input[@type!='hidden'] | //input[not(@type)] | //textarea | //select | //meter"):
            assert field.get("id") in named or field.xpath("ancestor::label"), html.tostring(field)
        assert all(one.text_content().strip() for one in tree.xpath("//button | //summary | //a | //th"))
        assert all(one.get("scope") for one in tree.xpath("//th"))
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids))
        assert tree.xpath("//a[@class='skip']/@href") == ["#content"]
