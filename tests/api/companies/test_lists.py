"""Search, financials, ownership, events: contents, pages, cursors over HTTP."""

from urllib.parse import urlsplit

import pytest

from tests.tables import check_cases

FINANCIAL_FIELDS = [
    "period",
    "period_type",
    "fiscal_year",
    "fiscal_quarter",
    "period_start",
    "period_end",
    "currency",
    "revenue",
    "operating_result",
    "net_result",
    "equity",
    "total_assets",
    "employees",
    "is_consolidated",
    "accounting_standard",
    "filing_id",
    "filed_at",
    "version",
    "is_restated",
    "derived",
    "period_months",
]
OWNER_FIELDS = [
    "holder_id",
    "holder_name",
    "holder_type",
    "holder_company_id",
    "holder_country",
    "pct",
    "pct_min",
    "pct_max",
    "votes_pct",
    "share_class",
    "basis",
    "is_direct",
    "as_of",
    "first_seen",
    "reconciliation",
    "sources",
]
FINANCIALS = "/api/v1/companies/999999999/financials"
FILINGS = "/api/v1/companies/999999999/filings"
OWNERSHIP = "/api/v1/companies/5599999991/ownership"
EVENTS = "/api/v1/companies/firm:SE:5599999991/events"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def walk(service, path):
    """All rows of a list, page after page."""
    rows, cursor, pages = [], None, 0
    while True:
        joint = "&" if "?" in path else "?"
        body = service.get(path if cursor is None else f"{path}{joint}cursor={cursor}").json()
        rows += body["data"]
        pages += 1
        if not body["has_more"]:
            return rows, pages
        cursor = body["next_cursor"]


def ids(body):
    return [row["id"].removeprefix("firm:") for row in body["data"]]


def test_search_by_name_gives_whole_profiles(service):
    body = service.get("/api/v1/companies?q=exempelbolaget").json()
    assert list(body) == ["data", "next_cursor", "has_more"]
    assert body["data"][0] == service.get("/api/v1/companies/5599999991").json()
    assert (body["next_cursor"], body["has_more"]) == (None, False)


@pytest.mark.parametrize("q", ["EXEMPELBOLAGET", "exempel", "exempelbolaget ab", "Exempelbolagte"])
def test_search_forgives_case_prefix_and_slip(service, q):
    assert "SE:5599999991" in ids(service.get(f"/api/v1/companies?q={q}").json())


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("q=5599999991", "SE:5599999991"),
        ("q=559999-9991", "SE:5599999991"),
        ("q=firm:UK:99999999", "UK:99999999"),
        ("q=CIK9999999999", "US:US9999999999"),
        ("q=9999999999&country=US", "US:US9999999999"),
        ("q=99999992&country=FI", "FI:9999999-2"),
    ],
)
def test_an_exact_number_comes_first(service, query, first):
    assert ids(service.get(f"/api/v1/companies?{query}").json())[:1] == [first]


def test_an_exact_number_of_another_country_is_not_there(service):
    assert ids(service.get("/api/v1/companies?q=5599999991&country=NO,FI").json()) == []


def test_country_filters_and_gb_is_uk(service):
    assert ids(service.get("/api/v1/companies?country=GB,SE").json()) == ["SE:5599999991", "UK:99999999"]
    everywhere = ids(service.get("/api/v1/companies").json())
    assert everywhere == sorted(everywhere)
    assert len(everywhere) == 5


def test_denmark_is_announced(service):
    answer = service.get("/api/v1/companies?country=SE,DK")
    assert (answer.status_code, answer.json()["code"]) == (400, "market_not_available")
    assert answer.json()["errors"] == [
        {"code": "market_not_available", "detail": "DK is not served yet", "parameter": "country"}
    ]


def test_search_cuts_down_to_fields(service):
    body = service.get("/api/v1/companies?country=FI&fields=name").json()
    assert body["data"] == [{"id": "firm:FI:9999999-2", "name": "Esimerkki Oyj"}]


def test_pages_of_search_hold_every_company_once(service):
    whole = service.get("/api/v1/companies").json()["data"]
    rows, pages = walk(service, "/api/v1/companies?limit=2")
    assert rows == whole
    assert pages == 3


def test_link_names_the_next_page(service):
    answer = service.get("/api/v1/companies?limit=2&country=SE,NO,FI")
    link = answer.headers["link"]
    assert (
        link
        == f'<https://api.example.com/api/v1/companies?limit=2&country=SE,NO,FI&cursor={answer.json()["next_cursor"]}>; rel="next"'
    )
    target = urlsplit(link[1 : link.index(">")])
    following = service.get(f"{target.path}?{target.query}")
    assert ids(following.json()) == ["SE:5599999991"]
    assert "link" not in following.headers


def test_the_tag_of_a_list_leaves_the_cursor_out(own_service):
    first = own_service.get("/api/v1/companies?limit=2")
    own_service.hands.seconds += 1
    second = own_service.get("/api/v1/companies?limit=2")
    assert first.json()["next_cursor"] != second.json()["next_cursor"]
    assert first.headers["etag"] == second.headers["etag"]
    assert own_service.get("/api/v1/companies?limit=1").headers["etag"] != first.headers["etag"]


def test_financials_newest_first_annual_before_quarterly(service):
    body = service.get(FINANCIALS).json()
    assert list(body) == ["company_id", "org_number", "name", "data", "next_cursor", "has_more"]
    assert (body["company_id"], body["org_number"], body["name"]) == ("firm:NO:999999999", "999999999", "EKSEMPEL ASA")
    assert [row["period"] for row in body["data"]] == ["2025", "2025-Q4", *map(str, range(2024, 2015, -1))]
    assert all(list(row) == FINANCIAL_FIELDS for row in body["data"])
    newest = body["data"][0]
    assert (newest["version"], newest["is_restated"], newest["revenue"]) == (2, True, 7)


def test_revenue_that_is_absent_is_null(service):
    quarter = service.get(f"{FINANCIALS}?period_type=quarterly").json()["data"]
    assert [(row["period"], row["fiscal_quarter"], row["revenue"]) for row in quarter] == [("2025-Q4", 4, None)]


@pytest.mark.parametrize(
    ("query", "periods"),
    [
        ("period_type=annual&years=2", ["2025", "2024"]),
        ("from_year=2017&to_year=2018", ["2018", "2017"]),
        ("consolidated=false", ["2025"]),
        ("period_type=annual&include=history&years=1", ["2025", "2025"]),
        ("from_year=2030", []),
    ],
)
def test_financials_are_filtered(service, query, periods):
    assert [row["period"] for row in service.get(f"{FINANCIALS}?{query}").json()["data"]] == periods


def test_include_sources_tells_the_document(service):
    row = service.get(f"{FINANCIALS}?include=sources&limit=1").json()["data"][0]
    assert list(row) == [*FINANCIAL_FIELDS, "sources"]
    assert row["sources"][0]["register"] == "no.regnskap"


@check_cases("path", [FINANCIALS, f"{FINANCIALS}?include=history", FILINGS, EVENTS, f"{EVENTS}?order=asc", OWNERSHIP])
@check_cases("limit", [1, 3])
def test_pages_under_a_company_hold_every_row_once(service, path, limit):
    whole = service.get(path).json()["data"]
    joint = "&" if "?" in path else "?"
    rows, _ = walk(service, f"{path}{joint}limit={limit}")
    assert rows == whole


def test_owners_largest_first_with_what_is_known(service):
    body = service.get(OWNERSHIP).json()
    assert list(body) == ["company_id", "org_number", "name", "as_of", "known_pct", "data", "next_cursor", "has_more"]
    assert (body["as_of"], body["known_pct"]) == ("2026-11-21", 13.2)
    assert [row["pct"] for row in body["data"]] == [10.7, 2.5]
    assert all(list(row) == OWNER_FIELDS for row in body["data"])


def test_owners_of_a_band_have_no_share(service):
    body = service.get("/api/v1/companies/99999999/ownership").json()
    assert body["known_pct"] is None
    assert [(row["pct"], row["pct_min"], row["pct_max"], row["basis"]) for row in body["data"]] == [
        (None, 25, 50, "band")
    ]


def test_owners_on_a_day_and_from_a_share(service):
    assert service.get(f"{OWNERSHIP}?as_of=2023-12-31").json()["data"] == []
    assert [row["pct"] for row in service.get(f"{OWNERSHIP}?min_pct=2.5001").json()["data"]] == [10.7]


def test_events_newest_first(service):
    body = service.get(EVENTS).json()
    assert [row["sequence"] for row in body["data"]] == sorted((row["sequence"] for row in body["data"]), reverse=True)
    assert len(body["data"]) == 10
    assert (body["next_cursor"], body["has_more"]) == (None, False)
    event = body["data"][0]
    assert list(event) == ["event_id", "event_type", "company_id", "occurred_at", "recorded_at", "sequence", "data"]
    assert event["data"]["sequence"] == event["sequence"]
    assert event["data"]["org_nr"] == "5599999991"


def test_events_by_type_and_time(service):
    kinds = {row["event_type"] for row in service.get(f"{EVENTS}?event_type=filing.added").json()["data"]}
    assert kinds == {"filing.added"}
    recorded = service.get(EVENTS).json()["data"][0]["recorded_at"]
    assert len(service.get(f"{EVENTS}?since={recorded}").json()["data"]) == 10
    assert service.get(f"{EVENTS}?until={recorded}").json()["data"] == []
    assert service.get(f"{EVENTS}?since=2026-11-20T14:00:01%2B01:00").json()["data"] == []


def test_content_location_of_a_list(service):
    assert service.get(EVENTS + "?limit=1").headers["content-location"] == "/api/v1/companies/5599999991/events?limit=1"
    assert "content-location" not in service.get(FINANCIALS).headers


def test_lists_of_unknown_companies_are_404(service):
    for below in ("financials", "filings", "ownership", "events"):
        answer = service.get(f"/api/v1/companies/5599999992/{below}")
        assert (answer.status_code, answer.json()["reason"]) == (404, "check_digit_mismatch")
