"""Filings of a company: their own period, its versions, filters, both paths."""

import pytest

from api.companies.schemas.filings import Filing
from tests.api.fixtures.release_data import FILINGS_OF_WORLD, PERIODS
from tests.tables import check_cases

FILINGS = "/api/v1/companies/999999999/filings"
FIRST, SECOND, QUARTER, OWN, *_ = (row["filing_id"] for row in FILINGS_OF_WORLD)
BARE, UNDATED = (row["filing_id"] for row in FILINGS_OF_WORLD[-2:])


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def filings(service, query=""):
    return service.get(f"{FILINGS}?{query}").json()["data"]


def one(service, filing_id):
    (found,) = [row for row in filings(service) if row["filing_id"] == filing_id]
    return found


def test_every_filing_is_listed_newest_first_and_undated_last(service):
    rows = filings(service)
    assert all(list(row) == list(Filing.model_fields) for row in rows)
    assert sorted(row["filing_id"] for row in rows) == sorted(row["filing_id"] for row in FILINGS_OF_WORLD)
    days = [row["filed_at"] for row in rows]
    assert days == [*sorted(days[:-1], reverse=True), None]
    assert rows[-1]["filing_id"] == UNDATED


def test_a_filing_names_the_versions_of_its_period_and_what_it_supersedes(service):
    newest = one(service, SECOND)
    assert [(row["version"], row["filing_id"], row["is_current"]) for row in newest["versions"]] == [
        (1, FIRST, False),
        (2, SECOND, True),
    ]
    assert (newest["supersedes"], one(service, FIRST)["supersedes"]) == (FIRST, None)
    assert one(service, FIRST)["versions"] == newest["versions"]
    assert (newest["period"], newest["period_start"], newest["period_end"]) == ("2025", "2025-01-01", "2025-12-31")


def test_a_filing_of_the_company_alone_has_its_own_versions(service):
    own = one(service, OWN)
    assert (own["is_consolidated"], own["supersedes"]) == (False, None)
    assert [row["filing_id"] for row in own["versions"]] == [OWN]


def test_a_quarterly_filing_names_its_quarter_and_document(service):
    quarter = one(service, QUARTER)
    assert (quarter["filing_type"], quarter["period"], quarter["fiscal_quarter"]) == ("interim_report", "2025-Q4", 4)
    assert quarter["document_url"] == quarter["sources"][0]["url"] == "https://registry.example/q4.xhtml"
    assert (quarter["form"], quarter["accepted_at"]) == (None, None)


def test_a_filing_without_figures_is_null_beyond_its_document(service):
    bare = one(service, BARE)
    named = ("period", "period_type", "fiscal_year", "is_consolidated", "supersedes", "period_start")
    assert [bare[name] for name in named] == [None] * 6
    assert (bare["versions"], bare["period_end"]) == ([], "2015-12-31")


@check_cases(
    ("query", "count"),
    [
        ("filing_type=interim_report", 1),
        ("filing_type=annual_report,interim_report", len(FILINGS_OF_WORLD)),
        (f"from={PERIODS[-1]['filed_at']}", 4),
        (f"to={PERIODS[0]['filed_at']}", 2),
        ("from=2017-01-01&to=2017-12-31", 2),
        ("from=2018-01-01&to=2017-12-31", 0),
    ],
)
def test_filings_are_filtered(service, query, count):
    assert len(filings(service, query)) == count


@check_cases(
    ("path", "status"),
    [
        ("/api/v1/companies/firm:NO:999999999/filings", 200),
        ("/api/v1/companies/firm:DK:99999999/filings", 404),
        ("/api/v1/companies/1/filings", 400),
        (f"{FILINGS}?from=2026-02-31", 400),
        (f"{FILINGS}?since=2026-02-01", 400),
        (f"{FILINGS}?filing_type=prospectus", 400),
    ],
)
def test_paths_and_parameters_of_filings(service, path, status):
    answer = service.get(path)
    assert answer.status_code == status
    if status == 200:
        assert answer.json() == service.get(FILINGS).json()
        assert answer.headers["content-location"] == FILINGS


def test_an_invalid_date_names_the_parameter_as_sent(service):
    assert service.get(f"{FILINGS}?from=x").json()["errors"] == [
        {"code": "format", "detail": "must be a date, for example 2026-01-31", "parameter": "from"}
    ]
