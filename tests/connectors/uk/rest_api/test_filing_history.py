"""A document of the bulk accounts and the filing history's item of it as one filing.

See docs/formats/uk.md 5.2, 11.
"""

from datetime import UTC, date, datetime

import polars as pl
import pytest

from connectors.kit import staging
from connectors.uk.accounts.mapping import map_accounts
from connectors.uk.accounts.schema import ACCOUNTS, PUBLISHED_DAYS
from connectors.uk.live_schema import FILED, PROFILES
from connectors.uk.rest_api import filing_history
from warehouse.schema.ids import filing_id

NO_ZIPS = staging.present_rows({}, PUBLISHED_DAYS)
NUMBER = "01234567"
LATER = datetime(2026, 11, 9, 20, tzinfo=UTC)


def document(**members: object) -> pl.DataFrame:
    row = {
        "document_sha256": "s1",
        "company_number": NUMBER,
        "balance_date": date(2026, 3, 31),
        "period_start": date(2025, 4, 1),
        "period_end": date(2026, 3, 31),
        "is_consolidated": False,
        "is_comparative": False,
        "is_start_assumed": False,
        "equity": 5,
        "derived": [],
        "is_amendment": False,
        **members,
    }
    return staging.make_batch(ACCOUNTS, [row]).rows.with_columns(
        _observed_at=pl.lit(LATER).cast(pl.Datetime("us", "UTC")), _raw=pl.lit("r")
    )


def told(*transactions: str, made_up: str = "2026-03-31", form: str = "AA") -> pl.DataFrame:
    rows = [
        {"company_number": NUMBER, "transaction_id": one, "type": form, "category": "accounts",
         "date": "2026-10-02", "made_up_date": made_up, "deleted": False}
        for one in transactions
    ]  # fmt: skip
    return staging.make_batch(FILED, rows).rows.with_columns(
        _observed_at=pl.lit(LATER).cast(pl.Datetime("us", "UTC")), _raw=pl.lit("r")
    )


@pytest.mark.parametrize(
    ("history", "names"),
    [
        (told("T1"), {"T1"}),
        (told("T1", made_up="2025-03-31"), {"T1", None}),  # another period
        (told("T1", form="AAMD"), {"T1", None}),  # an amendment is another document
        (told("T1", "T2"), {"T1", "T2", None}),  # which of them it is nobody says
    ],
)
def test_a_document_and_the_item_that_tells_of_it_are_one_filing(history, names):
    tables = map_accounts(document().lazy(), NO_ZIPS)
    filed, figures = filing_history.merge_filing_history(
        tables["filings"], tables["financials_reported"], history, staging.empty_staged_frame(PROFILES)
    )
    assert set(filed["native_id"].to_list()) == names
    assert figures["filing_id"].is_in(filed["filing_id"].implode()).all()
    mine = filed.filter(pl.col("document_sha256") == "s1").row(0, named=True)
    paired = names == {"T1"}
    assert (mine["filing_id"] == filing_id("uk.filings", "T1")) == paired
    assert mine["period_start"] == date(2025, 4, 1)
    assert mine["filed_at"] == (date(2026, 10, 2) if paired else None)


def test_the_same_bytes_of_two_companies_are_paired_with_the_item_of_each():
    both = pl.concat([document(), document(company_number="07654321")])
    history = pl.concat([told("T1"), told("T2").with_columns(company_number=pl.lit("07654321"))])
    tables = map_accounts(both.lazy(), NO_ZIPS)
    filed, _ = filing_history.merge_filing_history(
        tables["filings"], tables["financials_reported"], history, staging.empty_staged_frame(PROFILES)
    )
    assert sorted(filed.select("company_id", "native_id").rows()) == [
        ("firm:UK:01234567", "T1"),
        ("firm:UK:07654321", "T2"),
    ]
