"""Who may read answers from a web page: preflights, publishable keys on their domains, nobody else."""

import pytest

from api.auth.allowed_origins import domain_fault, is_allowed_origin, parse_origin
from api.http.cors import EXPOSED, METHODS
from api.settings.tiers import DEFAULT, read_tiers
from tests.tables import check_cases

COMPANY = "/api/v1/companies/5599999991"
DOMAINS = ("example.com", "*.example.org", "shop.example.net:8443", "http://localhost:*", "http://127.0.0.1:3000")
ALLOW = "access-control-allow-origin"
ASKED = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}

WORK = [
    "https://example.com",
    "https://EXAMPLE.com",
    "https://example.com:443",
    "https://a.example.org",
    "https://a.b.example.org",
    "https://shop.example.net:8443",
    "http://localhost",
    "http://localhost:5173",
    "http://127.0.0.1:3000",
]
ELSEWHERE = [
    "http://example.com",  # not https
    "https://example.com:444",
    "https://www.example.com",  # exact means exact
    "https://example.org",  # a wildcard has labels before it
    "https://example.com.evil",
    "https://notexample.com",
    "https://evilexample.org",
    "https://a.example.org.evil.com",
    "https://shop.example.net",
    "https://localhost:5173",
    "http://127.0.0.1:3001",
    "http://[::1]:3000",
    "https://[::1]",
    "https://127.0.0.1",
    "https://evil.com#.example.org",
    "https://evil.com?.example.org",
    "https://evil.com/.example.org",
    "https://example.com:0",
    "https://xn--bcher-kva.example",
]
NO_PAGES = [
    "null",
    "https://example.com@evil.com",
    "https://evil.com@example.com",
    "https://@example.com",
    "https://evil.com\\.example.org",
    "https://evil.com .example.org",
    "https://example.com:99999999",
    "https://example.com:x",
    "https://%65xample.com",
    "https://example.com%00.evil.com",
    "https://.example.org",
    "https://example.com..",
    "file:///example.com",
    "example.com",
    "//example.com",
    "https://",
    "javascript:alert(1)",
    "*",
]


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@pytest.fixture(scope="module")
def public(service):
    return service.accounts.create_key("owner@example.com", "public", DOMAINS).key


def asked(service, key, path=COMPANY, method="GET", **headers):
    return service.client.request(method, path, headers={"Authorization": f"Bearer {key}"} | headers)


@check_cases("origin", WORK)
def test_a_page_on_a_domain_of_the_key_may_read(service, public, origin):
    answer = asked(service, public, Origin=origin)
    assert answer.status_code == 200, answer.text
    assert answer.headers[ALLOW] == origin
    assert answer.headers["access-control-expose-headers"] == EXPOSED
    assert "Origin" in answer.headers["vary"]
    assert "access-control-allow-credentials" not in answer.headers


@check_cases("origin", [*ELSEWHERE, *NO_PAGES])
def test_a_page_elsewhere_may_read_why_not_and_nothing_else(service, public, origin):
    answer = asked(service, public, Origin=origin)
    assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")
    assert answer.headers.get(ALLOW) == (origin if origin in ELSEWHERE else None)
    assert "access-control-expose-headers" not in answer.headers
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    assert "Origin" in answer.headers["vary"]
    assert set(answer.json()) == {"type", "title", "status", "detail", "instance", "code", "request_id"}
    by_referer = asked(service, public, Referer=origin)
    assert by_referer.status_code == 403


def test_the_refered_page_counts_where_there_is_no_origin(service, public):
    missing = asked(service, public)
    assert (missing.status_code, missing.json()["code"]) == (403, "origin_required")
    assert ALLOW not in missing.headers
    read = asked(service, public, Referer="https://a.example.org/page?q=https://evil.com")
    assert read.status_code == 200
    assert ALLOW not in read.headers  # not a question of another site's page
    # the Origin decides where both are sent
    both = asked(service, public, Origin="https://evil.com", Referer="https://example.com/")
    assert both.status_code == 403


def test_a_name_has_one_spelling():
    domains = ("bücher.example", "*.straße.example")
    for text in ("bücher.example", "*.straße.example", "example.com:8443", "http://localhost:*"):
        assert domain_fault(text) is None
    for page in ("https://xn--bcher-kva.example", "https://BÜCHER.example", "https://xn--bcher-kva.example."):
        origin = parse_origin(page)
        assert origin is not None
        assert is_allowed_origin(origin, domains)
    for text in ("*", "*.", "com", "*.com:*", "http://example.com", "exa mple.com", "a..b", "http://localhost:x"):
        assert domain_fault(text) is not None, text


def test_whatever_is_answered_may_be_read_once_the_page_is_known(own_service, public_of):
    public = public_of(own_service)
    page = {"Origin": "https://example.com"}
    tag = asked(own_service, public, **page).headers["etag"]
    for path, more, status in [
        (COMPANY, {"If-None-Match": tag}, 304),
        ("/api/v1/companies/5599999983", {}, 404),
        ("/api/v1/companies/12ab", {}, 400),
        ("/api/v1/companies?limit=0", {}, 400),
        ("/api/v1/events?limit=0", {}, 400),
        (COMPANY, {"Accept": "text/html"}, 406),
    ]:
        answer = asked(own_service, public, path, **page, **more)
        assert answer.status_code == status
        assert answer.headers[ALLOW] == "https://example.com", path
        assert answer.headers["access-control-expose-headers"] == EXPOSED
    head = asked(own_service, public, method="HEAD", **page)
    assert head.headers[ALLOW] == "https://example.com"
    own_service.accounts.set_status("owner@example.com", "suspended")
    own_service.hands.seconds += 60
    refused = asked(own_service, public, **page)
    assert (refused.status_code, refused.headers[ALLOW]) == (403, "https://example.com")


def test_too_many_requests_may_be_read_too(serve, world, public_of):
    service = serve(world, tiers=DEFAULT)
    page = {"Authorization": f"Bearer {public_of(service)}", "Origin": "https://example.com"}
    answers = [service.client.get(COMPANY, headers=page) for _ in range(8)]
    limited = [answer for answer in answers if answer.status_code == 429]
    assert limited
    assert all(answer.headers[ALLOW] == "https://example.com" for answer in limited)


def test_an_error_of_ours_may_be_read_too(serve, world, public_of):
    class Broken:
        def pin_release(self):
            raise RuntimeError("lost")

    service = serve(world, Broken())
    answer = asked(service, public_of(service), Origin="https://example.com")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer.headers[ALLOW] == "https://example.com"


@pytest.fixture
def public_of():
    return lambda service: service.accounts.create_key("owner@example.com", "public", DOMAINS).key


REFUSED_BEFORE_THE_KEY = [
    ("GET", COMPANY, {}, 401, "missing_api_key"),
    ("GET", COMPANY, {"Authorization": "Bearer nonsense"}, 401, "invalid_api_key"),
    ("GET", "/api/v1/usage", {}, 401, "missing_api_key"),
    ("POST", "/api/v1/webhooks", {}, 401, "missing_api_key"),
    ("GET", "/api/v1/nothing", {}, 404, "route_not_found"),
    ("GET", "/v1/companies", {}, 404, "route_not_found"),
    ("GET", "/problems/nothing", {}, 404, "route_not_found"),
    ("POST", COMPANY, {}, 405, "method_not_allowed"),
    ("DELETE", "/problems/invalid-cursor", {}, 405, "method_not_allowed"),
    ("GET", f"{COMPANY}?api_key=1", {}, 400, "api_key_in_url"),
    ("GET", COMPANY, {"Host": "a b"}, 400, "invalid_parameter"),
    ("GET", "/api/v1/companies?q=" + "a" * 8200, {}, 414, "uri_too_long"),
    ("GET", COMPANY, {"X-Large": "a" * 17000}, 431, "headers_too_large"),
]


@check_cases(("method", "path", "headers", "status", "code"), REFUSED_BEFORE_THE_KEY)
def test_refusals_before_the_key_may_be_read_by_any_page(service, method, path, headers, status, code):
    for origin in ("https://anybody.example", "null"):
        page = {"Origin": origin}
        answer = service.client.request(method, path, headers=headers | page)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.headers[ALLOW] == "*", "which no browser accepts for a request with cookies"
        assert {"X-Request-Id", "Retry-After", "Allow"} <= set(
            answer.headers["access-control-expose-headers"].split(", ")
        )
        assert "access-control-allow-credentials" not in answer.headers
        assert "ratelimit" not in answer.headers
        # whether a page may send it: a refused preflight would hide the reason
        preflight = service.client.options(path, headers=page | ASKED)
        if "Host" not in headers:
            assert (preflight.status_code, preflight.headers.get(ALLOW)) in ((204, origin), (204, "*"))


def test_failures_before_the_key_may_be_read_by_any_page(serve, world):
    tiers = read_tiers({"clients": {"failed_authentications_per_second": 1}})
    service = serve(world, tiers=tiers)
    answers = [asked(service, "nonsense", Origin="https://a.example") for _ in range(3)]
    assert answers[-1].status_code == 429
    service.database.close()
    assert {answer.headers[ALLOW] for answer in answers} == {"*"}
    assert "Retry-After" in answers[-1].headers["access-control-expose-headers"]


def test_a_page_reads_that_its_key_does_not_work_there(service, public):
    for path in ("/api/v1/usage", "/api/v1/webhooks"):
        answer = asked(service, public, path, Origin="https://example.com")
        assert (answer.status_code, answer.json()["code"]) == (403, "key_kind_not_allowed")
        assert answer.headers[ALLOW] == "https://example.com"
        assert "access-control-expose-headers" not in answer.headers


def test_pages_of_other_sites_read_nothing_of_operators_and_dashboards(service):
    page = {"Origin": "https://anybody.example"}
    for path in ("/healthz", "/readyz", "/metrics", "/dashboard", "/dashboard/nothing", "/dashboard/sign-in"):
        for answer in (service.client.get(path, headers=page), service.client.options(path, headers=page | ASKED)):
            assert not [name for name in answer.headers if name.startswith("access-control")], path


@pytest.mark.parametrize("kind", ["live", "secret"])
def test_a_secret_key_is_never_read_by_a_page(service, kind):
    key = service.accounts.create_key("owner@example.com", kind).key
    for path in (COMPANY, "/api/v1/companies/12ab", "/api/v1/companies", "/api/v1/usage"):
        answer = asked(service, key, path, Origin="https://example.com")
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_public_documents_may_be_read_from_anywhere(service):
    for path in ("/api/openapi.json", "/problems/invalid-cursor"):
        answer = service.client.get(path, headers={"Origin": "https://anybody.example"})
        assert answer.headers[ALLOW] == "*"
        unchanged = service.client.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (unchanged.status_code, unchanged.headers[ALLOW]) == (304, "*")
        preflight = service.client.options(path, headers={"Origin": "https://anybody.example"} | ASKED)
        assert (preflight.status_code, preflight.headers[ALLOW]) == (204, "*")


@check_cases("origin", ["https://anybody.example", "https://example.com.evil", "null", "http://[::1]:1"])
@check_cases("path", [COMPANY, "/api/v1/se/companies/1", "/api/v1/companies", COMPANY + "/events"])
def test_preflight(service, origin, path):
    answer = service.client.options(path, headers={"Origin": origin} | ASKED)
    assert answer.status_code == 204
    assert answer.content == b""
    told = {name: value for name, value in answer.headers.items() if name.startswith("access-control")}
    assert told == {
        ALLOW: origin,
        "access-control-allow-methods": "GET, HEAD, OPTIONS",
        "access-control-allow-headers": "Authorization, If-Modified-Since, If-None-Match, X-Request-Id",
        "access-control-max-age": "600",
    }
    assert answer.headers["vary"] == "Origin"
    assert answer.headers["x-request-id"]


def test_an_origin_that_cannot_be_sent_back_is_not(service):
    answer = service.client.options(COMPANY, headers={"Origin": "https://a\xff.example".encode("latin-1")} | ASKED)
    assert answer.status_code == 204
    assert ALLOW not in answer.headers


def test_options_that_ask_no_leave(service):
    for headers in ({}, {"Origin": "https://example.com"}, ASKED):
        answer = service.client.options(COMPANY, headers=headers)
        assert (answer.status_code, answer.headers["allow"]) == (204, METHODS)
        assert ALLOW not in answer.headers
    unknown = service.client.options("/api/v1/nothing", headers={"Origin": "https://example.com"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "route_not_found")


def test_no_page_may_ask_for_another_method(service):
    """The browser tells its developer which methods are allowed."""
    for path in (COMPANY, "/api/v1/webhooks", "/api/v1/usage"):
        asked_for = {"Origin": "https://example.com", "Access-Control-Request-Method": "POST"}
        answer = service.client.options(path, headers=asked_for)
        assert (answer.status_code, answer.headers["access-control-allow-methods"]) == (204, METHODS)
