"""Staged accounts rows to shared filings and figures, and what accounts know of companies."""

from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from connectors.kit import staging
from connectors.uk.accounts.mapping import FACTS, map_accounts
from connectors.uk.accounts.schema import ACCOUNTS, PUBLISHED_DAYS
from warehouse.schema.ids import filing_id_of_bytes
from warehouse.schema.tables import BY_NAME

AT = datetime(2025, 5, 3, tzinfo=UTC)
ROW: dict[str, Any] = {
    "document_sha256": "s1",
    "document": "a.html",
    "member": None,
    "company_number": "01234567",
    "company_name": "ACME LTD",
    "balance_date": date(2024, 12, 31),
    "period_start": date(2024, 1, 1),
    "period_end": date(2024, 12, 31),
    "is_consolidated": False,
    "is_comparative": False,
    "is_start_assumed": False,
    "currency": "GBP",
    "equity": 5,
    "derived": [],
    "dormant": False,
    "is_amendment": False,
    "_observed_at": AT,
    "_raw": "r1",
}
COMPARATIVE = {"period_start": date(2023, 1, 1), "period_end": date(2023, 12, 31), "is_comparative": True, "equity": 4}


def tables(*changes: dict[str, Any], days: tuple[date, ...] = ()) -> dict[str, pl.DataFrame]:
    """days: of the daily zips that had the first document."""
    kinds = {**staging.staged_schema(ACCOUNTS), "_observed_at": pl.Datetime("us", "UTC"), "_raw": pl.String}
    rows = [{name: (ROW | change).get(name) for name in kinds} for change in changes]
    zips = [{name: ROW.get(name, day) for name in PUBLISHED_DAYS.names} for day in days]
    published = pl.DataFrame(zips, schema=staging.staged_schema(PUBLISHED_DAYS))
    return map_accounts(pl.DataFrame(rows, schema=kinds).lazy(), published.lazy())


def test_shapes_are_those_of_the_shared_tables_even_without_rows() -> None:
    nothing = (staging.present_rows({}, ACCOUNTS), staging.present_rows({}, PUBLISHED_DAYS))
    for found in (tables({}), map_accounts(*nothing)):
        for name in ("filings", "financials_reported"):
            assert dict(found[name].schema) == dict(staging.staged_schema(BY_NAME[name]))
        assert found[FACTS].columns == ["company_id", "org_number", "name", "dormant", "balance_date", "facts_at"]


def test_a_document_is_one_filing_per_scope_with_its_comparatives() -> None:
    found = tables({}, COMPARATIVE, {"is_consolidated": True, "equity": 9})
    filings, figures = found["filings"], found["financials_reported"]
    company = filing_id_of_bytes("firm:UK:01234567", date(2024, 12, 31), False, "s1")
    group = filing_id_of_bytes("firm:UK:01234567", date(2024, 12, 31), True, "s1")
    assert set(filings["filing_id"]) == {company, group}
    assert filings["period_start"].to_list() == [date(2024, 1, 1)] * 2
    assert filings["filing_type"].unique().to_list() == ["annual_report"]
    of_company = figures.filter(pl.col("filing_id") == company).sort("period_end")
    assert of_company.select("period_end", "is_comparative", "equity", "is_consolidated").rows() == [
        (date(2023, 12, 31), True, 4, False),
        (date(2024, 12, 31), False, 5, False),
    ]
    assert figures.filter(pl.col("filing_id") == group)["equity"].to_list() == [9]


def test_the_day_of_filing_is_received_else_the_day_before_the_zip_else_null() -> None:
    found = tables(
        {"received_date": date(2025, 4, 1), "published_date": date(2025, 5, 3)},
        {"document_sha256": "s2", "published_date": date(2025, 5, 1)},
        {"document_sha256": "s3"},
    )["filings"]
    days = dict(found.select("document_sha256", "filed_at").iter_rows())
    assert days == {"s1": date(2025, 4, 1), "s2": date(2025, 4, 30), "s3": None}


def test_a_zip_that_repeats_a_document_does_not_change_its_day_of_filing() -> None:
    days = (date(2025, 5, 4), date(2025, 5, 3))
    monthly = tables({}, {"document_sha256": "s2"}, days=days)["filings"]
    assert dict(monthly.select("document_sha256", "filed_at").iter_rows()) == {"s1": date(2025, 5, 2), "s2": None}
    again = tables({"published_date": date(2025, 5, 4)}, days=days)["filings"]
    assert again["filed_at"].to_list() == [date(2025, 5, 2)]
    received = tables({"received_date": date(2025, 4, 1)}, days=days)["filings"]
    assert received["filed_at"].to_list() == [date(2025, 4, 1)]


def test_the_pointer_leads_to_the_document_in_its_archive() -> None:
    found = tables({}, {"document_sha256": "s2", "member": "x.zip!/a.html", "_raw": "r2#members 1 of 9"})["filings"]
    assert dict(found.select("document_sha256", "raw").iter_rows()) == {"s1": "r1", "s2": "r2#x.zip!/a.html"}
    assert found["register"].unique().to_list() == ["uk.accounts"]
    assert found["observed_at"].unique().to_list() == [AT]


def test_an_assumed_start_gives_way_to_a_stated_one() -> None:
    first = {"document_sha256": "s0", "balance_date": date(2023, 12, 31), **COMPARATIVE, "is_comparative": False}
    stated = first | {"period_start": date(2022, 8, 15)}
    assumed = COMPARATIVE | {"is_start_assumed": True}
    figures = tables({}, stated, assumed)["financials_reported"]
    assert figures.filter("is_comparative")["period_start"].to_list() == [date(2022, 8, 15)]


def test_comparative_whose_first_day_no_document_states_has_no_figures() -> None:
    alone = tables({}, COMPARATIVE | {"is_start_assumed": True})
    assert alone["financials_reported"]["is_comparative"].to_list() == [False]
    assert len(alone["filings"]) == 1


def test_a_document_without_figures_is_a_filing_and_no_figures() -> None:
    found = tables({"equity": None, "currency": None})
    assert (len(found["filings"]), len(found["financials_reported"])) == (1, 0)


def test_amended_and_interim_accounts_are_marked() -> None:
    found = tables({"is_amendment": True}, {"document_sha256": "s2", "accounts_type": "InterimAccounts"})["filings"]
    marks = {
        sha256: (kind, amended)
        for sha256, kind, amended in found.select("document_sha256", "filing_type", "is_amendment").iter_rows()
    }
    assert marks == {"s1": ("annual_report", True), "s2": ("interim_report", False)}


def test_facts_of_a_company_are_those_of_its_newest_document() -> None:
    found = tables(
        {"dormant": True},
        {"document_sha256": "s0", "balance_date": date(2023, 12, 31), "company_name": "OLD LTD", "_observed_at": AT},
        {"document_sha256": "s9", "company_number": "07654321", "company_name": None, "dormant": None},
    )[FACTS]
    assert sorted(found.rows()) == [
        ("firm:UK:01234567", "01234567", "ACME LTD", True, date(2024, 12, 31), AT),
        ("firm:UK:07654321", "07654321", None, None, date(2024, 12, 31), AT),
    ]
