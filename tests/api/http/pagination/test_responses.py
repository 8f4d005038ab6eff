"""Pages of lists over HTTP: cursors that were altered, are of older editions, or stay short; queries at the edges."""

import base64
import itertools
import string
from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.auth.service_secrets import ServiceSecrets
from api.companies.query_params import EventsParams, FinancialsParams, OwnershipParams, SearchParams
from api.http.pagination.cursors import MAX_LENGTH, CursorBinding, filter_hash
from api.http.query.model import QueryModel
from tests.tables import check_cases
from warehouse.reader.reader import ReleaseReader

SE = "firm:SE:5599999991"
NO = "firm:NO:999999999"
LISTS = {
    "companies": "/api/v1/companies?limit=1",
    "names": "/api/v1/companies?q=e&limit=1",
    "by_name": "/api/v1/companies?sort=name&limit=1",
    "by_revenue": "/api/v1/companies?sort=-latest_revenue&limit=1",
    "by_date": "/api/v1/companies?sort=-registered_date&limit=1",
    "financials": "/api/v1/companies/999999999/financials?limit=1",
    "ownership": f"/api/v1/companies/{SE}/ownership?limit=1",
    "events": f"/api/v1/companies/{SE}/events?limit=1",
    "tail": f"/api/v1/companies/{SE}/events?order=asc&limit=1",
}
ALPHABET = string.ascii_letters + string.digits + "-_"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def cursor_of(service, path):
    cursor = service.get(path).json()["next_cursor"]
    assert cursor, path
    return cursor


def code_of(service, path, cursor):
    answer = service.get(f"{path}&cursor={cursor}")
    return answer.status_code, answer.json().get("code")


@check_cases("path", LISTS.values(), ids=LISTS)
def test_cursor_tamper(service, path):
    """One character changed, anywhere: never a page, never a failure."""
    cursor = cursor_of(service, path)
    assert code_of(service, path, cursor) == (200, None)
    for place in range(0, len(cursor), 3):
        other = ALPHABET[(ALPHABET.index(cursor[place]) + 1) % len(ALPHABET)]
        tampered = cursor[:place] + other + cursor[place + 1 :]
        assert code_of(service, path, tampered) == (400, "invalid_cursor"), place
    for length in (1, 2, len(cursor) // 2, len(cursor) - 1):
        assert code_of(service, path, cursor[:length]) == (400, "invalid_cursor")
        assert code_of(service, path, cursor[-length:]) == (400, "invalid_cursor")


@given(place=st.integers(0, 10_000), by=st.integers(1, 255), cut=st.integers(0, 40), more=st.binary(max_size=8))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cursor_bytes_altered_in_any_way(service, place, by, cut, more):
    path = LISTS["tail"]
    cursor = cursor_of(service, path)
    raw = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    raw[place % len(raw)] ^= by
    altered = base64.urlsafe_b64encode(bytes(raw[: len(raw) - cut]) + more).rstrip(b"=").decode()
    assert code_of(service, path, altered) == (400, "invalid_cursor")


@given(st.text(ALPHABET + "=+/. é\x00\n%&", max_size=600))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_no_cursor(service, text):
    assert code_of(service, LISTS["companies"], quote(text, safe="")) == (400, "invalid_cursor")


@check_cases("mine", LISTS)
@check_cases("theirs", ["companies", "financials", "ownership", "events", "tail"])
def test_cursor_mismatch(service, mine, theirs):
    """Cursors are of one list: endpoints, companies, filters and directions do not mix."""
    if mine == theirs:
        return
    cursor = cursor_of(service, LISTS[theirs])
    assert code_of(service, LISTS[mine], cursor) == (400, "cursor_mismatch")


@pytest.mark.parametrize(
    "other",
    [
        "/api/v1/companies/999999999/events?order=asc&limit=1",
        f"/api/v1/companies/{SE}/events?order=asc&limit=1&event_type=filing.added",
        f"/api/v1/companies/{SE}/events?order=asc&limit=1&since=2026-01-01T00:00:00Z",
    ],
)
def test_cursor_of_a_tail_is_of_its_company_and_filters(service, other):
    cursor = cursor_of(service, LISTS["tail"])
    assert code_of(service, other, cursor) == (400, "cursor_mismatch")


@pytest.fixture(scope="module")
def other_key(service):
    """A key of another account."""
    service.accounts.create_account("other@example.com", "pro")
    return service.accounts.create_key("other@example.com", "live").key


@check_cases("path", LISTS.values(), ids=LISTS)
def test_cursor_of_another_account(service, other_key, path):
    cursor = cursor_of(service, path)
    answer = service.client.get(f"{path}&cursor={cursor}", headers={"Authorization": f"Bearer {other_key}"})
    if "order=asc" in path:  # bound to company and filters only
        assert answer.status_code == 200
    else:
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")


@check_cases("path", LISTS.values(), ids=LISTS)
def test_cursor_expiry(own_service, path):
    cursor = cursor_of(own_service, path)
    own_service.hands.seconds += 7 * 24 * 3600
    assert code_of(own_service, path, cursor) == (200, None)
    own_service.hands.seconds += 1
    expected = (200, None) if "order=asc" in path else (400, "cursor_expired")
    assert code_of(own_service, path, cursor) == expected


def test_cursors_outlive_a_rotation_of_the_secret_and_the_key(serve, world):
    before = ServiceSecrets.generate()
    earlier = serve(world, secrets=before)
    rotated = replace(before, cursor_keys=(b"n" * 32, *before.cursor_keys))
    service = serve(world, secrets=rotated)  # its key is a new one of the same account
    forgotten = serve(world, secrets=replace(before, cursor_keys=(b"n" * 32,)))
    for path in LISTS.values():
        cursor = cursor_of(earlier, path)
        assert code_of(service, path, cursor) == (200, None), path
        assert code_of(forgotten, path, cursor) == (400, "invalid_cursor"), path


def issued(service, path, key):
    """A cursor as this service signs it, for a key that its lists of today do not have."""
    resource = path.split("?")[0].rsplit("/", 1)[-1]
    query, company_id = {
        "companies": (SearchParams, ()),
        "financials": (FinancialsParams, (NO,)),
        "ownership": (OwnershipParams, (SE,)),
        "events": (EventsParams, (SE,)),
    }[resource]
    values: QueryModel = query.read(path.split("?")[1].encode())
    lasting = "order=asc" in path
    key_record = service.accounts.keys("owner@example.com")[0]
    filters = filter_hash(*company_id, values.filters())
    binding = CursorBinding(key_record.account_id, resource, filters, "asc" if lasting else "desc", lasting)
    return service.parts.cursor_cipher.issue(binding, key)


@check_cases("path", LISTS.values(), ids=LISTS)
@check_cases(
    "key",
    [
        (None,),
        ("x",),
        (1.5,),
        (2**63,),
        (1, "x", None, 4),
        ("2026-11-20",),
        ("2026-11-20", "x", "y"),
        ("not a day", 0, 1, "own_x"),
        (0, -1.5, "own_x"),
        (None, None, None),
        tuple(range(9)),
    ],
)
def test_cursors_of_older_shapes_are_invalid_and_no_failure(service, path, key):
    status, code = code_of(service, path, issued(service, path, key))
    assert (status, code) == (400, "invalid_cursor")


def test_what_is_issued_by_hand_is_what_the_service_issues(service):
    for path in LISTS.values():
        cursor = cursor_of(service, path)
        assert code_of(service, path, cursor) == (200, None)
    tail = LISTS["tail"]
    assert code_of(service, tail, issued(service, tail, (3,))) == (200, None)
    financials = LISTS["financials"]
    key = (-1, 0, -1, "USD", "fil_x", 0, -1)
    assert code_of(service, financials, issued(service, financials, key)) == (200, None)


@pytest.fixture(scope="module")
def named_at_length(new_world, shared_serve):
    made = new_world()
    names = ["Ö" * 300 + str(number) for number in range(3)] + ["ß漢" * 200, "🏭" * 300, " ".join(["ÅØ" * 9] * 60)]
    companies = [made.company(f"firm:UK:{90000000 + number}", name) for number, name in enumerate(names)]
    owners = [made.owner("firm:UK:90000000", name) for name in names]
    events = [made.event("firm:UK:90000000", number) for number in range(3)]
    periods = [made.period("firm:UK:90000000", year) for year in (2022, 2023, 2024)]
    made.publish(companies, owners=owners, events=events, periods=periods)
    return shared_serve(made.world)


@check_cases(
    "path",
    [
        *(f"companies?sort={sort}" for sort in ("id", "name", "-latest_revenue", "-registered_date")),
        *(f"companies?sort={sort}&country=UK&status=active&q=o" for sort in ("relevance", "name", "id")),
        "companies/90000000/financials?",
        "companies/90000000/ownership?",
        "companies/90000000/events?",
        "companies/90000000/events?order=asc",
    ],
)
def test_no_cursor_is_longer_than_promised(named_at_length, path):
    service = named_at_length
    seen, cursor = [], ""
    while True:
        body = service.get(f"/api/v1/{path}&limit=1{cursor}").json()
        seen += [str(row) for row in body["data"]]
        if body["next_cursor"] is not None:
            assert len(body["next_cursor"]) <= MAX_LENGTH == 512
        if not body["has_more"]:
            break
        cursor = f"&cursor={body['next_cursor']}"
    whole = service.get(f"/api/v1/{path}").json()
    assert seen == [str(row) for row in whole["data"]]
    assert len(seen) > 1


def test_a_company_that_goes_between_pages_is_gone(make, serve):
    made = make()
    gone = NO
    made.publish(
        [made.company(gone, "EN AS"), made.company("firm:NO:800000002", "TO AS")],
        events=[made.event(gone, number) for number in range(3)],
    )
    service = serve(made.world, ReleaseReader(made.world.layout, monotonic=itertools.count().__next__))
    path = "/api/v1/companies/999999999/events?limit=1"
    first = service.get(path)
    assert first.headers["firm-release"] == "1"
    made.publish([made.company("firm:NO:800000002", "TO NY AS")], gone=[gone])
    answer = service.get(f"{path}&cursor={first.json()['next_cursor']}")
    assert (answer.status_code, answer.json()["reason"]) == (404, "not_found")
