"""The contributions joined: of one key the row of the lower rank holds, and rows of non-companies are dropped."""

from collections.abc import Callable
from datetime import date

import polars as pl
import pytest

from connectors import JURISDICTIONS
from connectors.contract.contribution import Contribution
from connectors.contract.dataset import Jurisdiction, PresentRows
from connectors.kit import staging
from connectors.kit.composition import compose_market
from connectors.us import UNITED_STATES
from connectors.us.contributions.filings import FINANCIALS
from connectors.us.contributions.profiles import PROFILES
from connectors.us.profile import companies
from connectors.us.register import filing_id
from tests.connectors.us.filer_bodies import AT, CIK, COMPANY, TODAY, batches, filer, filing, person, present
from warehouse.schema.tables import FILINGS

REPORT = filing("10-K", "2026-02-20", reportDate="2025-12-31")
ID = filing_id(CIK, REPORT["accessionNumber"])


def figures(company: str, filing_id: str, start: date | None) -> Callable[[PresentRows, date], dict[str, pl.DataFrame]]:
    """Another part that tells of a filing, with its first day."""
    row = {
        "filing_id": filing_id,
        "company_id": company,
        "filing_type": "annual_report",
        "period_start": start,
        "period_end": date(2025, 12, 27),
        "is_amendment": False,
        "register": "us.companyfacts",
        "observed_at": AT,
    }
    frame = pl.DataFrame([row], schema_overrides={"period_start": pl.Date})
    return lambda _present, _today: {
        FILINGS.name: pl.concat(
            [staging.empty_staged_frame(FILINGS), frame.cast({"observed_at": pl.Datetime("us", "UTC")})], how="diagonal"
        )
    }


def with_figures(company: str, filing_id: str, start: date | None) -> Jurisdiction:
    """Profiles, and figures of the same rank as the real ones."""
    facts = Contribution(name="facts", rank=FINANCIALS.rank, to_shared_tables=figures(company, filing_id, start))
    return compose_market("US", (PROFILES, facts))


def test_of_one_filing_the_lower_rank_holds_and_the_other_fills() -> None:
    made = with_figures(COMPANY, ID, date(2024, 12, 29)).to_shared_tables(present(batches(filer([REPORT]))), TODAY)
    row = made["filings"].row(0, named=True)
    assert made["filings"].height == 1
    assert (row["period_start"], row["period_end"]) == (date(2024, 12, 29), date(2025, 12, 27))
    assert (row["filed_at"], row["native_id"]) == (date(2026, 2, 20), REPORT["accessionNumber"])


def test_rows_of_filers_that_are_no_companies_are_dropped() -> None:
    market = with_figures("firm:US:US0000999002", "fil_x", None)
    made = market.to_shared_tables(present([*batches(person()), *batches(filer([REPORT]))]), TODAY)
    assert made["filings"]["company_id"].to_list() == [COMPANY]


def test_filers_without_a_profile_are_named_by_their_documents() -> None:
    named = pl.LazyFrame({"cik": ["0000000007", CIK], "name": ["TOLD INC", "OTHER"], "observed_at": [AT, AT]})
    made = companies.map_companies(present(batches(filer([REPORT]))), [named], TODAY)
    assert made.select("org_number", "name", "status_source").rows() == [
        ("US0000000007", "TOLD INC", None),
        (f"US{CIK}", "EXAMPLE COMPUTERS INC", "us.submissions"),
    ]


def test_the_market_is_declared() -> None:
    assert UNITED_STATES in JURISDICTIONS
    assert UNITED_STATES.field_precedence["name"][0] == "us.submissions"
    keys = [dataset.key for dataset in UNITED_STATES.datasets]
    assert len(set(keys)) == len(keys)
    assert keys.index("us.filer") > keys.index("us.submissions")  # of one instant the answer holds


@pytest.mark.parametrize("table", ["us_filer", "us_filed", "us_ticker"])
def test_no_rows_make_no_companies(table: str) -> None:
    declared = {name: made for dataset in UNITED_STATES.datasets for name, made in dataset.staged_tables.items()}
    batch = staging.make_batch(declared[table], [])
    made = UNITED_STATES.to_shared_tables(present([batch]), TODAY)
    assert made["companies"].is_empty()
