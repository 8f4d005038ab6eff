"""What holds of every page for everyone, whichever it is: a new one is tried here without being named."""

import re
from typing import Any

import pytest
from lxml import html

from api.public_pages.pages import PUBLIC_ROUTES
from api.public_pages.rendering import public_assets
from tests.api.conftest import Service
from tests.api.public_pages.conftest import BROWSER, open_page

BUDGET = 100_000
FILLED = {
    "/problems/{slug:str}": "/problems/invalid-cursor",
    "/assets/{name:str}": "/assets/public.css",
    "/assets/reference/{name:str}": "/assets/reference/swagger-ui.css",
}
REFERENCE = "/docs/api"
"""The one page that has scripts (`test_reference`)."""
SITE = {"/docs", "/docs/{address:path}"}
"""Pages of the built documentation, which are not these templates' (`test_docs`)."""
PATHS = sorted(FILLED.get(path, path) for page in PUBLIC_ROUTES for path in page.paths - SITE)


def pages(service: Service) -> dict[str, Any]:
    """Every answer that a browser gets, by path."""
    return {path: service.client.get(path, headers={"accept": BROWSER}) for path in PATHS}


def html_pages(service: Service) -> dict[str, html.HtmlElement]:
    found = {path: one for path, one in pages(service).items() if one.headers["content-type"].startswith("text/html")}
    return {path: html.fromstring(one.text) for path, one in found.items()}


def test_none_needs_a_key_sets_a_cookie_or_counts(service: Service) -> None:
    account = service.accounts.account("owner@example.com").account_id
    for path, answer in pages(service).items():
        assert answer.status_code == 200, path
        assert answer.headers["cache-control"].startswith("public, max-age="), path
        with_key = service.get(path, accept=BROWSER, cookie="__Host-firm_session=firm_session_x")
        assert with_key.content == answer.content, path
        for one in (answer, with_key):
            assert not [name for name in one.headers if "ratelimit" in name.lower() or name == "set-cookie"], path
    assert service.accounts.used(account, 202611) == 0
    assert {route.opt["policy"].requires_key for route in PUBLIC_ROUTES} == {False}


def test_none_is_an_operation_of_the_api(service: Service) -> None:
    described = service.client.get("/api/openapi.json").json()["paths"]
    assert [path for page in PUBLIC_ROUTES for path in page.paths if re.sub(":str|:path", "", path) in described] == []


def test_pages_say_what_browsers_may_do(service: Service) -> None:
    for path in html_pages(service):
        headers = service.client.get(path, headers={"accept": BROWSER}).headers
        policy = dict(one.strip().split(" ", 1) for one in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert (policy["frame-ancestors"], policy["base-uri"], policy["form-action"]) == ("'none'", "'none'", "'self'")
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert ("script-src" in policy) == (path == REFERENCE), path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_pages_need_nothing_but_this_service(service: Service) -> None:
    """No script, no inline style, no other host; what a page loads together is small."""
    for path, tree in html_pages(service).items():
        if path == REFERENCE:
            continue
        assert tree.xpath("//script | //style | //@style | //iframe") == [], path
        assert not [name for name in tree.xpath("//@*") if name.attrname.startswith("on")]
        loaded = tree.xpath("//link/@href | //img/@src")
        bodies = [service.client.get(one) for one in loaded]
        assert len(loaded) == 3
        assert all(one.status_code == 200 and "immutable" in one.headers["cache-control"] for one in bodies), path
        page = service.client.get(path, headers={"accept": BROWSER})
        assert len(page.content) + sum(len(one.content) for one in bodies) < BUDGET, path
    assert not re.search(rb"url\(|@import|https?:", public_assets()["public.css"].body)


def test_a_copy_that_is_current_is_not_sent_again(service: Service) -> None:
    for path, answer in pages(service).items():
        if "etag" not in answer.headers:
            assert path.startswith("/assets/")
            continue
        headers = {"accept": BROWSER, "if-none-match": answer.headers["etag"]}
        again = service.client.get(path, headers=headers)
        assert (again.status_code, again.content) == (304, b""), path
        assert again.headers["vary"] == answer.headers["vary"]
        assert service.client.head(path, headers={"accept": BROWSER}).content == b""
        plain = service.client.get(path, headers={"accept": BROWSER, "accept-encoding": "identity"})
        assert plain.content == answer.content


def test_everything_has_a_name_that_can_be_read_out(service: Service) -> None:
    """What readers of screens live by: language, landmarks, one heading of the page, headers of every column."""
    for path, tree in html_pages(service).items():
        assert tree.get("lang") == "en"
        assert [len(tree.xpath(one)) for one in ("//h1", "//main", "//header", "//head/title")] == [1] * 4, path
        assert all(one.text_content().strip() for one in tree.xpath("//button | //summary | //a | //th"))
        assert all(one.get("scope") for one in tree.xpath("//th"))
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids)), path
        assert tree.xpath("//a[@class='skip']/@href") == ["#content"]


def test_links_between_pages_lead_somewhere(service: Service) -> None:
    known = ("/dashboard", "/docs", "/api/openapi.json")
    for path, tree in html_pages(service).items():
        for link in {one.partition("#")[0] for one in tree.xpath("//a/@href") if one.startswith("/")}:
            if not link.startswith(known):
                assert service.client.get(link).status_code == 200, (path, link)
        here = set(tree.xpath("//@id"))
        assert {one[1:] for one in tree.xpath("//a/@href") if one.startswith("#")} <= here


@pytest.mark.parametrize("path", ["/", "/status", "/llms.txt"])
def test_a_key_in_the_address_is_refused(service: Service, path: str) -> None:
    assert service.client.get(f"{path}?key={service.key}").json()["code"] == "api_key_in_url"


def test_below_a_path_every_link_and_file_is_there(serve: Any, norway: Any) -> None:
    _, page = open_page(serve(norway, public_url="https://example.com/firm"), "/")
    addresses = [one for one in page.xpath("//@href") if not one.startswith("#")]
    assert [one for one in addresses if not one.startswith("/firm/")] == []


def test_models_read_where_everything_is(service: Service) -> None:
    text = service.client.get("/llms.txt").text
    assert text.startswith("# Firmdata\n\n> Companies of United States, Sweden")
    links = re.findall(r"\]\(https://api\.example\.com(/[^)]*)\)", text)
    assert len(links) > 10
    for link in links:
        if not link.startswith("/docs"):
            assert service.client.get(link).status_code == 200, link
