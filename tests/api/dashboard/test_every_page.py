"""What holds of every page and every form, whichever they are: a new one is tried here without being named."""

import re

from api.dashboard.pages import PAGES
from api.dashboard.routing import SAFETY
from api.dashboard.routing import SCRIPTED as SCRIPTED_SAFETY
from tests.api.dashboard.conftest import Browser, Desk, hidden

HOME, SIGN_IN = "/dashboard", "/dashboard/sign-in"
FOR_ANYONE = {"/companies/x", SIGN_IN, f"{SIGN_IN}/sent", f"{SIGN_IN}/link", "/dashboard/assets/x"}
"""Pages that ask nobody who he is: what is new here is to be a decision."""
SCRIPTED = {"/companies/x", "/dashboard/companies", "/dashboard/companies/x", "/dashboard/companies/x/watch"}
"""Pages that run the service's own scripts: what is new here is to be a decision too."""
READ_BY_SCRIPTS = {"/dashboard/api/v1/companies/x", "/dashboard/api/v1/companies/x/x"}


def paths(method: str) -> list[str]:
    """Every path that answers a method, its places filled with what is nowhere."""
    found = {path for page in PAGES for path in page.paths if method in page.http_methods}
    return sorted(re.sub(r"\{\w+:str\}", "x", path) for path in found)


def token_of(browser: Browser) -> dict[str, str]:
    return hidden(browser.get(HOME), "/dashboard/sign-out")


def test_forms_of_other_sites_are_refused_by_every_page(desk: Desk) -> None:
    """CSRF: without this browser's own token, with somebody else's, or from a page of another origin."""
    owner, other = desk.signed_in(), desk.signed_in("other@example.com")
    own, others = token_of(owner), token_of(other)
    for path in paths("POST"):
        for fields in ({}, others, {"form_token": "0" * 64}):
            assert owner.post(path, fields).status_code == 403, path
        assert owner.post(path, own, origin="https://evil.example").status_code == 403, path
        assert owner.post(path, own, origin=None, sec_fetch_site="cross-site").status_code == 403, path
    assert owner.get(HOME).status_code == 200


def test_every_page_is_in_nobodys_frame_and_runs_nothing(desk: Desk) -> None:
    """Whatever is answered, and to whomever: pages, refusals and what leads elsewhere."""
    owner, stranger = desk.signed_in(), desk.browser()
    answers = [browser.get(path) for path in paths("GET") for browser in (owner, stranger)]
    answers += [owner.post(path, {}) for path in paths("POST")]
    for answer in answers:
        said = {name.encode().lower(): value.encode() for name, value in answer.headers.items()}
        said[b"vary"] = said[b"vary"].rpartition(b", ")[2]  # what is data says of which headers else it depends
        is_scripted = answer.url.path in SCRIPTED and answer.status_code != 303
        expected = dict(SCRIPTED_SAFETY if is_scripted else SAFETY)
        assert {name: said.get(name) for name in expected} == expected, answer.url
        assert said[b"x-content-type-options"] == b"nosniff"
        assert b"access-control-allow-origin" not in said
        assert answer.status_code < 500, answer.url


def test_pages_lead_who_is_not_signed_in_to_the_door(desk: Desk) -> None:
    stranger = desk.browser()
    for path in READ_BY_SCRIPTS:
        assert stranger.get(path).json()["code"] == "missing_api_key", path
    for path in set(paths("GET")) - FOR_ANYONE - READ_BY_SCRIPTS:
        answer = stranger.get(path)
        assert (answer.status_code, answer.headers.get("location")) == (303, SIGN_IN), path
