"""The API explorer: every operation has a form, what is asked is answered as outside, and the key stays nowhere."""

import json
import re
import shlex
import time
from collections.abc import Callable
from typing import Any

import pytest
from lxml import html

from api.dashboard.explorer_forms import ExplorerRequest, build_explorer_request, group_by_tag, operation_forms
from tests.api.dashboard.conftest import PATIENCE_SECONDS, Browser, Desk, texts

EXPLORER = "/dashboard/explorer"
NUMBER = "path org_number"
HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(1)>' {{ 7*7 }} </pre></textarea>"
HOOK = {"endpoint_url": "https://hooks.example.com/events", "event_types": ["status.changed"]}
OWNER = "owner@example.com"


@pytest.fixture
def browser(desk: Desk) -> Browser:
    return desk.signed_in(OWNER)


def ask(browser: Browser, operation: str, **fields: str) -> Any:
    page = f"{EXPLORER}/{operation}"
    return browser.submit(page, page, **{name.replace("__", " "): value for name, value in fields.items()})


def facts(answer: Any) -> dict[str, str]:
    found = html.fromstring(answer.text).xpath("//dl/div")
    return {one.xpath("./dt")[0].text: one.xpath("./dd")[0].text_content() for one in found}


def shown(answer: Any, heading: str) -> str:
    (found,) = html.fromstring(answer.text).xpath(f"//*[starts-with(., '{heading}')]/following-sibling::pre[1]")
    return found.text_content()


def refused(answer: Any) -> list[str]:
    assert answer.status_code == 422
    return texts(answer, "//*[@role='alert']//li")


def routes(browser: Browser) -> dict[str, int]:
    """Which operations have answered how often, as the service counts."""
    told = browser.get("/metrics").text
    found = re.findall(r'firm_http_requests_total\{[^}]*route="(/api/[^"]*)"[^}]*\} ([0-9.]+)', told)
    return {route: int(float(count)) for route, count in found}


def test_every_operation_has_its_form(desk: Desk, browser: Browser) -> None:
    document = json.loads(browser.get("/api/openapi.json").content)
    del document["paths"]["/api/v1/events/stream"]  # a page could not show it
    listed = html.fromstring(browser.get(EXPLORER).text).xpath("//ul[@class='operations']//a/@href")
    expected = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert sorted(listed) == sorted(f"{EXPLORER}/{one}" for one in expected)
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            tree = html.fromstring(browser.get(f"{EXPLORER}/{one['operationId']}").text)
            assert tree.xpath("//main/p/code/text()")[0] == f"{method.upper()} {path}"
            names = set(tree.xpath("//main//form//*[@name and not(@type='hidden')]/@name"))
            parameters = [document["components"]["parameters"][p["$ref"].split("/")[-1]] if "$ref" in p else p
                          for p in one.get("parameters", [])]  # fmt: skip
            needed = {f"{p['in']} {p['name']}" for p in parameters} | {"key"}
            needed |= {"body"} if "requestBody" in one else set()
            assert names == needed | ({"confirm"} if method != "get" else set())
            assert "`" not in "".join(tree.xpath("//main//label//text() | //main/p//text()"))
            labelled = set(tree.xpath("//label/@for"))
            for field in tree.xpath("//main//input[not(@type='hidden')] | //main//select | //main//textarea"):
                assert field.get("id") in labelled or field.xpath("ancestor::label")
    assert browser.get(f"{EXPLORER}/nothing").status_code == 404


def test_an_answer_is_the_interfaces_own(desk: Desk, browser: Browser) -> None:
    answer = ask(browser, "getCompany", key=desk.made.key, **{NUMBER: "559999-9991", "query include": "sources"})
    assert answer.status_code == 200
    assert facts(answer)["Status"] == "200"
    direct = browser.get("/api/v1/companies/559999-9991?include=sources", authorization=f"Bearer {desk.made.key}")
    assert json.loads(shown(answer, "Body")) == direct.json()
    limits = dict(line.split(": ") for line in shown(answer, "Rate limits").splitlines())
    assert int(limits["x-ratelimit-remaining"]) == int(direct.headers["x-ratelimit-remaining"]) + 1
    assert "content-location: /api/v1/companies/5599999991" in shown(answer, "All headers")
    assert shlex.split(shown(answer, "curl command")) == [
        "curl",
        "https://api.example.com/api/v1/companies/559999-9991?include=sources",
        "-H",
        "Authorization: Bearer $FIRMDATA_API_KEY",
    ]
    assert routes(browser) == {"/api/v1/companies/{org_number}": 2}


def test_a_key_is_used_once_and_shown_nowhere(desk: Desk, browser: Browser) -> None:
    key = desk.made.key
    for fields in ({NUMBER: "5599999991"}, {NUMBER: ""}):
        answer = ask(browser, "getCompany", key=key, **fields)
        assert key[10:] not in answer.text
        assert html.fromstring(answer.text).xpath("//input[@id='key']/@value") == []
    until = time.monotonic() + PATIENCE_SECONDS
    while b'"path":"/api/v1/companies/5599999991"' not in b"".join(desk.made.lines):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert key[10:].encode() not in b"".join(desk.made.lines)
    assert "firm_" not in "".join(value for name, value in browser.cookies.items() if "session" not in name)


def test_nothing_is_sent_with_a_key_that_is_not_the_accounts(desk: Desk, browser: Browser) -> None:
    desk.made.accounts.create_account("other@example.com", "pro")
    theirs = desk.made.accounts.create_key("other@example.com", "live").key
    for key, said in ((theirs, "another account"), ("", "Enter a key"), (desk.made.key[:-1] + "!", "not a key")):
        (fault,) = refused(ask(browser, "getCompany", key=key, **{NUMBER: "5599999991"}))
        assert said in fault
    assert routes(browser) == {}
    assert facts(ask(browser, "getOpenApi"))["Status"] == "200"


def test_the_interface_says_what_is_wrong_with_a_key(desk: Desk, browser: Browser) -> None:
    revoked = desk.made.accounts.create_key(OWNER, "live")
    desk.made.accounts.revoke_key(revoked.key_id)
    public = desk.made.accounts.create_key(OWNER, "public", ["shop.example"]).key
    for key, status, code in ((revoked.key, "401", "revoked_api_key"), (public, "403", "origin_required")):
        answer = ask(browser, "getCompany", key=key, **{NUMBER: "5599999991"})
        assert facts(answer)["Status"] == status
        assert json.loads(shown(answer, "Body"))["code"] == code


def test_what_changes_something_is_sent_when_it_is_meant(desk: Desk, browser: Browser) -> None:
    body = json.dumps(HOOK)
    (fault,) = refused(ask(browser, "createWebhook", key=desk.made.key, body=body))
    assert "tick the box below to confirm" in fault
    assert routes(browser) == {}
    made = ask(browser, "createWebhook", key=desk.made.key, body=body, confirm="on")
    assert facts(made)["Status"] == "201"
    subscription = json.loads(shown(made, "Body"))
    assert subscription["endpoint_url"] == HOOK["endpoint_url"]
    assert HOOK["endpoint_url"] in browser.get("/dashboard/webhooks").text
    curl = shlex.split(shown(made, "curl command"))
    assert curl[:3] == ["curl", "-X", "POST"]
    assert curl[curl.index("--data-binary") + 1] == body
    gone = ask(browser, "deleteWebhook", key=desk.made.key, path__id=subscription["id"], confirm="on")
    assert facts(gone)["Status"] == "204"
    wrong = ask(browser, "createWebhook", key=desk.made.key, body="{", confirm="on")
    assert (facts(wrong)["Status"], json.loads(shown(wrong, "Body"))["code"]) == ("400", "malformed_json")


def test_hostile_words_are_shown_as_words(open_desk: Callable[..., Desk], make: Callable[[], Any]) -> None:
    """Of a company, of a form, and of what the interface repeats of it."""
    maker = make()
    maker.publish([maker.company("firm:NO:999999999", HOSTILE)])
    desk = open_desk(maker.world)
    browser = desk.signed_in(OWNER)
    found = ask(browser, "getCompany", key=desk.made.key, **{NUMBER: "999999999"})
    assert json.loads(shown(found, "Body"))["name"] == HOSTILE
    asked = ask(browser, "searchCompanies", key=desk.made.key, **{"query region": HOSTILE})
    wrong = ask(browser, "createWebhook", key=desk.made.key, body=HOSTILE, confirm="on")
    nothing = ask(browser, "createWebhook", key="", body=HOSTILE, path__id=HOSTILE)
    for answer in (found, asked, wrong, nothing):
        tree = html.fromstring(answer.text)
        assert tree.xpath("//script | //img | //@onerror | //style | //@style") == []
        assert "script-src" not in answer.headers["content-security-policy"]
    assert html.fromstring(asked.text).xpath("//input[@name='query region']/@value") == [HOSTILE]
    assert html.fromstring(wrong.text).xpath("//textarea")[0].text_content().strip() == HOSTILE
    assert shlex.split(shown(wrong, "curl command"))[-1] == HOSTILE


def test_a_parameter_stays_in_its_place(desk: Desk, browser: Browser) -> None:
    written = ("../../../dashboard", "a/b", "%2e%2e%2fx", "x?fields=id", "x#y", "é/..", "x;y=1")
    for count, value in enumerate(written, 1):
        answer = ask(browser, "getCompany", key=desk.made.key, **{NUMBER: value})
        assert routes(browser) == {"/api/v1/companies/{org_number}": count}, value
        assert facts(answer)["Status"] in ("400", "404")
        assert json.loads(shown(answer, "Body"))["code"] in ("invalid_org_number", "company_not_found")


def test_what_would_break_out_is_not_sent() -> None:
    from api.openapi_document import openapi_document

    operations = operation_forms(openapi_document("https://api.example.com"))
    get, change = operations["getCompany"], operations["updateWebhook"]
    assert next(tag for tag, _ in group_by_tag(operations)) == "Companies"
    for value, fault in ((".", "change the path"), ("..", "change the path"), ("", "is required"), ("x" * 25, "24")):
        (found,) = build_explorer_request(get, {NUMBER: value}).faults
        assert fault in found
    for value in ('"1"\r\nX-Evil: 1', '"1"\nx', "é", "\x00"):
        (found,) = build_explorer_request(change, {"path id": "whs_1", "header If-Match": value}).faults
        assert "printable" in found
    assert build_explorer_request(change, {"path id": "whs_1", "body": "x" * 8_001}).faults
    plain = build_explorer_request(change, {"path id": "whs_1", "header If-Match": '"3"', "body": " "})
    assert plain == ExplorerRequest("PATCH", "/api/v1/webhooks/whs_1", "", (("If-Match", '"3"'),), None, ())
    search = build_explorer_request(
        operations["searchCompanies"], {"query q": "a&limit=1 'b'", "query country": "NO,SE"}
    )
    assert search.query == "q=a%26limit%3D1+%27b%27&country=NO,SE"
    assert search.faults == ()


def test_a_form_is_sent_as_a_form(desk: Desk, browser: Browser) -> None:
    key = desk.made.key
    page = browser.get(f"{EXPLORER}/reconcile")
    assert "a form, prefilled with an example" in page.text
    example = html.fromstring(page.text).xpath("//textarea[@name='body']")[0].text
    answer = ask(browser, "reconcile", key=key, body=example, confirm="on")
    assert facts(answer)["Status"] == "200"
    assert "Content-Type: application/x-www-form-urlencoded" in shlex.split(shown(answer, "curl command"))
    assert set(json.loads(shown(answer, "Body"))) == {"q0", "q1", "q2"}
