"""Search over HTTP: every filter and sort, alone and together, and the rules between parameters."""

import random
from datetime import date

import pytest

from tests.tables import check_cases

ALL = {
    # id: industry (scheme, code), place, employees, status, listed, registered, (revenue, currency)
    "SE:5560000001": ("SNI2007", "62010", ("Göteborg", "1480", "Västra Götalands län", "14"), 9, "active", True),
    "SE:5560000002": ("SNI2025", "62100", ("Malmö", "1280", "Skåne län", "12"), 10, "dormant", False),
    "NO:900000001": ("SN2007", "62020", ("TROMSØ", "5501", "Troms", "55"), 49, "active", False),
    "NO:900000002": ("SN2007", "06100", ("STAVANGER", "1103", "Rogaland", "11"), 50, "active", True),
    "FI:1000001-1": ("TOL2008", "62010", ("Helsinki", "091", None, None), 249, "dissolved", False),
    "UK:00000001": ("UKSIC2007", "62012", (None, None, "Kent", None), 250, "active", False),
    "UK:00000002": ("UKSIC2003", "7222", (None, None, None, None), None, "dormant", False),
    "US:US0000000001": ("SIC", "6211", ("New York", None, None, "NY"), 10_000_000, "active", True),
    "US:US0000000002": (None, None, (None, None, None, None), 0, "active", False),
}
REGISTERED = {
    "SE:5560000001": date(2000, 1, 1),
    "NO:900000001": date(2000, 1, 2),
    "NO:900000002": date(1999, 12, 31),
    "UK:00000001": date(2024, 2, 29),
}
REVENUE = {
    "SE:5560000001": (100, "SEK"),
    "SE:5560000002": (101, "SEK"),
    "NO:900000001": (100, "NOK"),
    "US:US0000000001": (-5, "USD"),
    "FI:1000001-1": (0, "EUR"),
}


def profile_of(maker, key):
    scheme, code, (municipality, code_of_it, county, county_code), employees, status, listed = ALL[key]
    return maker.company(
        f"firm:{key}",
        f"Firma {key[-4:]} {'Åå' if listed else 'Öö'}",
        industry_scheme=scheme,
        industry_code=code,
        municipality=municipality,
        municipality_code=code_of_it,
        county=county,
        county_code=county_code,
        employees=employees,
        status=status,
        is_listed=listed,
        registered_date=REGISTERED.get(key),
    )


@pytest.fixture(scope="module")
def searched(new_world):
    """A small world in which every value that can be asked for is there, at its bounds, and missing."""
    made = new_world()
    periods = [
        made.period(f"firm:{key}", 2024, revenue=revenue, currency=currency, is_consolidated=False)
        for key, (revenue, currency) in REVENUE.items()
    ]
    made.publish([profile_of(made, key) for key in ALL], periods=periods)
    return made.world


@pytest.fixture(scope="module")
def service(shared_serve, searched):
    return shared_serve(searched)


def found(service, query):
    """What a search finds, without the common beginning of ids; it must be all of one page."""
    answer = service.get(f"/api/v1/companies?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["has_more"] is False
    return [row["id"].removeprefix("firm:") for row in answer.json()["data"]]


SE1, SE2, NO1, NO2, FI1, UK1, UK2, US1, US2 = ALL


@check_cases(
    ("query", "expected"),
    [
        ("country=SE", {SE1, SE2}),
        ("country=GB", {UK1, UK2}),
        ("country=SE,NO", {SE1, SE2, NO1, NO2}),
        ("industry=62&country=SE,NO,FI,UK", {SE1, SE2, NO1, FI1, UK1}),
        ("industry=62&country=US", {US1}),
        ("industry=62&industry_scheme=SNI2007", {SE1}),
        ("industry=62&industry_scheme=SIC", {US1}),
        ("industry=62.01&country=SE,FI,UK", {SE1, FI1, UK1}),
        ("industry=62.0&country=NO", {NO1}),
        ("industry=6&country=NO", {NO1}),
        ("industry=0,72&country=NO,UK", {NO2, UK2}),
        ("industry=99&country=SE", set()),
        ("industry_scheme=UKSIC2003", {UK2}),
        ("region=g%C3%B6teborg", {SE1}),
        ("region=GOTEBORG", {SE1}),
        ("region=vastra%20gotalands%20lan", {SE1}),
        ("region=Troms%C3%B8", {NO1}),
        ("region=1480", {SE1}),
        ("region=14", {SE1}),
        ("region=SE-14", {SE1}),
        ("region=no-11", {NO2}),
        ("region=US-NY", {US1}),
        ("region=Kent", {UK1}),
        ("region=Got", set()),
        ("size=micro", {SE1, US2}),
        ("size=small", {SE2, NO1}),
        ("size=medium", {NO2, FI1}),
        ("size=large", {UK1, US1}),
        ("size=micro,large", {SE1, US2, UK1, US1}),
        ("employees_min=49&employees_max=50", {NO1, NO2}),
        ("employees_max=0", {US2}),
        ("employees_min=10000000", {US1}),
        ("revenue_min=100&currency=SEK", {SE1, SE2}),
        ("revenue_min=101&currency=SEK", {SE2}),
        ("revenue_max=100&currency=NOK", {NO1}),
        ("revenue_min=-5&revenue_max=-5&currency=USD", {US1}),
        ("revenue_min=0&revenue_max=0&currency=EUR", {FI1}),
        ("revenue_min=-9223372036854775808&revenue_max=9223372036854775807&currency=SEK", {SE1, SE2}),
        ("currency=SEK", {SE1, SE2}),
        ("currency=XXX", set()),
        ("status=dormant", {SE2, UK2}),
        ("status=dissolved,dormant", {FI1, SE2, UK2}),
        ("is_listed=true", {SE1, NO2, US1}),
        ("is_listed=false&country=SE", {SE2}),
        ("registered_from=2000-01-01&registered_to=2000-01-02", {SE1, NO1}),
        ("registered_from=2024-02-29", {UK1}),
        ("registered_to=1999-12-31", {NO2}),
        ("status=active&is_listed=true&size=micro&country=SE,NO", {SE1}),
        ("q=firma&status=dormant", {SE2, UK2}),
        ("q=firma%20aa&is_listed=true&country=NO", {NO2}),
        ("q=frima&status=dormant", {SE2, UK2}),
        ("q=firma&is_listed=false&status=active&size=medium", set()),
    ],
)
def test_filters(service, query, expected):
    assert set(found(service, query)) == expected


def notices(service, query):
    """Codes, values and correspondences of an answer's notices; None where the member is absent."""
    answer = service.get(f"/api/v1/companies?{query}").json()
    told = answer.get("notices")
    return told and [(one["code"], one["value"], one["corresponds_to"]) for one in told]


@check_cases(
    ("query", "expected"),
    [
        ("industry=9602&country=NO", [("retired_industry_code", "9602", ["9621", "9622"])]),
        ("industry=62.010&country=NO", [("retired_industry_code", "62010", ["6210"])]),
        ("industry=62010&industry_scheme=SNI2025", [("retired_industry_code", "62010", ["6210"])]),
        ("industry=6210&industry_scheme=SNI2007", [("newer_industry_code", "6210", ["6201"])]),
        ("industry=6210&country=UK", [("newer_industry_code", "6210", ["6201"])]),
        ("industry=9602,62,6201&country=NO&status=dissolved",
         [("retired_industry_code", "9602", ["9621", "9622"]),
          ("retired_industry_code", "6201", ["6210"])]),
        # the revision that is asked for has the code, both have it, or none: nothing to say
        ("industry=9602&industry_scheme=SN2007", None),
        ("industry=96210&industry_scheme=SNI2025", None),
        ("industry=99&country=SE", None),
        ("industry=0000&country=SE", None),
        # no NACE
        ("industry=6201&country=US", None),
        ("industry=6201&industry_scheme=SIC", None),
        ("industry=6201&industry_scheme=UKSIC2003", None),
        # companies were found
        ("industry=6201&country=SE", None),
        ("q=none-such&country=NO", None),
    ],
)  # fmt: skip
def test_search_emptied_by_a_code_of_the_other_revision_says_so(service, query, expected):
    assert notices(service, query) == expected


def test_notice_is_a_sentence_with_the_revision(service):
    (told,) = service.get("/api/v1/companies?industry=62010&country=NO").json()["notices"]
    assert told["revision"] == "NACE Rev. 2"
    assert told["detail"] == ("62010 is a code of NACE Rev. 2 and none of NACE Rev. 2.1: there it corresponds to 6210.")


@pytest.mark.parametrize(
    "query",
    [
        "employees_min=5&employees_max=4",
        "revenue_min=5&revenue_max=4&currency=SEK",
        "registered_from=2020-01-02&registered_to=2020-01-01",
    ],
)
def test_bounds_that_exclude_each_other_match_nothing(service, query):
    body = service.get(f"/api/v1/companies?{query}").json()
    assert body == {"data": [], "next_cursor": None, "has_more": False}


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("id", sorted(ALL)),
        ("name", [UK1, SE1, NO1, US1, FI1, UK2, SE2, NO2, US2]),
        ("-latest_revenue", [SE2, NO1, SE1, FI1, US1, NO2, UK1, UK2, US2]),
        ("-registered_date", [UK1, NO1, SE1, NO2, FI1, SE2, UK2, US1, US2]),
    ],
)
def test_sorts(service, sort, expected):
    rows = found(service, f"sort={sort}")
    if sort == "name":
        names = [row["name"] for row in service.get("/api/v1/companies?sort=name").json()["data"]]
        assert names == sorted(names, key=lambda name: (name.casefold(), name))
        assert set(rows) == set(expected)
    else:
        assert rows == expected


def test_the_default_order(service):
    assert found(service, "") == sorted(ALL) == found(service, "sort=id")
    assert found(service, "q=firma") == found(service, "q=firma&sort=relevance")
    assert found(service, "q=firma&sort=id") == sorted(ALL)
    assert found(service, "q=firma")[-1] == FI1, "dissolved last"


@check_cases(
    ("query", "expected"),
    [
        ("q=5560000002", [SE2]),
        ("q=firm:SE:5560000002", [SE2]),
        ("q=5560000002&status=dormant", [SE2]),
        ("q=5560000002&status=active", []),
        ("q=5560000002&size=micro", []),
        ("q=5560000002&size=small&region=SE-12&revenue_max=101&currency=SEK", [SE2]),
        ("q=5560000002&region=SE-14", []),
        ("q=5560000002&country=NO", []),
        ("q=5560000002&country=SE&is_listed=true", []),
        ("q=5560000002&registered_from=1900-01-01", []),
        ("q=5560000002&sort=name", [SE2]),
        ("q=5560000099", []),
    ],
)
def test_the_other_filters_hold_for_an_exact_number_too(service, query, expected):
    assert found(service, query) == expected


def model(key, asked):
    """Whether a company matches, told by the table above alone."""
    scheme, code, _, employees, status, listed = ALL[key]
    revenue, currency = REVENUE.get(key, (None, None))
    registered = REGISTERED.get(key)
    judged = {
        "country": lambda value: key[:2] in value.split(","),
        "industry": lambda value: code is not None and any(code.startswith(one) for one in value.split(",")),
        "industry_scheme": lambda value: scheme == value,
        "employees_min": lambda value: employees is not None and employees >= int(value),
        "employees_max": lambda value: employees is not None and employees <= int(value),
        "revenue_min": lambda value: revenue is not None and revenue >= int(value),
        "revenue_max": lambda value: revenue is not None and revenue <= int(value),
        "currency": lambda value: currency == value,
        "status": lambda value: status in value.split(","),
        "is_listed": lambda value: listed is (value == "true"),
        "registered_from": lambda value: registered is not None and registered.isoformat() >= value,
        "registered_to": lambda value: registered is not None and registered.isoformat() <= value,
    }
    return all(judged[name](value) for name, value in asked.items())


VALUES = {
    "country": ["SE", "NO,FI", "UK,SE", "US"],
    "industry": ["62", "6", "06,7"],
    "industry_scheme": ["SNI2007", "SN2007", "SIC"],
    "employees_min": ["0", "10", "50"],
    "employees_max": ["9", "249", "10000000"],
    "revenue_min": ["-5", "0", "101"],
    "revenue_max": ["-1", "100", "500"],
    "currency": ["SEK", "NOK", "USD"],
    "status": ["active", "dormant,dissolved"],
    "is_listed": ["true", "false"],
    "registered_from": ["2000-01-01", "1990-06-30"],
    "registered_to": ["2000-01-01", "2030-01-01"],
}


@check_cases("seed", range(40))
def test_any_combination_finds_what_the_table_says(service, seed):
    chance = random.Random(seed)
    asked = {name: chance.choice(VALUES[name]) for name in chance.sample(list(VALUES), chance.randrange(1, 5))}
    if "industry" in asked:
        asked.setdefault("country", "SE,NO")
        asked["country"] = asked["country"].replace("UK,SE", "SE,UK")
    if {"revenue_min", "revenue_max"} & set(asked):
        asked.setdefault("currency", "SEK")
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    assert set(found(service, query)) == {key for key in ALL if model(key, asked)}, query


@check_cases("sort", ["id", "name", "-latest_revenue", "-registered_date"])
@check_cases("query", ["", "&status=active", "&q=firma", "&q=firma&is_listed=false"])
def test_pages_of_every_sort_hold_every_company_once(service, sort, query):
    whole = found(service, f"sort={sort}{query}")
    rows, cursor = [], ""
    while True:
        body = service.get(f"/api/v1/companies?sort={sort}{query}&limit=2{cursor}").json()
        rows += [row["id"].removeprefix("firm:") for row in body["data"]]
        if not body["has_more"]:
            break
        cursor = f"&cursor={body['next_cursor']}"
    assert rows == whole


@pytest.mark.parametrize("changed", ["status=active", "sort=name", "q=firma", "fields=name", "industry_scheme=SIC"])
def test_a_cursor_holds_for_its_filters_alone(service, changed):
    cursor = service.get("/api/v1/companies?limit=1").json()["next_cursor"]
    answer = service.get(f"/api/v1/companies?{changed}&cursor={cursor}")
    assert answer.json()["code"] == "cursor_mismatch"
