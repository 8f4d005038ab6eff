"""The genuine submissions and company lists beside the project: every file read, or listed with its reason."""

from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, NotApplicable
from connectors.us.submissions import dataset as submissions_dataset
from connectors.us.submissions import schema as f
from connectors.us.symbols import company_tickers
from tests.connectors.us.filer_bodies import AT, rejects, rows, shared, signals
from tests.tables import check_cases

pytestmark = pytest.mark.sources
TODAY = date(2026, 11, 21)


def taken(sources: Path, folder: str, dataset: Dataset) -> tuple[dict[str, list[Batch]], dict[str, str]]:
    """Batches by file name, and the files that are not ours with their reasons."""
    read: dict[str, list[Batch]] = {}
    left: dict[str, str] = {}
    for path in sorted((sources / "us" / folder).iterdir()):
        name = f"{folder}/{path.name}"
        with path.open("rb") as body:
            found = dataset.recognise_file(name, body.read(65_536))
        if isinstance(found, NotApplicable):
            left[path.name] = found.reason
            continue
        piece = ArchiveMember(dataset.key, name, "0" * 64, AT, found.scope, "b", partial(path.open, "rb"))
        read[path.name] = list(dataset.read_batches(piece))
    return read, left


@pytest.fixture(scope="module")
def genuine(sources: Path) -> tuple[dict[str, list[Batch]], dict[str, str]]:
    return taken(sources, "submissions", submissions_dataset.DATASET)


@pytest.fixture(scope="module")
def made(genuine: Any, sources: Path) -> Any:
    lists, _ = taken(sources, "company_list", company_tickers.DATASET)
    return shared([batch for found in (*genuine[0].values(), *lists.values()) for batch in found], TODAY)


@pytest.fixture(scope="module")
def profiles(made: Any) -> dict[str, dict[str, Any]]:
    return {row["org_number"]: row for row in made["companies"].iter_rows(named=True)}


def test_every_answer_is_read_without_a_reject_or_a_signal(genuine: Any) -> None:
    read, left = genuine
    assert len(read) == 26
    assert set(left) == {"error-404-unknown-cik.xml", "listed_filer_metadata.first2000.csv"}
    assert {name: rejects(found) for name, found in read.items() if rejects(found)} == {}
    assert {name: signals(found) for name, found in read.items() if signals(found)} == {}


@check_cases(
    ("name", "count"),
    [
        ("CIK0000320193.json", 1005),
        ("CIK0000310522.snapshot1.json", 1140),
        ("CIK0000310522.snapshot2.json", 1154),
        ("CIK0001318605-submissions-001.json", 720),
        ("CIK0000315090.json", 0),  # an individual
    ],
)
def test_all_filings_of_a_company_are_rows(genuine: Any, name: str, count: int) -> None:
    assert rows(genuine[0][name], f.FILED_TABLE).height == count


@pytest.mark.parametrize("cik", ["0001318605", "0000310522", "0001718179"])
def test_pitfall_07_the_dated_pairs_differ_by_what_happened(genuine: Any, cik: str) -> None:
    read, _ = genuine
    before, after = (read[f"CIK{cik}.snapshot{number}.json"] for number in (1, 2))
    profile = ["first_filed", "last_filed", "aged"]  # what the filings themselves say
    old, new = (rows(found, f.FILERS).drop(profile) for found in (before, after))
    assert old.equals(new)
    earlier, later = (rows(found, f.FILED_TABLE) for found in (before, after))
    assert earlier.join(later, on=earlier.columns, how="anti", nulls_equal=True).is_empty()
    added = later.join(earlier, on=[f.CIK, f.ACCESSION], how="anti")[f.FORM].sort().to_list()
    due = {"0001318605": ["144", "4"], "0001718179": []}
    fannie = ["10-K", "8-K", "8-K", *["ABS-15G"], *["ABS-15G/A"] * 9, "IRANNOTICE"]
    assert added == due.get(cik, fannie)


@check_cases(
    ("number", "status", "detail", "reason"),
    [
        ("US0000320193", "active", None, None),  # four removals of matured notes
        ("US0001465740", "active", None, None),  # Form 15 for one class in 2014
        ("US0000895419", "active", None, None),  # out of chapter 11, its old shares removed
        ("US0000310522", "active", None, None),
        ("US0001009672", "dormant", "bankruptcy", "15-12B 0001193125-20-329449"),
        ("US0001847577", "dissolved", "merged", "15-12G 0001140361-24-045876"),
        ("US0000350001", "dormant", None, None),  # no filing at all
    ],
)
def test_statuses_of_the_samples(profiles: Any, number: str, status: str, detail: Any, reason: Any) -> None:
    found = profiles[number]
    assert (found["status"], found["status_detail"], found["registry_status"]) == (status, detail, reason)


@check_cases("number", ["US0000315090", "US0001462356", "US0001718179", "US0001771340", "US0001911716"])
def test_individuals_and_holders_are_no_companies(profiles: Any, number: str) -> None:
    assert number not in profiles


@check_cases(
    ("number", "listed"),
    [
        ("US0000310522", False),  # sixteen symbols, all over the counter
        ("US0000320193", True),
        ("US0000895419", True),
        ("US0001009672", False),
        ("US0001847577", False),
    ],
)
def test_listing_of_the_samples(profiles: Any, number: str, listed: bool) -> None:
    assert profiles[number]["is_listed"] is listed


def test_profiles_of_the_samples(profiles: Any) -> None:
    apple = profiles["US0000320193"]
    due = {
        "name": "Apple Inc.",
        "industry_code": "3571",
        "industry_label": "Electronic Computers",
        "municipality": "CUPERTINO",
        "county": "California",
        "registered_date": date(1994, 1, 26),
        "previous_names": ["APPLE COMPUTER INC"],  # the source repeats the present name, and marks
    }
    assert apple | due == apple
    assert profiles["US0000749647"]["previous_names"] == ["CELSION CORP", "CHEUNG LABORATORIES INC"]
    assert profiles["US0001766140"]["previous_names"] is None  # the source repeats the present name
    assert profiles["US0000072971"]["name"] == "WELLS FARGO & COMPANY"


def test_the_annual_reports_of_apple(made: Any) -> None:
    apple = made["filings"].filter(company_id="firm:US:US0000320193", filing_type="annual_report")
    ends = apple.sort("period_end")["period_end"].to_list()
    assert ends[-3:] == [date(2023, 9, 30), date(2024, 9, 28), date(2025, 9, 27)]
    assert apple["is_amendment"].sum() == 0


def test_the_list_of_symbols(sources: Path) -> None:
    read, left = taken(sources, "company_list", company_tickers.DATASET)
    found, plain = (read[name] for name in ("company_tickers_exchange.json", "company_tickers.json"))
    exchanges = rows(found, company_tickers.TICKERS)["exchange"].value_counts()
    assert dict(exchanges.iter_rows()) == {"Nasdaq": 4075, "NYSE": 3266, "OTC": 2546, "CBOE": 26, None: 176}
    assert rows(plain, company_tickers.PLAIN_TICKERS).height == 9_610
    assert len(left) == 2
    assert signals(found) == signals(plain) == {}
    assert isinstance(exchanges, pl.DataFrame)
