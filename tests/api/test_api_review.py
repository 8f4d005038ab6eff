"""What attacks on the service found once, and must not find again."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from api.observability.redaction import redact
from tests.tables import check_cases
from warehouse.reader.types import EventQuery
from warehouse.text_normalisation import fold_text

COMPANY = "/api/v1/companies/5599999991"
SE = "firm:SE:5599999991"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def pages_of(service, query):
    """The pages of a search, following `next_cursor`."""
    found, path = [], f"/api/v1/companies?{query}"
    while path:
        body = service.get(path).json()
        found.append(body)
        path = f"/api/v1/companies?{query}&cursor={body['next_cursor']}" if body["has_more"] else None
    return found


def log_of(service):
    service.parts.access_log.flush()
    return b"".join(service.lines).decode()


@pytest.mark.parametrize(
    "spelling",
    [
        "firm_live_{0}",
        "firm%5Flive%5F{0}",
        "firm_live%5f{0}",
        "FIRM_LIVE_{0}",
        "firm%255Flive%255F{0}",
        "firm_live_%61{0}",
    ],
)
def test_no_spelling_of_a_key_is_logged(own_service, spelling):
    secret = own_service.key.removeprefix("firm_live_")
    own_service.get("/api/v1/companies?q=" + spelling.format(secret))
    assert secret not in log_of(own_service)
    assert secret not in redact("q=" + spelling.format(secret) + "&limit=1")


def test_what_is_no_key_is_logged_as_it_was():
    for text in ("/api/v1/companies/firm:SE:5599999991", "q=firma%20live", "q=%C3%A5&limit=1", "q=firm_x"):
        assert redact(text) == text


def test_an_unknown_path_repeats_no_key(service):
    answer = service.get(f"/api/{service.key}")
    assert answer.status_code == 404
    assert service.key not in answer.text


@pytest.mark.parametrize("path", ["/api/openapi.json", "/healthz", "/readyz", "/problems/uri-too-long"])
def test_a_key_in_the_url_is_refused_where_none_is_needed(service, path):
    answer = service.client.get(f"{path}?api_key={service.key}")
    assert (answer.status_code, answer.json()["code"]) == (400, "api_key_in_url")
    assert service.client.get(path).status_code == 200


@pytest.mark.parametrize("path", [COMPANY, "/api/v1/companies", "/api/openapi.json", "/healthz"])
def test_options_carries_the_headers_of_every_answer(service, path):
    answer = service.client.options(path)
    assert answer.status_code == 204
    assert answer.headers["cache-control"] == "no-store"
    assert {"x-request-id", "vary", "x-content-type-options", "allow"} <= set(answer.headers)


def repeated(service, name, values):
    """The status of a request with several lines of one header (the test client would join them)."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": COMPANY,
        "raw_path": COMPANY.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"host", b"api.example.com"),
            (b"authorization", f"Bearer {service.key}".encode()),
            *((name.lower().encode(), value.encode()) for value in values),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    asyncio.run(service.app(scope, receive, send))
    return sent[0]["status"]


@pytest.mark.parametrize("values", [['"other"', "*"], ["*", '"other"']])
def test_lines_of_if_none_match_are_one_list(service, values):
    assert repeated(service, "If-None-Match", values) == 304


@pytest.mark.parametrize("values", [["text/html", "application/json"], ["application/json", "text/html"]])
def test_lines_of_accept_are_one_list(service, values):
    assert repeated(service, "Accept", values) == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*, application/json;q=0", 406),
        ("application/json;q=0, */*", 406),
        ("application/json; q=0., */*;q=0.5", 406),
        ("*/*;q=0, application/json", 200),
        ("application/json;q=0.5, text/html", 200),
    ],
)
def test_the_narrowest_range_of_accept_decides(service, accept, status):
    assert service.get(COMPANY, Accept=accept).status_code == status


def test_the_next_link_has_one_cursor_however_it_was_written(service):
    first = service.get("/api/v1/companies?limit=1").json()
    second = service.get(f"/api/v1/companies?limit=1&curso%72={first['next_cursor']}")
    target = second.headers["link"].removeprefix("<https://api.example.com").removesuffix('>; rel="next"')
    third = service.get(target)
    assert third.status_code == 200
    ids = [body["data"][0]["id"] for body in (first, second.json(), third.json())]
    assert len(set(ids)) == 3


NUMBERS = ["800000001", "800000002", "800000003", "800000004"]


@pytest.mark.parametrize("exact", NUMBERS)
def test_no_page_is_promised_for_the_exact_match_alone(make, serve, exact):
    made = make()
    # the names find the exact match too, after the others: it must not count as more
    named = [
        made.company(f"firm:NO:{number}", f"{exact} {'OG ANNET' if number == exact else 'AS'}")
        | {"status": "dissolved" if number == exact else "active"}
        for number in NUMBERS
    ]
    made.publish(named)
    service = serve(made.world)
    for limit in (1, 2, 3, 4):
        pages = pages_of(service, f"q={exact}&limit={limit}")
        assert all(page["data"] for page in pages), limit
        seen = [row["org_number"] for page in pages for row in page["data"]]
        assert seen[0] == exact
        assert sorted(seen) == NUMBERS


@pytest.fixture
def recorded(service):
    """When the events of the world were recorded: all in one second."""
    rows = service.get(f"/api/v1/companies/{SE}/events").json()["data"]
    return rows[0]["recorded_at"].removesuffix("Z")


@check_cases(
    ("query", "count"),
    [
        ("since={0}Z", 10),
        ("since={0}.000Z", 10),
        ("since={0}.001Z", 0),
        ("until={0}Z", 0),
        ("until={0}.001Z", 10),
        ("since=0300-01-01T00:00:00Z", 10),
        ("until=0300-01-01T00:00:00Z", 0),
        ("until=9999-12-31T23:59:59.999Z", 10),
    ],
)
def test_bounds_hold_to_the_fraction_and_for_every_year(service, recorded, query, count):
    answer = service.get(f"/api/v1/companies/{SE}/events?" + query.format(recorded))
    assert answer.status_code == 200
    assert len(answer.json()["data"]) == count


def test_bounds_are_compared_as_instants_not_as_zones(service, recorded):
    later = datetime.fromisoformat(recorded).replace(tzinfo=UTC)
    with service.parts.reader.pin() as snapshot:
        page = snapshot.events(SE, EventQuery(since=later), None, 25)
    assert len(page.rows) == 10


@pytest.mark.parametrize(
    ("name", "words"), [("Acme™", "acmetm"), ("№ 5 AS", "no 5 as"), ("STRAẞE ÆØÅ", "strasse aeoa")]
)
def test_folding_leaves_no_capital(name, words):
    assert fold_text(name) == words


def test_a_list_of_owners_goes_on_about_the_day_it_began(own_service):
    path = f"/api/v1/companies/{SE}/ownership?limit=1"
    first = own_service.get(path).json()
    assert first["has_more"]
    own_service.hands.seconds += 24 * 3600
    second = own_service.get(f"{path}&cursor={first['next_cursor']}").json()
    assert second["as_of"] == first["as_of"]
    assert second["known_pct"] == first["known_pct"]
    assert own_service.get(path).json()["as_of"] != first["as_of"]


def test_every_answer_of_an_error_is_whole(service):
    for path in ("/nope", "/api/v1/companies/x", "/api/v1/companies?limit=0", "/api/v1/events"):
        answer = service.get(path)
        assert answer.headers["content-type"] == "application/problem+json"
        body = json.loads(answer.text)
        assert body["request_id"] == answer.headers["x-request-id"]
        assert {"cache-control", "vary", "x-content-type-options"} <= set(answer.headers)


def test_lists_of_a_profile_are_never_null(make, serve):
    made = make()
    made.publish(
        [made.company("firm:NO:800000001", "X AS") | {"previous_names": None, "address_lines": None}]
    )
    body = serve(made.world).get("/api/v1/companies/800000001?include=detail,address,identifiers").json()
    assert (body["previous_names"], body["address"]["lines"], body["isin"]) == ([], [], [])
