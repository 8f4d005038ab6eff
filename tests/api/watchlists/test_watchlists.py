"""Watchlists over HTTP: made, listed, renamed, deleted, filled and emptied, within the tier's limit, on both engines."""

import threading

import pytest

from api.openapi.examples import watchlists as examples
from tests.tables import check_cases

ALL = "/api/v1/watchlists"
UNKNOWN = f"{ALL}/wl_01kaf3w9c8m2v7q4x1z6t5y0r2"
KNOWN = "firm:SE:5599999991"


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


def send(service, method, path, body=None, **headers):
    return service.client.request(method, path, headers=service.headers | headers, json=body)


def make(service, name="Suppliers"):
    """The path of a new watchlist."""
    answer = send(service, "POST", ALL, {"name": name})
    assert answer.status_code == 201, answer.text
    return answer.headers["location"]


def ids(count, first=900_000_000):
    return [f"firm:NO:{number}" for number in range(first, first + count)]


def listed(service, path, limit=100):
    found, query = [], f"?limit={limit}"
    while True:
        page = service.get(f"{path}/companies{query}").json()
        found += page["data"]
        if not page["has_more"]:
            return found
        query = f"?limit={limit}&cursor={page['next_cursor']}"


def test_a_watchlist_is_made_renamed_and_deleted(service):
    answer = send(service, "POST", ALL, examples.NEW_WATCHLIST)
    made, path = answer.json(), answer.headers["location"]
    assert (answer.status_code, answer.headers["etag"], list(made)) == (201, '"1"', list(examples.WATCHLIST))
    assert path == f"{ALL}/{made['id']}"
    assert made | {"id": examples.WATCHLIST["id"]} == {
        "id": examples.WATCHLIST["id"],
        "name": "Suppliers",
        "company_count": 0,
        "created_at": "2026-11-21T09:00:00Z",
        "updated_at": "2026-11-21T09:00:00Z",
    }
    assert service.get(path).json() == made
    service.hands.seconds += 60
    renamed = send(service, "PATCH", path, {"name": "Customers"})
    assert (renamed.status_code, renamed.headers["etag"]) == (200, '"2"')
    assert renamed.json() == made | {"name": "Customers", "updated_at": "2026-11-21T09:01:00Z"}
    same = send(service, "PATCH", path, {"name": "Customers"}, **{"If-Match": '"2"'})
    assert (same.status_code, same.headers["etag"]) == (200, '"2"')
    assert send(service, "PATCH", path, {"name": "x"}, **{"If-Match": '"1"'}).json()["code"] == "precondition_failed"
    assert send(service, "DELETE", path, **{"If-Match": '"1"'}).status_code == 412
    assert send(service, "PUT", f"{path}/companies/{KNOWN}").status_code == 204
    assert send(service, "DELETE", path).status_code == 204
    for method in ("GET", "PATCH", "DELETE"):
        gone = send(service, method, path, {} if method == "PATCH" else None)
        assert (gone.status_code, gone.json()["code"]) == (404, "watchlist_not_found")


def test_watchlists_are_listed_by_pages_newest_first(service):
    paths = []
    for number in range(5):
        paths.append(make(service, f"List {number}"))
        service.hands.seconds += 1
    first = service.get(f"{ALL}?limit=3").json()
    rest = service.get(f"{ALL}?limit=3&cursor={first['next_cursor']}").json()
    assert [one["name"] for one in first["data"] + rest["data"]] == [f"List {number}" for number in reversed(range(5))]
    assert (first["has_more"], rest["has_more"], rest["next_cursor"]) == (True, False, None)
    other = service.get(f"{paths[0]}/companies?cursor={first['next_cursor']}")
    assert other.json()["code"] == "cursor_mismatch"


def test_companies_are_added_and_removed_in_any_spelling(service):
    path = make(service)
    for spelling in (KNOWN, "5599999991", "559999-9991"):
        answer = send(service, "PUT", f"{path}/companies/{spelling}")
        assert (answer.status_code, answer.content) == (204, b"")
    send(service, "PUT", f"{path}/companies/firm:NO:900000000")
    [unknown, known] = listed(service, path)
    assert list(known) == list(examples.WATCHLIST_COMPANIES["data"][0])
    assert (known["company_id"], known["org_number"], known["name"] is None) == (KNOWN, "5599999991", False)
    assert (unknown["company_id"], unknown["name"]) == ("firm:NO:900000000", None)
    assert (service.get(path).json()["company_count"], service.get(path).headers["etag"]) == (2, '"3"')
    for _ in range(2):
        assert send(service, "DELETE", f"{path}/companies/5599999991").status_code == 204
    assert [one["company_id"] for one in listed(service, path)] == ["firm:NO:900000000"]
    for method in ("PUT", "DELETE"):
        stale = send(service, method, f"{path}/companies/{KNOWN}", **{"If-Match": '"1"'})
        assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert send(service, "PUT", f"{path}/companies/none").json()["code"] == "invalid_org_number"


def test_a_change_of_many_companies_is_made_whole(service):
    path = make(service)
    changed = send(service, "POST", f"{path}/companies", examples.MEMBERSHIP_CHANGES)
    assert changed.status_code == 200
    assert changed.json() == examples.CHANGED_MEMBERSHIP | {"id": path.rsplit("/", 1)[1]}
    many = send(service, "POST", f"{path}/companies", {"add": ids(1_000), "remove": ["5599999991"]})
    assert [many.json()[name] for name in ("added", "removed", "company_count")] == [1_000, 1, 1_001]
    for body in ({"add": ids(1_000), "remove": ["5599999991"]}, {}):
        again = send(service, "POST", f"{path}/companies", body)
        assert [again.json()[name] for name in ("added", "removed", "company_count")] == [0, 0, 1_001]
    assert service.get(path).headers["etag"] == '"3"'
    found = [one["company_id"] for one in listed(service, path)]
    assert found == sorted([*ids(1_000), "firm:NO:999999999"])


@check_cases(
    ("body", "pointer", "code"),
    [
        ({"add": []}, "/add", "empty_array"),
        ({"add": None}, "/add", "type"),
        ({"add": [KNOWN, KNOWN]}, "/add/1", "duplicate"),
        ({"add": [KNOWN, "none"]}, "/add/1", "invalid_company"),
        ({"add": [KNOWN], "remove": ["firm:NO:999999999", "5599999991"]}, "/remove/1", "contradiction"),
        ({"add": ids(1_001)}, "/add", "too_many"),
        ({"added": [KNOWN]}, "/added", "unknown_member"),
    ],
)
def test_a_change_that_cannot_be_read_is_refused(shared_service, body, pointer, code):
    answer = send(shared_service, "POST", f"{UNKNOWN}/companies", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert (pointer, code) in {(error["pointer"], error["code"]) for error in answer.json()["errors"]}


@check_cases(("name", "code"), [("", "format"), (" ", "format"), ("x" * 101, "too_long"), (7, "type"), (None, "type")])
def test_a_name_is_text(shared_service, name, code):
    told = send(shared_service, "POST", ALL, {"name": name}).json()
    assert [error["pointer"] for error in told["errors"]] == ["/name"], told
    assert code in {error["code"] for error in told["errors"]}, told


def test_the_tier_limits_the_companies_of_all_watchlists(service):
    service.accounts.set_tier("owner@example.com", "basic")
    service.hands.seconds += 3_600
    one, other = make(service), make(service)
    assert send(service, "POST", f"{one}/companies", {"add": ids(60)}).status_code == 200
    refused = send(service, "POST", f"{other}/companies", {"add": ids(41)})
    assert (refused.status_code, refused.json()["code"], refused.json()["limit"]) == (
        403,
        "watchlist_limit_reached",
        100,
    )
    assert service.get(other).json()["company_count"] == 0
    assert send(service, "POST", f"{other}/companies", {"add": ids(40)}).status_code == 200
    assert send(service, "PUT", f"{other}/companies/{KNOWN}").json()["code"] == "watchlist_limit_reached"
    swapped = send(service, "POST", f"{other}/companies", {"add": [KNOWN], "remove": ids(1)})
    assert swapped.json()["company_count"] == 40
    assert send(service, "PUT", f"{other}/companies/{KNOWN}").status_code == 204  # it is there already


def test_a_smaller_tier_keeps_what_there_is(service):
    path = make(service)
    send(service, "POST", f"{path}/companies", {"add": ids(200)})
    service.accounts.set_tier("owner@example.com", "basic")
    service.hands.seconds += 3_600
    assert len(listed(service, path)) == 200
    assert send(service, "POST", f"{path}/companies", {"remove": ids(10)}).json()["company_count"] == 190
    assert send(service, "PUT", f"{path}/companies/{KNOWN}").status_code == 403


def test_an_account_has_a_hundred_watchlists(serve, world):
    service = serve(world)
    for number in range(100):
        make(service, f"List {number}")
        service.hands.seconds += 1
    refused = send(service, "POST", ALL, {"name": "One more"})
    assert (refused.status_code, refused.json()["limit"]) == (403, 100)


def test_another_account_s_watchlist_does_not_exist(service):
    path = make(service)
    service.accounts.create_account("other@example.com", "pro")
    key = service.accounts.create_key("other@example.com", "live").key
    theirs = {"Authorization": f"Bearer {key}"}
    for method, below in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/companies"),
        ("PUT", f"/companies/{KNOWN}"),
    ):
        answer = service.client.request(
            method, path + below, headers=theirs, json={"name": "x"} if method == "PATCH" else None
        )
        assert answer.json()["code"] == "watchlist_not_found", method + below
    assert service.client.get(ALL, headers=theirs).json()["data"] == []


def test_a_repeated_request_is_made_once(service):
    key = {"Idempotency-Key": "one"}
    first, again = (send(service, "POST", ALL, examples.NEW_WATCHLIST, **key) for _ in range(2))
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert len(service.get(ALL).json()["data"]) == 1


def test_requests_at_one_time_stay_within_the_limit(service):
    service.accounts.set_tier("owner@example.com", "basic")
    service.hands.seconds += 3_600
    path = make(service)
    answers = []

    def add(first):
        answers.append(send(service, "POST", f"{path}/companies", {"add": ids(30, first)}).status_code)

    threads = [threading.Thread(target=add, args=(900_000_000 + 100 * number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 200, 200, 403, 403, 403]
    assert service.get(path).json()["company_count"] == len(listed(service, path)) == 90
