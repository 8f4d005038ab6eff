"""Errors over HTTP: one shape for all, the order of checks, strict parameters, sizes and media types."""

import json
import re

import pytest

from tests.tables import check_cases

ALWAYS = ["type", "title", "status", "detail", "instance", "code", "request_id"]
COMPANY = "/api/v1/companies/5599999991"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def assert_problem(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(body)[:7] == ALWAYS
    assert body["status"] == status
    assert body["type"] == f"https://api.example.com/problems/{code.replace('_', '-')}"
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["instance"] == f"/requests/{body['request_id']}"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    return body


@check_cases(
    ("query", "code", "parameter", "detail"),
    [
        ("coutry=SE", "unknown_parameter", "coutry", "Unknown query parameter 'coutry'. Did you mean 'country'?"),
        ("industry=62", "invalid_parameter", "industry_scheme", None),
        ("limit=1&limit=2", "duplicate_parameter", "limit", "'limit' may be given only once."),
        ("limit=0", "invalid_parameter", "limit", "'limit' must be an integer from 1 to 100."),
        ("limit=101", "invalid_parameter", "limit", None),
        ("limit=1.0", "invalid_parameter", "limit", None),
        ("limit=%D9%A1", "invalid_parameter", "limit", None),
        ("limit=", "invalid_parameter", "limit", None),
        ("limit", "invalid_parameter", "limit", None),
        ("limit=+5", "invalid_parameter", "limit", None),
        ("country=XX", "invalid_parameter", "country", None),
        ("country=SE,", "invalid_parameter", "country", None),
        ("q=", "invalid_parameter", "q", None),
        ("q=%20", "invalid_parameter", "q", None),
        ("q=a%00b", "invalid_parameter", "q", None),
        ("q=" + "a" * 201, "invalid_parameter", "q", None),
        ("q=%zz", "invalid_parameter", "q", None),
        ("q=%ff", "invalid_parameter", "q", None),
        ("fields=nome", "invalid_parameter", "fields", None),
    ],
)
def test_strict_parameters_of_search(service, query, code, parameter, detail):
    body = assert_problem(service.get(f"/api/v1/companies?{query}"), 400, code)
    assert [error["parameter"] for error in body["errors"]] == [parameter]
    assert detail is None or body["detail"] == detail


@check_cases("path", [COMPANY, "/api/v1/companies", "/api/v1/markets", "/api/v1/usage", "/api/v1/webhooks"])
def test_parameters_that_pages_and_links_add_are_ignored(service, path):
    for query in ("_=1795251600000", "_=1&_=2", "_", "utm_source=%zz", "utm_source=x&utm_campaign=y&utm_id"):
        answer = service.get(f"{path}?{query}")
        assert answer.status_code == 200, answer.text
    for query, code in (
        ("__=1", "unknown_parameter"),
        ("utmsource=x", "unknown_parameter"),
        ("UTM_SOURCE=x", "unknown_parameter"),
        (f"_={service.key}", "api_key_in_url"),
        (f"utm_source=%66{service.key[1:]}", "api_key_in_url"),
    ):
        assert_problem(service.get(f"{path}?{query}"), 400, code)


def test_ignored_parameters_leave_no_trace(service):
    """Neither in links, nor in tags, nor in what a cursor is bound to."""
    plain = service.get("/api/v1/companies?limit=1")
    added = service.get("/api/v1/companies?_=1&limit=1&utm_source=a&utm_medium=b")
    assert added.content == plain.content
    assert added.headers["link"] == plain.headers["link"]
    following = f"/api/v1/companies?limit=1&cursor={plain.json()['next_cursor']}"
    assert service.get(f"{following}&_=2&utm_source=c").json()["data"] == service.get(following).json()["data"]


@check_cases(
    "path",
    [
        f"{COMPANY}?include=all",
        f"{COMPANY}?limit=5",
        f"{COMPANY}/financials?years=31",
        f"{COMPANY}/financials?from_year=20250",
        f"{COMPANY}/financials?consolidated=yes",
        f"{COMPANY}/financials?period_type=monthly",
        f"{COMPANY}/ownership?as_of=2025-02-30",
        f"{COMPANY}/ownership?as_of=20250201",
        f"{COMPANY}/ownership?min_pct=100.1",
        f"{COMPANY}/ownership?min_pct=1e1",
        f"{COMPANY}/events?since=2026-11-20",
        f"{COMPANY}/events?since=2026-11-20T00:00:00",
        f"{COMPANY}/events?until=2026-13-20T00:00:00Z",
        f"{COMPANY}/events?order=up",
        f"{COMPANY}/events?event_type=filing.published",
    ],
)
def test_strict_parameters_elsewhere(service, path):
    assert service.get(path).status_code == 400


def test_several_wrong_values_are_all_named(service):
    body = assert_problem(service.get("/api/v1/companies?limit=0&country=XX"), 400, "invalid_parameter")
    assert body["detail"] == "2 parameters are not valid."
    assert [error["parameter"] for error in body["errors"]] == ["limit", "country"]


def test_route_not_found(service):
    body = assert_problem(service.get("/api/v1/company/5599999991"), 404, "route_not_found")
    assert body["detail"] == "There is nothing at /api/v1/company/5599999991."
    assert_problem(service.client.get("/nothing"), 404, "route_not_found")
    assert_problem(service.client.get("/problems/nothing"), 404, "route_not_found")


@check_cases("method", ["POST", "PUT", "PATCH", "DELETE"])
@check_cases("path", [COMPANY, "/api/v1/companies", "/api/v1/events", "/healthz", "/api/openapi.json"])
def test_method_not_allowed_before_authentication(service, method, path):
    answer = service.client.request(method, path)
    assert_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_options_needs_no_key(service):
    answer = service.client.options(COMPANY)
    assert (answer.status_code, answer.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    assert answer.headers["x-request-id"]


@check_cases(
    ("accept", "status"),
    [
        ("text/html", 406),
        ("application/xml, text/*;q=0.5", 406),
        ("application/json;q=0", 406),
        ("*/*", 200),
        ("application/*", 200),
        ("text/html, application/json;q=0.1", 200),
        ("text/html,*/*;q=0.8", 200),
        ("application/problem+json", 200),
    ],
)
def test_not_acceptable(service, accept, status):
    answer = service.get(COMPANY, Accept=accept)
    assert answer.status_code == status
    if status == 406:
        assert_problem(answer, 406, "not_acceptable")


def test_sizes_and_media_types(service):
    assert assert_problem(service.get("/api/v1/companies?q=" + "a" * 8200), 414, "uri_too_long")["limit"] == 8192
    assert assert_problem(service.get(COMPANY, **{"X-Large": "a" * 17000}), 431, "headers_too_large")["limit"] == 16384
    large = service.client.request("GET", COMPANY, headers=service.headers, content=b"a" * 65537)
    assert assert_problem(large, 413, "payload_too_large")["limit"] == 65536
    other = service.client.request(
        "GET", COMPANY, headers=service.headers | {"Content-Type": "text/plain"}, content=b"hello"
    )
    assert_problem(other, 415, "unsupported_media_type")
    json_body = service.client.request("GET", COMPANY, headers=service.headers, json={})
    assert json_body.status_code == 200


def test_order_of_checks(service):
    wrong = {"Authorization": "Bearer nothing", "Accept": "text/html"}
    assert service.client.get("/api/v1/nothing?x=1", headers=wrong).status_code == 404
    assert service.client.put("/api/v1/companies?x=1", headers=wrong).status_code == 405
    assert service.client.get("/api/v1/companies?x=1&api_key=1", headers=wrong).json()["code"] == "api_key_in_url"
    assert service.client.get("/api/v1/companies?x=1", headers=wrong).status_code == 401
    assert service.get("/api/v1/companies?x=1", Accept="text/html").status_code == 406
    assert service.get("/api/v1/companies/5599999983?x=1").status_code == 400
    assert service.get("/api/v1/events", Accept="text/html").status_code == 406


@pytest.mark.parametrize("given", ["abcdefgh", "A-b_3456789", "x" * 64])
def test_request_id_of_the_caller_is_echoed(service, given):
    assert service.get(COMPANY, **{"X-Request-Id": given}).headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["short", "x" * 65, "has space 123", "semi;colon12"])
def test_request_id_that_is_not_one_is_replaced(service, given):
    made = service.get(COMPANY, **{"X-Request-Id": given}).headers["x-request-id"]
    assert re.fullmatch("req_[0-9a-hjkmnp-tv-z]{26}", made)


class Broken:
    """A reader whose disk is gone."""

    def pin_release(self):
        raise OSError("disk on fire at /secret/place")


def test_internal_error_tells_nothing_but_the_request_id(serve, world, caplog):
    service = serve(world, Broken())
    answer = service.get(COMPANY)
    assert_problem(answer, 500, "internal_error")
    assert "fire" not in answer.text
    assert "Traceback" not in answer.text
    assert "disk on fire" in caplog.text


def test_every_problem_page_explains_itself(service):
    from api.problems.problem import KINDS

    for kind in KINDS.values():
        page = service.client.get(f"/problems/{kind.slug}")
        assert page.status_code == 200
        body = page.json()
        assert (body["code"], body["title"]) == (kind.code, kind.title)
        assert body["explanation"]
        assert body["fix"]
        tag = page.headers["etag"]
        assert service.client.get(f"/problems/{kind.slug}", headers={"If-None-Match": tag}).status_code == 304


def test_too_many_searches_are_503(serve, world):
    import threading

    from warehouse.reader.reader import ReleaseReader

    class Slow:
        def __init__(self, reader):
            self.reader = reader
            self.entered, self.leave = threading.Semaphore(0), threading.Event()

        def pin_release(self):
            self.entered.release()
            self.leave.wait(20)
            return self.reader.pin_release()

    slow = Slow(ReleaseReader(world.layout))
    service = serve(world, slow, list_wait_seconds=0.01)
    threads = [threading.Thread(target=service.get, args=("/api/v1/companies?q=a",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        slow.entered.acquire(timeout=20)
    try:
        answer = service.get("/api/v1/companies?q=b")
        assert_problem(answer, 503, "service_unavailable")
        assert int(answer.headers["retry-after"]) == answer.json()["retry_after"] == 2
    finally:
        slow.leave.set()
        for thread in threads:
            thread.join()
    assert service.get("/api/v1/companies?q=c").status_code == 200


def test_ready_says_how_old_the_release_is(service):
    body = service.client.get("/readyz").json()
    assert body == {
        "status": "ready",
        "release": 1,
        "built_at": "2026-11-20T13:00:00Z",
        "age_seconds": 20 * 3600,
        "last_sequence": 12,
        "deliveries": {"matching": False, "unmatched_events": 0, "lag_seconds": 0},
    }


def test_access_log_has_request_ids_and_no_secrets(own_service):
    own_service.get(COMPANY, **{"X-Request-Id": "given-request-id"})
    own_service.get(f"/api/v1/companies?api_key={own_service.key}")
    own_service.get(f"/api/v1/companies/{own_service.key}")
    own_service.client.get(COMPANY)
    own_service.parts.access_log.flush()
    text = b"".join(own_service.lines).decode()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["status"] for line in lines] == [200, 400, 400, 401]
    first = lines[0]
    assert (first["request_id"], first["method"], first["path"]) == ("given-request-id", "GET", COMPANY)
    assert first["time"] == "2026-11-21T09:00:00.000Z"
    assert first["key_id"].startswith("key_")
    assert lines[-1]["key_id"] is None
    assert own_service.key not in text
    assert "firm_live_[redacted]" in text


def test_an_unknown_path_repeats_no_key(service):
    answer = service.get(f"/api/{service.key}")
    assert answer.status_code == 404
    assert service.key not in answer.text


@pytest.mark.parametrize("path", ["/api/openapi.json", "/healthz", "/readyz", "/problems/uri-too-long"])
def test_a_key_in_the_url_is_refused_where_none_is_needed(service, path):
    answer = service.client.get(f"{path}?api_key={service.key}")
    assert (answer.status_code, answer.json()["code"]) == (400, "api_key_in_url")
    assert service.client.get(path).status_code == 200


def test_every_answer_of_an_error_is_whole(service):
    for path in ("/nope", "/api/v1/companies/x", "/api/v1/companies?limit=0", "/api/v1/events?cursor=x"):
        answer = service.get(path)
        assert answer.headers["content-type"] == "application/problem+json"
        body = json.loads(answer.text)
        assert body["request_id"] == answer.headers["x-request-id"]
        assert {"cache-control", "vary", "x-content-type-options"} <= set(answer.headers)
