"""The parts joined: of one key the earlier part's row holds, and rows of who is no company go."""

from collections.abc import Callable
from datetime import date

import polars as pl
import pytest

from connectors import JURISDICTIONS
from connectors.kit import staging
from connectors.us import UNITED_STATES
from connectors.us.mapping import build_normaliser, company_ids_resolver, merge_precedence
from connectors.us.parts import DatasetGroup, Present
from connectors.us.profile import group
from connectors.us.register import filing_id
from tests.connectors.us.filer_bodies import AT, CIK, COMPANY, TODAY, batches, filer, filing, person, present
from warehouse.schema.tables import FILINGS

REPORT = filing("10-K", "2026-02-20", reportDate="2025-12-31")
ID = filing_id(CIK, REPORT["accessionNumber"])


def figures(
    company: str, filing_id: str, start: date | None
) -> Callable[[Present, date], dict[str, pl.DataFrame]]:
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
            [staging.empty_frame(FILINGS), frame.cast({"observed_at": pl.Datetime("us", "UTC")})],
            how="diagonal",
        )
    }


def test_of_one_filing_the_earlier_part_holds_and_the_later_fills() -> None:
    facts = DatasetGroup(shared=figures(COMPANY, ID, date(2024, 12, 29)))
    made = build_normaliser((facts, group.PART))(present(batches(filer([REPORT]))), TODAY)
    row = made["filings"].row(0, named=True)
    assert made["filings"].height == 1
    assert (row["period_start"], row["period_end"]) == (date(2024, 12, 29), date(2025, 12, 27))
    assert (row["filed_at"], row["native_id"]) == (date(2026, 2, 20), REPORT["accessionNumber"])


def test_rows_of_who_is_no_company_go() -> None:
    individual = "firm:US:US0000999002"
    part = DatasetGroup(shared=figures(individual, "fil_x", None))
    made = build_normaliser((part, group.PART))(
        present([*batches(person()), *batches(filer([REPORT]))]), TODAY
    )
    assert made["filings"]["company_id"].to_list() == [COMPANY]


def test_a_part_names_filers_without_a_profile() -> None:
    def names(_present: Present) -> pl.LazyFrame:
        return pl.LazyFrame(
            {"cik": ["0000000007", CIK], "name": ["TOLD INC", "OTHER"], "observed_at": [AT, AT]}
        )

    made = build_normaliser((DatasetGroup(names=names), group.PART))(present(batches(filer([REPORT]))), TODAY)
    named = made["companies"].select("org_number", "name", "status_source").rows()
    assert named == [
        ("US0000000007", "TOLD INC", None),
        (f"US{CIK}", "EXAMPLE COMPUTERS INC", "us.submissions"),
    ]


def test_a_table_that_no_part_names_concerns_nobody() -> None:
    touches = company_ids_resolver((DatasetGroup(numbers={"us_x": "cik"}),))
    rows = pl.DataFrame({"cik": [CIK, None]})
    assert touches("us_x", rows).to_list() == [COMPANY, None]
    assert touches("us_y", rows).to_list() == [None, None]


def test_orders_of_parts_follow_each_other() -> None:
    parts = (
        DatasetGroup(precedence={"name": ("a",)}),
        DatasetGroup(precedence={"name": ("b",), "figures": ("c",)}),
    )
    assert merge_precedence(parts) == {"name": ("a", "b"), "figures": ("c",)}


def test_the_market_is_declared() -> None:
    assert UNITED_STATES in JURISDICTIONS
    assert UNITED_STATES.precedence["name"][0] == "us.submissions"
    keys = [dataset.key for dataset in UNITED_STATES.datasets]
    assert len(set(keys)) == len(keys)
    assert keys.index("us.filer") > keys.index("us.submissions")  # of one instant the answer holds


@pytest.mark.parametrize("table", ["us_filer", "us_filed", "us_ticker"])
def test_no_rows_make_no_companies(table: str) -> None:
    declared = {name: made for dataset in UNITED_STATES.datasets for name, made in dataset.staged.items()}
    batch = staging.make_batch(declared[table], [])
    made = UNITED_STATES.normalise(present([batch]), TODAY)
    assert made["companies"].is_empty()
