"""Suggestions over HTTP: by number, identifier, symbol and name, in their order; for publishable keys too."""

import pytest

from tests.tables import check_cases

SUGGEST = "/api/v1/companies/suggest"
VOLVO, CARS, VOLUME, UK, FI, US = (
    *("firm:SE:5560125790", "firm:SE:5560743089", "firm:NO:999999999", "firm:UK:SC123456"),
    *("firm:FI:0112038-9", "firm:US:US0000320193"),
)


@pytest.fixture(scope="module")
def service(shared_serve, new_world):
    made = new_world()
    companies = [
        made.company(VOLVO, "AB Volvo", is_listed=True),
        made.company(CARS, "Volvo Car AB", status="dormant"),
        made.company(VOLUME, "VOLUM ÅPENT AS"),
        made.company(UK, "SCOTTISH PIES LIMITED"),
        made.company(FI, "Nokia Oyj"),
        made.company(US, "VOLB Inc."),
    ]
    at = made.world.now
    known = [(VOLVO, "ticker", "VOLV B"), (VOLVO, "lei", "VOLV00000000000000AB"), (US, "ticker", "SCOT")]
    rows = [
        {"company_id": one, "scheme": scheme, "value": value, "register": "x.y", "observed_at": at}
        for one, scheme, value in known
    ]
    made.publish(companies, known_as=rows)
    return shared_serve(made.world)


def suggested(service, **query):
    answer = service.client.get(SUGGEST, headers=service.headers, params=query)
    assert answer.status_code == 200, answer.text
    return [(row["id"], row["matched_by"]) for row in answer.json()["data"]]


@check_cases(
    ("query", "due"),
    [
        ({"q": "volvo"}, [(CARS, "name"), (VOLVO, "name")]),  # names that begin with it come first
        ({"q": "volv"}, [(VOLVO, "ticker"), (CARS, "name")]),
        ({"q": "VOLV B"}, [(VOLVO, "identifier")]),
        ({"q": "vol", "country": "NO"}, [(VOLUME, "name")]),
        ({"q": "volum apent"}, [(VOLUME, "name")]),
        ({"q": "5560"}, [(VOLVO, "number"), (CARS, "number")]),
        ({"q": "556012-57"}, [(VOLVO, "number")]),
        ({"q": "5560125790"}, [(VOLVO, "number")]),
        ({"q": "556012-5790", "country": "NO"}, []),
        ({"q": "sc1234"}, [(UK, "number")]),
        ({"q": "scot"}, [(US, "identifier"), (UK, "name")]),
        ({"q": "scot", "country": "GB"}, [(UK, "name")]),
        ({"q": "0112038-"}, [(FI, "number")]),
        ({"q": "01120389"}, [(FI, "number")]),
        ({"q": "US00003"}, [(US, "number")]),
        ({"q": "320193", "country": "US"}, [(US, "number")]),
        ({"q": "volv", "limit": "1"}, [(VOLVO, "ticker")]),
        ({"q": "99999999", "limit": "1"}, [(VOLUME, "number")]),  # as a British number it is of no company
        ({"q": "55"}, []),
        ({"q": "%"}, []),
        ({"q": "zzz"}, []),
    ],
)
def test_suggestions_and_what_they_matched(service, query, due):
    assert suggested(service, **query) == due


def test_a_symbol_is_found_among_many_longer_identifiers_that_begin_alike(shared_serve, new_world):
    """`NO` begins every Norwegian ISIN and VAT number, of which there are more than symbols."""
    made = new_world()
    companies = [made.company(VOLUME, "VOLUM ÅPENT AS"), made.company(FI, "Oyj Abp", is_listed=True)]
    longer = [f"NO{number:010}" for number in range(300)] + [f"NOFOR.{number:09}" for number in range(300)]
    known = [(VOLUME, "isin", value) for value in longer] + [(FI, "ticker", "NOKIA"), (FI, "ticker", "NOK")]
    rows = [
        {"company_id": one, "scheme": scheme, "value": value, "register": "x.y", "observed_at": made.world.now}
        for one, scheme, value in known
    ]
    made.publish(companies, known_as=rows)
    assert suggested(shared_serve(made.world), q="no") == [(FI, "ticker")]


def test_a_suggestion_has_what_a_list_shows(service):
    answer = service.get(f"{SUGGEST}?q=volvo+car")
    assert answer.json()["data"] == [
        {
            "id": CARS,
            "org_number": "5560743089",
            "name": "Volvo Car AB",
            "country": "SE",
            "status": "dormant",
            "is_listed": False,
            "matched_by": "name",
        }
    ]
    again = service.get(f"{SUGGEST}?q=volvo+car", **{"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


@check_cases(
    ("query", "code"),
    [
        ("", "invalid_parameter"),
        ("?q=", "invalid_parameter"),
        (f"?q={'x' * 101}", "invalid_parameter"),
        ("?q=x&limit=21", "invalid_parameter"),
        ("?q=x&country=DK", "market_not_available"),
        ("?q=x&cursor=x", "unknown_parameter"),
    ],
)
def test_invalid_queries(service, query, code):
    answer = service.get(SUGGEST + query)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_pages_suggest_with_publishable_keys(service):
    key = service.accounts.create_key("owner@example.com", "public", domains=("example.com",)).key
    headers = {"Authorization": f"Bearer {key}", "Origin": "https://example.com"}
    answer = service.client.get(f"{SUGGEST}?q=volvo", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://example.com"
