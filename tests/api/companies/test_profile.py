"""Profiles: the 14 fields, every spelling of a number, include and fields, conditional requests."""

import asyncio
import hashlib
import json

import pytest
from stdnum.fi import ytunnus
from stdnum.no import orgnr
from stdnum.se import orgnr as se_orgnr

from tests.tables import check_cases

PROFILE_FIELDS = [
    "id",
    "org_number",
    "name",
    "country",
    "sni_code",
    "sni_label",
    "municipality",
    "county",
    "registered_date",
    "status",
    "is_listed",
    "latest_revenue",
    "latest_currency",
    "latest_year",
]
NUMBERS = {"SE": "5599999991", "NO": "999999999", "FI": "9999999-2", "UK": "99999999", "US": "US9999999999"}


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def test_the_invented_numbers_pass_their_check_digits():
    assert se_orgnr.is_valid(NUMBERS["SE"])
    assert orgnr.is_valid(NUMBERS["NO"])
    assert ytunnus.is_valid(NUMBERS["FI"])


@pytest.mark.parametrize("market", NUMBERS)
def test_exactly_14_profile_keys(service, market):
    answer = service.get(f"/api/v1/companies/{NUMBERS[market]}")
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == PROFILE_FIELDS
    assert body["id"] == f"firm:{market}:{NUMBERS[market]}"
    assert body["country"] == market
    assert answer.headers["content-type"] == "application/json"


def test_unknown_is_null_and_never_zero(service):
    body = service.get("/api/v1/companies/US9999999999").json()
    assert [body[name] for name in ("latest_revenue", "latest_currency", "latest_year", "sni_code")] == [None] * 4


def test_latest_revenue_is_of_the_newest_annual_period(service):
    body = service.get("/api/v1/companies/999999999").json()
    assert (body["latest_revenue"], body["latest_currency"], body["latest_year"]) == (7, "USD", 2025)


@check_cases(
    ("spelling", "canonical"),
    [
        ("5599999991", "5599999991"),
        ("559999-9991", "5599999991"),
        ("firm:SE:5599999991", "5599999991"),
        ("firm%3ASE%3A5599999991", "5599999991"),
        ("0999999999", "999999999"),
        ("9999999-2", "9999999-2"),
        ("99999999", "99999999"),
        ("us9999999999", "US9999999999"),
        ("US-9999999999", "US9999999999"),
        ("CIK9999999999", "US9999999999"),
        ("cik%209999999999", "US9999999999"),
        ("CIK-9999999999", "US9999999999"),
        ("US:9999999999", "US9999999999"),
        ("US%3A9999999999", "US9999999999"),
        ("US%20CIK9999999999", "US9999999999"),
        ("firm:US:9999999999", "US9999999999"),
        ("firm:US:CIK9999999999", "US9999999999"),
    ],
)
def test_id_number_scoped_equality_including_etag(service, spelling, canonical):
    one, other = service.get(f"/api/v1/companies/{canonical}"), service.get(f"/api/v1/companies/{spelling}")
    assert other.status_code == 200
    assert other.content == one.content
    assert other.headers["etag"] == one.headers["etag"]
    assert "content-location" not in one.headers
    expected = None if spelling == canonical else f"/api/v1/companies/{canonical}"
    assert other.headers.get("content-location") == expected


@pytest.mark.parametrize(
    ("market", "number", "canonical"),
    [
        ("se", "5599999991", "5599999991"),
        ("fi", "99999992", "9999999-2"),
        ("gb", "99999999", "99999999"),
        ("us", "9999999999", "US9999999999"),
        ("no", "firm:NO:999999999", "999999999"),
    ],
)
def test_scoped_path_is_the_same_answer(service, market, number, canonical):
    plain, scoped = (service.get(f"/api/v1/companies/{canonical}"), service.get(f"/api/v1/{market}/companies/{number}"))
    assert (scoped.status_code, scoped.content) == (200, plain.content)
    assert scoped.headers["etag"] == plain.headers["etag"]
    assert scoped.headers["content-location"] == f"/api/v1/companies/{canonical}"


def test_a_slash_at_the_end_is_another_spelling(service):
    answer = service.get("/api/v1/companies/5599999991/?fields=name")
    assert answer.status_code == 200
    assert answer.headers["content-location"] == "/api/v1/companies/5599999991?fields=name"


@check_cases(
    ("path", "status", "code", "reason"),
    [
        ("companies/12ab", 400, "invalid_org_number", None),
        ("companies/" + "9" * 300, 400, "invalid_org_number", None),
        ("companies/5599999983", 404, "company_not_found", "not_found"),
        ("companies/5599999992", 404, "company_not_found", "check_digit_mismatch"),
        ("companies/0900124760", 404, "company_not_found", "check_digit_mismatch"),
        ("se/companies/SC123456", 404, "company_not_found", "wrong_market"),
        ("se/companies/firm:NO:999999999", 404, "company_not_found", "wrong_market"),
        ("us/companies/999999999", 404, "company_not_found", "wrong_market"),
        ("us/companies/888888888", 404, "company_not_found", "not_found"),
        ("se/companies/12ab", 400, "invalid_org_number", None),
        ("companies/firm:DK:24256790", 404, "market_not_available", None),
        ("dk/companies/24256790", 404, "market_not_available", None),
        ("de/companies/24256790", 404, "unknown_market", None),
        ("SE/companies/5599999991", 404, "unknown_market", None),
    ],
)
def test_what_cannot_be_found_says_why(service, path, status, code, reason):
    answer = service.get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"], answer.json().get("reason")) == (status, code, reason)


def test_include_adds_keys_at_top_level_after_the_14(service):
    body = service.get("/api/v1/companies/5599999991?include=sources,detail").json()
    assert list(body)[:14] == PROFILE_FIELDS
    assert body["employees"] == 1200
    assert body["previous_names"] == ["Gamla Exempelbolaget AB"]
    assert body["sources"][0]["register"] == "se.bolagsverket"
    assert "lei" not in body
    everything = service.get("/api/v1/companies/5599999991?include=detail,identifiers,address,sources").json()
    assert everything["isin"] == []
    assert everything["address"]["municipality"] == "Göteborg"
    assert {"status_detail", "is_listed_source", "lei", "cik"} <= set(everything)


def test_fields_cuts_down_and_id_stays(service):
    body = service.get("/api/v1/companies/5599999991?fields=status,name").json()
    assert list(body) == ["id", "name", "status"]
    more = service.get("/api/v1/companies/5599999991?fields=name&include=detail").json()
    assert list(more)[:2] == ["id", "name"]
    assert "website" in more


def test_headers_of_a_data_answer(service):
    answer = service.get("/api/v1/companies/5599999991")
    tag = hashlib.sha256(answer.content).hexdigest()[:16]
    assert answer.headers["etag"] == f'W/"{tag}"'
    assert answer.headers["firm-release"] == "1"
    assert answer.headers["cache-control"] == "private, max-age=60, must-revalidate"
    assert answer.headers["vary"] == "Accept-Encoding, Authorization, Origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["last-modified"] == "Fri, 20 Nov 2026 13:00:00 GMT"
    assert answer.headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize("query", ["", "?include=detail", "?fields=name"])
def test_304_for_what_the_caller_has(service, query):
    path = f"/api/v1/companies/5599999991{query}"
    tag = service.get(path).headers["etag"]
    strong = tag.removeprefix("W/")
    for asked in (tag, strong, "*", f'"other", {tag}', f'"other",{strong}'):
        answer = service.get(path, **{"If-None-Match": asked})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == tag
        assert answer.headers["cache-control"].startswith("private")
    assert service.get(path, **{"If-None-Match": '"other"'}).status_code == 200
    assert service.get(path, **{"If-None-Match": strong.strip('"')}).status_code == 200


def test_the_tag_is_the_same_for_every_key_and_process(serve, world):
    one, other = serve(world), serve(world)
    path = "/api/v1/companies?q=exempel&limit=1"
    assert one.get(path).headers["etag"] == other.get(path).headers["etag"]


@check_cases(
    "path",
    [
        "/api/v1/companies/5599999991",
        "/api/v1/companies?q=exempel",
        "/api/v1/companies/999999999/financials",
        "/api/v1/companies/5599999991/ownership",
        "/api/v1/companies/5599999991/events",
        "/api/v1/companies/5599999983",
        "/api/openapi.json",
        "/healthz",
    ],
)
def test_head_equals_get(service, path):
    got = service.get(path)
    head = service.client.head(path, headers=service.headers)
    assert (head.status_code, head.content) == (got.status_code, b"")
    ignored = {"x-request-id", "ratelimit", "x-ratelimit-remaining"}  # these tell of each request by itself
    for name, value in got.headers.items():
        # the problem's body holds the request id, which both spell with as many characters
        assert name in ignored or head.headers[name] == value, name


def test_head_sends_no_body_to_any_server(service):
    """Servers drop it too; this asks the application itself."""
    sent = []

    async def send(message):
        sent.append(message)

    path = b"/api/v1/companies/5599999991"
    scope = {"type": "http", "method": "HEAD", "path": path.decode(), "raw_path": path, "query_string": b""}
    scope["headers"] = [(b"authorization", service.headers["Authorization"].encode())]
    asyncio.run(service.app(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 200
    assert b"".join(message.get("body", b"") for message in sent[1:]) == b""


def test_body_is_compact_utf8(service):
    content = service.get("/api/v1/companies/5599999991").content
    assert content == json.dumps(json.loads(content), ensure_ascii=False, separators=(",", ":")).encode()
    assert "Göteborg".encode() in content
