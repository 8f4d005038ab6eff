"""Requests at the edges of the contract, over HTTP: what it leaves open, decided here."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from tests.tables import check_cases
from warehouse.reader.types import EventQuery

SE = "firm:SE:5599999991"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@check_cases(
    "path",
    [
        "companies/999999999/financials?from_year=2020&to_year=2019",
        f"companies/{SE}/events?since=2026-11-21T00:00:00Z&until=2026-11-01T00:00:00Z",
        f"companies/{SE}/ownership?as_of=1915-05-05",
        f"companies/{SE}/ownership?min_pct=100",
        "companies?q=%E2%80%8D",
        "companies?q=" + quote("漢" * 200),
        "companies?q=" + quote("zq " * 66),
        "companies?q=" + quote("NOT (a OR b) AND *"),
    ],
)
def test_what_excludes_itself_is_an_empty_page(service, path):
    answer = service.get(f"/api/v1/{path}")
    assert answer.status_code == 200
    assert (answer.json()["data"], answer.json()["has_more"]) == ([], False)


@check_cases(
    ("query", "code", "parameter"),
    [
        ("limit=1&Limit=2", "unknown_parameter", "Limit"),
        ("LIMIT=1", "unknown_parameter", "LIMIT"),
        ("limit=1&lim%69t=2", "duplicate_parameter", "limit"),
        ("limit=1&limit=1", "duplicate_parameter", "limit"),
        ("limit=1&limit=", "duplicate_parameter", "limit"),
        ("country=SE&country=NO", "duplicate_parameter", "country"),
        ("q=a%00b", "invalid_parameter", "q"),
        ("q%00=a", "unknown_parameter", "q\x00"),
        ("q=a%0Ab", "invalid_parameter", "q"),
        ("q=" + "a" * 201, "invalid_parameter", "q"),
        ("q=" + quote("漢" * 201), "invalid_parameter", "q"),
        ("=a", "unknown_parameter", ""),
        ("fields=name,name", "invalid_parameter", "fields"),
        ("fields=Name", "invalid_parameter", "fields"),
        ("fields=", "invalid_parameter", "fields"),
        ("include=detail", "unknown_parameter", "include"),
    ],
)
def test_unknown_and_duplicate_parameter(service, query, code, parameter):
    answer = service.get(f"/api/v1/companies?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert [error["parameter"] for error in answer.json()["errors"]] == [parameter]


def test_an_include_given_twice_is_refused_and_fields_come_in_the_order_of_the_profile(service):
    path = "/api/v1/companies/5599999991"
    answer = service.get(f"{path}?include=detail,detail")
    assert answer.json()["errors"][0]["code"] == "duplicate"
    one = service.get(f"{path}?fields=status,id,name")
    assert list(one.json()) == ["id", "name", "status"]
    assert one.content == service.get(f"{path}?fields=name,status").content
    assert one.headers["etag"] == service.get(f"{path}?fields=name,status").headers["etag"]
    parts = service.get(f"{path}?include=address,detail"), service.get(f"{path}?include=detail,address")
    assert parts[0].json() == parts[1].json()


@check_cases(
    ("number", "status", "code"),
    [
        ("sc123456", 404, "company_not_found"),
        ("SC%2F12345", 400, "invalid_org_number"),
        ("5599999991%00", 400, "invalid_org_number"),
        ("5599999991%20", 400, "invalid_org_number"),
        ("%2e%2e", 400, "invalid_org_number"),
        ("559999%2D9991", 200, None),
        ("Firm:se:5599999991", 200, None),
        ("5599999991%2Ffinancials", 400, "invalid_org_number"),
        ("%D9%A5599999991", 400, "invalid_org_number"),
    ],
)
def test_numbers_however_they_are_escaped(service, number, status, code):
    answer = service.get(f"/api/v1/companies/{number}")
    assert (answer.status_code, answer.json().get("code")) == (status, code)


@check_cases(
    ("path", "parameter"),
    [
        ("companies/12ab/financials", "org_number"),
        ("companies/12ab/group", "org_number"),
        ("companies/12ab/events", "company_id"),
    ],
)
def test_an_invalid_number_is_named_as_its_path_names_it(service, path, parameter):
    [error] = service.get(f"/api/v1/{path}").json()["errors"]
    assert error["parameter"] == parameter


@check_cases(
    ("asked", "status"),
    [
        ("{tag}", 304),
        ('"x", {tag}', 304),
        ('{tag} , W/"y"', 304),
        ("*", 304),
        ('"x",*', 304),
        ("{bare}", 200),
        ('W/ "{bare}"', 200),
        ('w/"{bare}"', 200),
        ('"{bare}', 200),
        ('"{bare}x"', 200),
        ('"",,', 200),
        ("", 200),
    ],
)
@check_cases("path", ["/api/v1/companies/5599999991", "/api/v1/companies?limit=2", "/api/v1/markets"])
def test_if_none_match_lists(service, path, asked, status):
    tag = service.get(path).headers["etag"]
    bare = tag.removeprefix('W/"').removesuffix('"')
    assert service.get(path, **{"If-None-Match": asked.format(tag=tag, bare=bare)}).status_code == status


NUMBERS = ["800000001", "800000002", "800000003", "800000004"]


def pages_of(service, query):
    """The pages of a search, following `next_cursor`."""
    found, path = [], f"/api/v1/companies?{query}"
    while path:
        body = service.get(path).json()
        found.append(body)
        path = f"/api/v1/companies?{query}&cursor={body['next_cursor']}" if body["has_more"] else None
    return found


def test_the_next_link_has_one_cursor_however_it_was_written(service):
    first = service.get("/api/v1/companies?limit=1").json()
    second = service.get(f"/api/v1/companies?limit=1&curso%72={first['next_cursor']}")
    target = second.headers["link"].removeprefix("<https://api.example.com").removesuffix('>; rel="next"')
    third = service.get(target)
    assert third.status_code == 200
    ids = [body["data"][0]["id"] for body in (first, second.json(), third.json())]
    assert len(set(ids)) == 3


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
    with service.parts.release_reader.pin_release() as snapshot:
        page = snapshot.company_events(SE, EventQuery(since=later), None, 25)
    assert len(page.rows) == 10


def test_a_list_of_owners_goes_on_about_the_day_it_began(own_service):
    path = f"/api/v1/companies/{SE}/ownership?limit=1"
    first = own_service.get(path).json()
    assert first["has_more"]
    own_service.hands.seconds += 24 * 3600
    second = own_service.get(f"{path}&cursor={first['next_cursor']}").json()
    assert second["as_of"] == first["as_of"]
    assert second["known_pct"] == first["known_pct"]
    assert own_service.get(path).json()["as_of"] != first["as_of"]


def test_lists_of_a_profile_are_never_null(make, serve):
    made = make()
    made.publish([made.company("firm:NO:800000001", "X AS") | {"previous_names": None, "address_lines": None}])
    body = serve(made.world).get("/api/v1/companies/800000001?include=detail,address,identifiers").json()
    assert (body["previous_names"], body["address"]["lines"], body["isin"]) == ([], [], [])
