"""The CIK in every form of docs/formats/us.md 2, and ids of filings."""

import polars as pl

from connectors.us import register
from tests.tables import check_cases
from warehouse.schema.identifiers import parse_company_id, parse_company_number, parse_scoped

FORMS = [
    "320193",
    "0000320193",
    "CIK0000320193",
    "CIK 320193",
    "cik-320193",
    "US0000320193",
    "US320193",
    "US-320193",
    "US:0000320193",
    "us 0000320193",
    "US CIK0000320193",
    " 320193 ",
]
NONE = ["", "0", "0000000000", "12345678901", "CIK", "US", "32O193", "-320193", "+320193", "٣٢٠١٩٣", "3.2e5"]


@check_cases("written", FORMS)
def test_pitfall_02_every_form_of_a_cik_is_one_number(written: str) -> None:
    assert register.central_index_key(written) == "0000320193"
    column = pl.DataFrame({"cik": [written]}).select(register.central_index_keys(pl.col("cik")))
    assert column.item() == "0000320193"


def test_pitfall_02_a_cik_may_be_an_integer() -> None:
    assert register.central_index_key(320193) == "0000320193"
    assert register.central_index_key(True) is None
    column = pl.DataFrame({"cik": [320193, 0]}).select(register.central_index_keys(pl.col("cik")))
    assert column.to_series().to_list() == ["0000320193", None]


@check_cases("written", NONE)
def test_what_is_no_cik(written: str) -> None:
    assert register.central_index_key(written) is None
    column = pl.DataFrame({"cik": [written]}).select(register.central_index_keys(pl.col("cik")))
    assert column.item() is None


def test_ids_of_companies_and_filings() -> None:
    ids = pl.DataFrame({"cik": ["0000320193"]}).select(register.company_ids(pl.col("cik")))
    assert ids.item() == "firm:US:US0000320193"
    one = register.filing_id("0000320193", "0001193125-26-000001")
    assert one.startswith("fil_")
    assert one != register.filing_id("0000320194", "0001193125-26-000001")  # each party has its own row


def test_accession_numbers_have_two_forms() -> None:
    given = ["0001193125-26-000001", "000119312526000001", "1193125-26-000001", None]
    found = pl.DataFrame({"a": given}, schema={"a": pl.String}).select(register.normalise_accessions(pl.col("a")))
    assert found.to_series().to_list() == ["0001193125-26-000001"] * 2 + [None, None]


def test_the_index_page_of_a_filing() -> None:
    frame = pl.DataFrame({"cik": ["0000320193"], "a": ["0001193125-26-000001"]})
    url = frame.select(register.filing_urls(pl.col("cik"), pl.col("a"))).item()
    folder = "https://www.sec.gov/Archives/edgar/data/320193/000119312526000001"
    assert url == f"{folder}/0001193125-26-000001-index.html"


@check_cases("written", [form.strip() for form in FORMS])
def test_callers_write_it_in_every_form(written: str) -> None:
    found = (parse_scoped("US", written), parse_company_id(f"firm:US:{written}"))
    if not written.isdigit():  # bare digits name no market
        found += (parse_company_number(written),)
    assert [number and number.company_id for number in found] == ["firm:US:US0000320193"] * len(found)
