"""What is not there, not allowed, too large or broken below /dashboard is said on a page, elsewhere in a document."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from lxml import html

from tests.api.dashboard.conftest import Desk, texts
from tests.tables import check_cases

PROBLEM, PAGE = "application/problem+json", "text/html; charset=utf-8"


@check_cases(
    ("method", "path", "status"),
    [
        ("GET", "/dashboard/nothing", 404),
        ("POST", "/dashboard/nothing", 404),
        ("GET", "/dashboard/keys/x/y/z", 404),
        ("DELETE", "/dashboard/keys", 405),
        ("GET", "/dashboard/sign-out", 405),
        ("GET", "/dashboard/" + "x" * 9_000, 414),
    ],
)
def test_an_error_is_a_page(desk: Desk, method: str, path: str, status: int) -> None:
    answer = desk.browser().ask(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, PAGE)
    assert len(texts(answer, "//h1")) == 1
    assert html.fromstring(answer.text).xpath("//main//a/@href") == ["/dashboard"]
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert (answer.headers["cache-control"], answer.headers["x-frame-options"]) == ("no-store", "DENY")
    assert answer.headers["x-request-id"].startswith("req_")


def test_an_error_page_repeats_nothing_as_markup(desk: Desk) -> None:
    answer = desk.browser().get("/dashboard/%3Cscript%3Ealert(1)%3C%2Fscript%3E/firm_live_secret")
    assert answer.status_code == 404
    assert html.fromstring(answer.text).xpath("//script") == []
    assert "<script>alert(1)" in texts(answer, "//main/p")[0]
    assert "firm_live_secret" not in answer.text


def test_an_error_of_the_interface_stays_a_document(desk: Desk) -> None:
    for path in ("/api/v1/nothing", "/dashboards", "/nothing"):
        answer = desk.browser().get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (404, PROBLEM)


def test_a_malformed_host_is_refused_on_a_page(desk: Desk) -> None:
    answer = desk.browser(host="a b").get("/dashboard")
    assert (answer.status_code, answer.headers["content-type"]) == (400, PAGE)


class Broken:
    """A reader whose releases cannot be opened."""

    def pin_release(self) -> AbstractContextManager[Any]:
        raise OSError("/secret/place is torn")


def test_a_failure_is_a_page_with_what_support_asks_for(serve: Any, open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(reader=Broken(), operators=frozenset({"owner@example.com"}))
    browser = desk.signed_in("owner@example.com")
    answer = browser.get("/dashboard/operator", x_request_id="asked-by-a-test")
    assert (answer.status_code, answer.headers["content-type"]) == (500, PAGE)
    assert texts(answer, "//main//code") == ["asked-by-a-test"]
    assert "secret/place" not in answer.text
    assert browser.get("/dashboard").status_code == 200
