"""The edge over HTTP: sizes, escaped and trailing slashes, Host, HEAD, methods, failures."""

import gc
import json

import pytest

from api.http.cors import METHODS
from tests.tables import check_cases

COMPANY = "/api/v1/companies/5599999991"
URL, HEADERS, BODY = 8192, 16384, 65536


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def code(answer):
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_a_url_of_8_kib_and_no_more(service):
    start = "/api/v1/companies?q="
    assert code(service.get(start + "x" * (URL - len(start) + 1))) == (414, "uri_too_long")
    assert service.get(start + "x" * (URL - len(start))).status_code != 414
    assert service.client.get("/" + "x" * URL).json()["limit"] == URL  # before routing and keys
    assert service.client.get("/" + "x" * (URL - 1)).status_code == 404


def test_headers_of_16_kib_and_no_more(service):
    assert code(service.get(COMPANY, **{"X-Long": "x" * HEADERS})) == (431, "headers_too_large")
    assert service.get(COMPANY, **{"X-Long": "x" * (HEADERS - 1000)}).status_code == 200


@pytest.mark.parametrize(("length", "found"), [(BODY, 200), (BODY + 1, 413), (10**18, 413), (int("9" * 300), 413)])
def test_a_body_of_64_kib_and_no_more(service, length, found):
    more = {"Content-Length": str(length), "Content-Type": "application/json"}
    assert service.get(COMPANY, **more).status_code == found


@pytest.mark.parametrize(
    "path", ["/api/v1/companies/5599999991%2Ffinancials", "/api/v1/companies/5599999991%2f", "/api/v1/companies/%2F"]
)
def test_an_escaped_slash_makes_no_new_segment(service, path):
    assert code(service.get(path)) == (400, "invalid_org_number")


def test_an_escaped_slash_elsewhere(service):
    assert code(service.get("/api%2Fv1/companies/5599999991")) == (404, "route_not_found")
    assert service.get("/api/v1/companies/firm%3ASE%3A5599999991").status_code == 200
    assert code(service.get("/api/v1/companies/%252F")) == (400, "invalid_org_number")


@pytest.mark.parametrize("path", ["/api/v1/companies/5599999991", "/api/v1/companies", "/api/v1/markets"])
def test_a_trailing_slash_is_forgiven_and_told(service, path):
    plain, slashed = service.get(path), service.get(path + "/?limit=1" if path[-1] == "s" else path + "/")
    assert slashed.status_code in (200, 400)
    assert "content-location" not in plain.headers
    if slashed.status_code == 200:
        assert slashed.headers["content-location"].partition("?")[0] == path
        assert len(slashed.headers.get_list("content-location")) == 1


def test_pages_have_one_spelling_and_name_no_other(service):
    answer = service.client.get("/dashboard/sign-in/")
    assert (answer.status_code, "content-location" in answer.headers) == (200, False)


@check_cases("host", ["a b", "a/b", "a\\b", "<x>", "a:b:c", "[::1", "a:999999", "a?b", "a#b", "a@b"])
def test_a_host_that_is_none(service, host):
    answer = service.get(COMPANY, Host=host)
    assert code(answer) == (400, "invalid_parameter")
    assert answer.json()["errors"][0]["header"] == "Host"


@pytest.mark.parametrize("host", ["api.example.com", "localhost:8000", "[::1]:8000", "127.0.0.1", ""])
def test_hosts(service, host):
    assert service.get(COMPANY, Host=host).status_code == 200


@pytest.mark.parametrize(
    "path",
    [COMPANY, "/api/v1/companies?limit=1", "/api/v1/companies/12ab", "/nothing", "/api/openapi.json", "/healthz"],
)
def test_head_is_get_without_a_body(service, path):
    told = {"X-Request-Id": "the-same-id"}
    got = service.get(path, **told)
    head = service.client.head(path, headers=service.headers | told)
    assert (head.status_code, head.content) == (got.status_code, b"")
    # quota and burst go on meanwhile; a cursor carries its time
    changing = {"ratelimit", "x-ratelimit-remaining", "link"}
    assert {k: v for k, v in head.headers.items() if k not in changing} == {
        k: v for k, v in got.headers.items() if k not in changing
    }


@check_cases("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
@check_cases("path", [COMPANY, "/api/v1/companies", "/healthz"])
def test_other_methods(service, method, path):
    answer = service.client.request(method, path, headers=service.headers)
    assert code(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == METHODS


@pytest.mark.parametrize("path", ["/api/v1/companies//", "/api/v1//companies/5599999991"])
def test_empty_segments_are_ignored(service, path):
    assert service.get(path).status_code in (200, 400)


def test_a_path_below_a_company_is_no_route(service):
    assert code(service.get("/api/v1/companies/a/b/c")) == (404, "route_not_found")


@pytest.mark.parametrize("path", [COMPANY, "/api/v1/companies", COMPANY + "/events", "/readyz"])
def test_a_failure_is_told_and_logged_alike_on_every_way(serve, world, path, caplog):
    class Broken:
        def pin_release(self):
            raise RuntimeError("firm_live_" + "a" * 42)

    service = serve(world, Broken())
    answer = service.get(path)
    assert code(answer) == (500, "internal_error")
    assert "firm_live_a" not in answer.text
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == ["request failed"]


@pytest.mark.parametrize(
    "written", ["{key}", "%66irm_live_{rest}", "firm%5Flive%5F{rest}", "firm%255Flive%255F{rest}", "FIRM_LIVE_{rest}"]
)
def test_no_key_is_logged_however_it_is_sent(own_service, written):
    sent = written.format(key=own_service.key, rest=own_service.key[10:])
    told = {"X-Request-Id": "short", "User-Agent": own_service.key, "Referer": own_service.key}
    for path in (f"/api/v1/companies/{sent}", f"/api/v1/companies?q={sent}", f"/{sent}", f"/api/v1/companies?{sent}=1"):
        answer = own_service.get(path, **told)
        if path.startswith("/api/") and "%25" not in path:  # whoever encodes twice has sent another text
            assert code(answer) == (400, "api_key_in_url")
            assert own_service.key[10:] not in answer.text
    own_service.parts.access_log.flush()
    log = b"".join(own_service.lines).decode()
    assert len(log.splitlines()) == 4
    assert own_service.key[10:] not in log


@check_cases(
    "given",
    ["{key}", "firm_session_{rest}", "x-{key}", "FIRM_LIVE_{rest}", "whsec_{rest}", "firm_public_a", "19850101-1234"],
)
def test_a_request_id_that_looks_like_a_secret_is_neither_returned_nor_logged(own_service, given):
    given = given.format(key=own_service.key, rest=own_service.key[10:])
    for path, status in ((COMPANY, 200), ("/nothing", 404), ("/dashboard/nothing", 404)):
        answer = own_service.get(path, **{"X-Request-Id": given})
        assert (answer.status_code, answer.headers["x-request-id"][:4]) == (status, "req_")
        assert given not in answer.text
    own_service.parts.access_log.flush()
    assert given not in b"".join(own_service.lines).decode()


def test_long_lines_are_cut_and_pieces_are_whole_lines(own_service):
    for number in range(40):
        own_service.get(f"/api/v1/companies?q={number}" + "%01" * 1200)
        own_service.get(COMPANY)
    own_service.parts.access_log.flush()
    assert all(len(piece) <= 4096 and piece.endswith(b"\n") for piece in own_service.lines)
    lines = [json.loads(line) for piece in own_service.lines for line in piece.splitlines()]
    assert len(lines) == 80
    assert {line["status"] for line in lines} <= {200, 400}
    assert all(line["request_id"].startswith("req_") and line["client"] for line in lines)


@pytest.mark.parametrize("path", [COMPANY, "/api/v1/companies", "/api/openapi.json", "/healthz"])
def test_options_carries_the_headers_of_every_answer(service, path):
    answer = service.client.options(path)
    assert answer.status_code == 204
    assert answer.headers["cache-control"] == "no-store"
    assert {"x-request-id", "vary", "x-content-type-options", "allow"} <= set(answer.headers)


def test_the_body_of_a_request_is_freed_without_a_collection(service):
    """A large one would otherwise stay until the garbage collector runs, hundreds of requests later."""
    gc.collect()
    gc.disable()
    try:
        service.client.post("/api/v1/webhooks", headers=service.headers, json={"member_of_this_test": [1]})
        kept = [one for one in gc.get_objects() if type(one) is dict and "member_of_this_test" in one]
    finally:
        gc.enable()
    assert kept == []


def test_a_long_query_is_logged_in_part_and_without_a_key_that_is_cut(service):
    key = "firm_live_" + "a1" * 21
    query = f"q={key}&" * 90
    service.get(f"/api/v1/markets?{query}")
    service.parts.access_log.flush()
    logged = json.loads(service.lines[-1].splitlines()[-1])["query"]
    assert logged.startswith("q=firm_live_[redacted]")
    assert len(logged) == 201
    assert "a1" not in logged
