"""Rules of a search's parameters over HTTP: what each may be, and which need another.

See docs/contract/contract.md 4.2.
"""

import pytest

from tests.tables import check_cases


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@check_cases(
    ("query", "code", "parameter"),
    [
        ("revenue_min=1", "required", "currency"),
        ("revenue_max=1", "required", "currency"),
        ("revenue_min=0&revenue_max=0", "required", "currency"),
        ("sort=relevance", "required", "q"),
        ("industry=62", "required", "industry_scheme"),
        ("industry=62&country=US,NO", "required", "industry_scheme"),
        ("industry=62&country=UK,US&q=a", "required", "industry_scheme"),
        ("industry=", "format", "industry"),
        ("industry=62,", "format", "industry"),
        ("industry=62a", "format", "industry"),
        ("industry=6.2.0", "format", "industry"),
        ("industry=.62", "format", "industry"),
        ("industry=62.", "format", "industry"),
        ("industry=6201000", "format", "industry"),
        ("industry=%D9%A6", "format", "industry"),
        ("industry=62%0A&country=SE", "format", "industry"),
        ("industry=" + ",".join(["62"] * 51), "too_many", "industry"),
        ("industry_scheme=NACE", "unknown_value", "industry_scheme"),
        ("industry_scheme=sic", "unknown_value", "industry_scheme"),
        ("region=", "format", "region"),
        ("region=%20", "format", "region"),
        ("region=" + "a" * 101, "format", "region"),
        ("size=tiny", "unknown_value", "size"),
        ("size=micro,micro", "duplicate", "size"),
        ("employees_min=-1", "out_of_range", "employees_min"),
        ("employees_max=10000001", "out_of_range", "employees_max"),
        ("revenue_min=9223372036854775808&currency=SEK", "out_of_range", "revenue_min"),
        ("revenue_max=-9223372036854775809&currency=SEK", "out_of_range", "revenue_max"),
        ("revenue_min=1.5&currency=SEK", "format", "revenue_min"),
        ("currency=sek", "format", "currency"),
        ("currency=SEKK", "format", "currency"),
        ("currency=SEK%0A", "format", "currency"),
        ("status=alive", "unknown_value", "status"),
        ("is_listed=yes", "format", "is_listed"),
        ("registered_from=2026-02-30", "format", "registered_from"),
        ("registered_to=20260201", "format", "registered_to"),
        ("sort=-name", "unknown_value", "sort"),
        ("sort=latest_revenue", "unknown_value", "sort"),
        ("country=dk", "unknown_value", "country"),
        ("country=se", "unknown_value", "country"),
        ("country=SE,SE", "duplicate", "country"),
    ],
)
def test_what_is_refused_names_the_parameter(service, query, code, parameter):
    answer = service.get(f"/api/v1/companies?{query}")
    body = answer.json()
    assert (answer.status_code, body["code"]) == (400, "invalid_parameter"), body
    assert [(error["code"], error["parameter"]) for error in body["errors"]] == [(code, parameter)]
    assert body["detail"].startswith(f"'{parameter}' ")


@check_cases(
    "query",
    [
        "revenue_min=1&currency=SEK",
        "industry=62&country=NO",
        "industry=62&country=SE,NO,FI,GB",
        "industry=62&country=US",
        "industry=62&industry_scheme=SN2007",
        "industry=62&industry_scheme=SIC&country=NO",
        "industry_scheme=SIC",
        "country=GB,UK",
        "q=firma&sort=relevance",
        "region=%C3%9F",
        "q=%22%20OR%20%2A",
        "region=%27%3B--",
        "region=%7C",
        "q=%E2%80%8B",
    ],
)
def test_what_is_accepted(service, query):
    assert service.get(f"/api/v1/companies?{query}").status_code == 200
