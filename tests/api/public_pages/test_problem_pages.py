"""Pages of problems: what a browser reads is what a program reads."""

from api.problems.problem import KINDS
from tests.api.conftest import Service
from tests.api.public_pages.conftest import BROWSER, open_page, texts


def test_every_problem_has_a_page_with_the_texts_of_its_json(service: Service) -> None:
    for kind in KINDS.values():
        path = f"/problems/{kind.slug}"
        body = service.client.get(path).json()
        answer, page = open_page(service, path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert texts(page, "//h1") == [" ".join(body["title"].split())]
        paragraphs = texts(page, "//main//p")
        assert " ".join(body["explanation"].split()) in paragraphs, path
        assert " ".join(body["fix"].split()) in paragraphs, path
        facts = texts(page, "//dd")
        assert facts == [" or ".join(map(str, body["statuses"])), body["code"], body["type"]]


def test_programs_get_json_and_caches_keep_both_apart(service: Service) -> None:
    path = "/problems/invalid-cursor"
    for accept in (
        "*/*",
        "application/json",
        "application/problem+json, text/html",
        "application/json, text/html;q=0.9",
    ):
        answer = service.client.get(path, headers={"accept": accept})
        assert answer.headers["content-type"] == "application/json", accept
        assert "Accept" in answer.headers["vary"].replace(",", " ").split()
    page = service.client.get(path, headers={"accept": BROWSER})
    assert "Accept" in page.headers["vary"].replace(",", " ").split()
    assert page.headers["etag"] != service.client.get(path).headers["etag"]


def test_an_unknown_problem_is_a_page_for_browsers_and_a_problem_for_programs(service: Service) -> None:
    answer, page = open_page(service, "/problems/<script>")
    assert (answer.status_code, texts(page, "//h1")) == (404, ["No such problem"])
    assert "etag" not in answer.headers
    refused = service.client.get("/problems/nothing")
    assert (refused.status_code, refused.json()["code"]) == (404, "route_not_found")
