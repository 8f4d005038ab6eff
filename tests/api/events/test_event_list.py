"""Events of all companies: the pages are the ledger, filters are its filter, a tail resumes, tiers that may read it."""

import pytest

from tests.tables import check_cases
from warehouse.reader.queries import ledger_events

EVENTS = "/api/v1/events"
SE, NO = "firm:SE:5599999991", "firm:NO:999999999"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def walk(service, query=""):
    """All events until the ledger ends, and the last cursor."""
    rows, path = [], f"{EVENTS}?{query}"
    while True:
        body = service.get(path).json()
        rows += body["data"]
        kept = [part for part in query.split("&") if part and not part.startswith("since=")]
        path = f"{EVENTS}?{'&'.join([*kept, 'cursor=' + body['next_cursor']])}"
        if not body["has_more"]:
            return rows, path


def ledger(service):
    return sorted(
        (row for company in (SE, NO) for row in of_company(service, company)), key=lambda row: row["sequence"]
    )


def of_company(service, company):
    return service.get(f"/api/v1/companies/{company}/events?limit=100").json()["data"]


@check_cases("limit", [1, 5, 12, 500])
def test_pages_are_the_ledger(service, limit):
    rows, _ = walk(service, f"limit={limit}")
    assert rows == ledger(service)
    assert [row["sequence"] for row in rows] == [*range(1, 13)]


def test_rows_are_those_of_the_company_byte_for_byte(service):
    whole, of_one = (
        service.get(path).text for path in (f"{EVENTS}?country=NO", f"/api/v1/companies/{NO}/events?order=asc")
    )
    assert whole[whole.index("[") : whole.index("]")] == of_one[of_one.index("[") : of_one.index("]")]


@check_cases(
    ("query", "is_match"),
    [
        ("event_type=filing.added", lambda row: row["event_type"] == "filing.added"),
        ("event_type=filing.added,status.changed", lambda row: True),
        ("event_type=news.published", lambda row: False),
        ("country=NO", lambda row: row["company_id"] == NO),
        ("country=GB,FI", lambda row: False),
        ("industry=70&country=SE", lambda row: row["company_id"] == SE),
        ("industry=70.1,62&industry_scheme=SNI2007", lambda row: row["company_id"] == SE),
        ("industry=70&industry_scheme=SN2007", lambda row: False),
        ("industry=71&country=SE", lambda row: False),
        ("is_listed=true", lambda row: row["company_id"] == SE),
        ("is_listed=false", lambda row: row["company_id"] == NO),
        (
            "is_listed=false&event_type=filing.added",
            lambda row: row["company_id"] == NO and "filing" in row["event_type"],
        ),
        ("since=7", lambda row: row["sequence"] > 7),
        ("since=0", lambda row: True),
        ("since=999999999999999999", lambda row: False),
        ("since=2026-11-20T13:00:00Z", lambda row: True),
        ("since=2026-11-20T14:00:00.5%2B01:00", lambda row: False),
        ("since=2000-01-01T00:00:00Z&country=NO", lambda row: row["company_id"] == NO),
    ],
)
def test_filters_are_the_filtered_ledger(service, query, is_match):
    for limit in (2, 100):
        assert walk(service, f"{query}&limit={limit}")[0] == [row for row in ledger(service) if is_match(row)]


@pytest.mark.parametrize("name", ["SCANNED_EVENTS", "CHECKED_EVENTS"])
def test_a_filtered_page_looks_at_a_limited_part_and_goes_on_behind_it(service, monkeypatch, name):
    monkeypatch.setattr(ledger_events, name, 2)
    first = service.get(f"{EVENTS}?is_listed=false").json()
    assert (len(first["data"]) <= 2, first["has_more"]) == (True, True)
    assert walk(service, "is_listed=false")[0] == [row for row in ledger(service) if row["company_id"] == NO]


def watch(service, *companies):
    """A watchlist; its id."""
    made = service.client.post("/api/v1/watchlists", headers=service.headers, json={"name": "Suppliers"}).json()["id"]
    for company in companies:
        put(service, made, company)
    return made


def put(service, watchlist, company, method="PUT"):
    path = f"/api/v1/watchlists/{watchlist}/companies/{company}"
    assert service.client.request(method, path, headers=service.headers).status_code == 204


def test_a_watchlist_is_a_filter_as_it_is_now(service, monkeypatch):
    one, other, none = watch(service, NO, "firm:UK:99999999"), watch(service, SE), watch(service)
    of_no, of_se = ([row for row in ledger(service) if row["company_id"] == company] for company in (NO, SE))
    for query, expected in (
        (f"watchlist={one}", of_no),
        (f"watchlist={one},{other}", ledger(service)),
        (f"watchlist={none}", []),
        (f"watchlist={other}&is_listed=true&event_type=filing.added", [
            row for row in of_se if row["event_type"] == "filing.added"]),
        (f"watchlist={one}&country=SE", []),
        (f"watchlist={other}&is_listed=false", []),
    ):  # fmt: skip
        for limit in (1, 100):
            assert walk(service, f"{query}&limit={limit}")[0] == expected, query
    monkeypatch.setattr(ledger_events, "SCANNED_EVENTS", 2)
    assert walk(service, f"watchlist={one}")[0] == of_no
    put(service, one, SE)
    put(service, one, NO, "DELETE")
    assert walk(service, f"watchlist={one}")[0] == of_se


def test_another_accounts_watchlist_and_a_deleted_one_are_refused(service):
    service.accounts.create_account("watcher@example.com", "pro")
    key = service.accounts.create_key("watcher@example.com", "live").key
    listed = watch(service, NO)
    path = f"{EVENTS}?watchlist={listed}&limit=1"
    refused = service.client.get(path, headers={"Authorization": f"Bearer {key}"}).json()
    assert refused["errors"] == [
        {"code": "unknown_watchlist", "detail": "must be ids of watchlists of this account", "parameter": "watchlist"}
    ]
    cursor = service.get(path).json()["next_cursor"]
    service.client.delete(f"/api/v1/watchlists/{listed}", headers=service.headers)
    assert service.get(f"{path}&cursor={cursor}").json()["errors"] == refused["errors"]


def test_a_tail_goes_on_with_the_next_release(make, serve):
    maker = make()
    companies = [maker.company(SE, "A"), maker.company(NO, "B")]
    maker.publish(companies, events=[maker.event(SE, 1)])
    service = serve(maker.world)
    first, path = walk(service)
    assert service.get(path).json()["data"] == []
    maker.publish([maker.company(SE, "A2")], events=[maker.event(NO, 2), maker.event(SE, 3)])
    service.hands.seconds += 10 * 24 * 3600
    later, path = walk_from(service, path)
    assert [row["sequence"] for row in (*first, *later)] == [1, 2, 3]
    assert service.get(f"{EVENTS}?since={later[0]['recorded_at']}").json()["data"] == later
    assert service.get(f"{EVENTS}?since={first[0]['recorded_at']}").json()["data"] == [*first, *later]


def walk_from(service, path):
    body = service.get(path).json()
    return body["data"], f"{EVENTS}?cursor={body['next_cursor']}"


def test_the_link_leaves_out_since(service):
    answer = service.get(f"{EVENTS}?since=3&limit=2&country=SE,NO")
    cursor = answer.json()["next_cursor"]
    address = f"https://api.example.com{EVENTS}?limit=2&country=SE,NO&cursor={cursor}"
    assert answer.headers["link"] == f'<{address}>; rel="next"'


@check_cases(
    ("query", "code", "parameter"),
    [
        ("since=1&cursor={cursor}", "invalid_parameter", "since"),
        ("since=-1", "invalid_parameter", "since"),
        ("since=2026-11-20", "invalid_parameter", "since"),
        ("since=2026-02-31T00:00:00Z", "invalid_parameter", "since"),
        ("since=1.5", "invalid_parameter", "since"),
        ("limit=501", "invalid_parameter", "limit"),
        ("limit=0", "invalid_parameter", "limit"),
        ("industry=70", "invalid_parameter", "industry_scheme"),
        ("country=DK", "market_not_available", "country"),
        ("event_type=filing.published", "invalid_parameter", "event_type"),
        ("watchlist=wl_01kaf3w9c8m2v7q4x1z6t5y0r2", "invalid_parameter", "watchlist"),
        ("watchlist=Suppliers", "invalid_parameter", "watchlist"),
        (f"watchlist={','.join(['wl_01kaf3w9c8m2v7q4x1z6t5y0r2'] * 11)}", "invalid_parameter", "watchlist"),
        ("watchlists=wl_01kaf3w9c8m2v7q4x1z6t5y0r2", "unknown_parameter", "watchlists"),
        ("country=SE&cursor={cursor}", "cursor_mismatch", "cursor"),
        ("cursor=abc", "invalid_cursor", "cursor"),
    ],
)
def test_wrong_parameters_are_refused(service, query, code, parameter):
    cursor = service.get(EVENTS).json()["next_cursor"]
    answer = service.get(f"{EVENTS}?{query.format(cursor=cursor)}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["errors"][0]["parameter"] == parameter


def test_a_cursor_of_a_company_is_none_of_all(service):
    cursor = service.get(f"/api/v1/companies/{SE}/events?order=asc").json()["next_cursor"]
    assert service.get(f"{EVENTS}?cursor={cursor}").json()["code"] == "cursor_mismatch"


@check_cases(("tier", "status"), [("basic", 403), ("starter", 403), ("pro", 200), ("business", 200)])
def test_tiers_that_read_all_events(own_service, tier, status):
    own_service.accounts.create_account(f"{tier}@example.com", tier)
    key = own_service.accounts.create_key(f"{tier}@example.com", "live").key
    answer = own_service.client.get(EVENTS, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == status
    if status == 403:
        body = answer.json()
        assert (body["code"], body["required_tiers"], body["current_tier"]) == (
            "tier_required",
            ["pro", "business"],
            tier,
        )


@pytest.mark.parametrize(
    "path", [f"{EVENTS}?since=12", f"/api/v1/companies/{SE}/events?order=asc&since=2099-01-01T00:00:00Z"]
)
def test_polls_that_find_nothing_new_ask_for_the_same_and_are_not_counted(own_service, path):
    """Whoever polls follows `next_cursor`: only if it stays the same, a tag can confirm that nothing is new."""
    service, begun = own_service, own_service.get(path)
    first = begun.json()["next_cursor"]
    again = f"{path.replace('since=12', '')}{'' if path.endswith('=12') else '&'}cursor={first}"
    service.hands.seconds += 10
    polled = service.get(again)
    assert polled.json() == {**begun.json(), "data": [], "has_more": False}
    service.hands.seconds += 10
    confirmed = service.get(again, **{"If-None-Match": polled.headers["etag"]})
    remaining = [answer.headers["x-ratelimit-remaining"] for answer in (polled, confirmed)]
    assert (confirmed.status_code, remaining[0]) == (304, remaining[1])


def test_a_page_of_a_watchlist_is_not_confirmed_by_a_date_after_the_list_has_changed(own_service):
    """What is on a watchlist changes without a release, so `Last-Modified` cannot be the release's."""
    service, client = own_service, own_service.client
    made = client.post("/api/v1/watchlists", headers=service.headers, json={"name": "Suppliers"}).json()["id"]
    path = f"{EVENTS}?watchlist={made}"
    before = service.get(path)
    assert before.json()["data"] == []
    service.hands.seconds += 10
    added = client.put(f"/api/v1/watchlists/{made}/companies/{NO}", headers=service.headers)
    assert added.is_success
    after = service.get(path, **{"If-Modified-Since": before.headers["last-modified"]})
    assert after.status_code == 200
    assert {row["company_id"] for row in after.json()["data"]} == {NO}
