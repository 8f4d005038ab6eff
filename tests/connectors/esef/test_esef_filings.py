"""The index of filings.xbrl.org, and one document per report in the shared tables."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import MAPPING_SIGNALS, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.esef.dataset import esef_dataset
from tests.connectors.esef.esef_bodies import (
    CLOSING,
    COMPANY,
    DATASET,
    LEI,
    OTHER,
    entry,
    fact,
    index,
    path,
    read,
    report,
    shared,
    statements,
)
from tests.tables import check_cases

PAGE = "index.json"


def test_entries_filed_in_any_country_are_read_and_only_those_of_the_own_are_audited() -> None:
    body = index(entry(), entry(1, country="SE", end="4172-01-01"), entry(2, lei="EDRPOU-1", country="UA"))
    batch = read(body, PAGE)
    assert batch.rows["country"].to_list() == ["FI", "SE", "UA"]
    assert batch.signals == ()
    assert read(body, PAGE, esef_dataset("SE")).rows.height == 3


def test_an_entry_keeps_what_the_site_says() -> None:
    named = {"type": "entity", "id": "7", "attributes": {"identifier": LEI, "name": "F-Secure Oyj"}}
    message = {"type": "validation_message", "id": "8", "attributes": {"severity": "ERROR"}}
    (row,) = read(index(entry(), included=[message, named]), PAGE).rows.to_dicts()
    assert (row["lei"], row["entity_name"], row["period_end"]) == (LEI, "F-Secure Oyj", date(2025, 12, 31))
    assert row["date_added"] == datetime(2026, 3, 1, 10, 0, 0, 1, tzinfo=UTC)
    assert (row["error_count"], row["warning_count"]) == (0, 1)


def test_what_a_person_should_look_at_is_told() -> None:
    odd = entry(1, lei="SOMEBODY", novelty=1)
    future = entry(2, end="4172-01-01")
    (signals,) = [{(signal.code, signal.subject) for signal in read(index(odd, future), PAGE).signals}]
    assert signals == {
        ("unknown_entity", "entity"),
        ("unknown_key", "novelty"),
        ("implausible_period_end", "period_end"),
    }


def test_a_broken_entry_is_a_reject_of_its_own() -> None:
    batch = read(index(entry(fxo_id=None), entry(1, sha256=3), entry(2)), PAGE)
    assert batch.rows.height == 1
    assert batch.rejects["record"].to_list() == ["entry without fxo_id", f"{LEI}-2025-12-31-ESEF-FI-1"]


@check_cases(
    ("body", "reason"),
    [
        (b'{"errors":[{"status":"500","title":"Unknown error"}]}', "error answer of filings.xbrl.org (status 500)"),
        (b"PK\x03\x04", "packages are not"),
        (index(), "no filings on this page"),
        (b'{"data":{"type":"entity"}}', "neither a page of filings nor xBRL-JSON"),
    ],
)
def test_pitfall_filings_xbrl_org_500_on_some_filters_and_others_are_not_ours(body: bytes, reason: str) -> None:
    found = DATASET.recognise_file("x.json", body)
    assert isinstance(found, NotApplicable)
    assert reason in found.reason


def test_what_is_ours_is_a_part() -> None:
    for body in (index(entry()), report(*statements())):
        assert DATASET.recognise_file("x.json", body) == RecognisedFile(None, Scope.PART)
    with pytest.raises(UnreadableFileError):
        read(index(entry())[:-9], PAGE)


def test_a_report_and_its_entry_are_one_filing() -> None:
    found = shared(read(index(entry()), PAGE), read(report(*statements()), path()))
    (filing,) = found["filings"].to_dicts()
    assert filing["native_id"] == f"{LEI}-2025-12-31-ESEF-FI-0"
    assert (filing["period_start"], filing["period_end"]) == (date(2025, 1, 1), date(2025, 12, 31))
    assert (
        filing["document_url"] == f"https://filings.xbrl.org/{LEI}/2025-12-31/ESEF/FI/0/reports/{LEI}-2025-12-31.xhtml"
    )
    assert (filing["filing_type"], filing["filed_at"], filing["register"]) == ("annual_report", None, "fi.esef")
    assert filing["observed_at"] == datetime(2026, 3, 1, 10, 0, 0, 1, tzinfo=UTC)
    own, before = found["financials_reported"].sort("period_end", descending=True).to_dicts()
    assert (own["revenue"], own["equity"], own["is_consolidated"], own["is_comparative"]) == (100, 40, True, False)
    assert (own["accounting_standard"], own["currency"], own["employees"]) == ("IFRS", "EUR", None)
    assert (before["period_end"], before["revenue"], before["is_comparative"]) == (date(2024, 12, 31), 9, True)


def test_a_copy_of_a_report_is_known_by_its_file_name() -> None:
    found = shared(read(index(entry()), PAGE), read(report(*statements()), f"{LEI}-2025-12-31-en.json"))
    assert found["filings"]["native_id"].to_list() == [f"{LEI}-2025-12-31-ESEF-FI-0"]


def test_pitfall_filings_xbrl_org_null_json_url() -> None:
    """Where processing failed the document is known, and nothing of what it says."""
    failed = entry(json_url=None, viewer_url=None, report_url=None)
    found = shared(read(index(failed), PAGE))
    (filing,) = found["filings"].to_dicts()
    assert (filing["period_start"], filing["period_end"]) == (None, date(2025, 12, 31))
    assert filing["document_url"].endswith(".zip")
    assert found["financials_reported"].is_empty()


def test_pitfall_filings_xbrl_org_several_languages_per_year() -> None:
    body = report(*statements())
    pages = index(entry(), entry(1), entry(2, json_url=None))
    found = shared(read(pages, PAGE), read(body, path(0)), read(body, path(1)))
    assert found["filings"]["native_id"].to_list() == [f"{LEI}-2025-12-31-ESEF-FI-0"]
    fuller = shared(read(pages, PAGE), read(report(*statements(Revenue=None)), path(0)), read(body, path(1)))
    assert fuller["financials_reported"]["revenue"].drop_nulls().to_list() == [100, 9]


def test_versions_of_one_day_with_other_figures_are_told_and_the_first_of_the_fullest_counts() -> None:
    other = report(*statements(Revenue=101, Assets=None))
    found = shared(read(index(entry(), entry(1)), PAGE), read(report(*statements()), path(0)), read(other, path(1)))
    assert found["financials_reported"].filter(~pl.col("is_comparative"))["revenue"].to_list() == [100]
    assert found[MAPPING_SIGNALS].rows() == [("fi.esef", "contradicting_documents", "Revenue", COMPANY)]
    same = shared(
        read(index(entry(), entry(1)), PAGE),
        read(report(*statements()), path(0)),
        read(report(*statements(Assets=None)), path(1)),
    )
    assert same[MAPPING_SIGNALS].is_empty()


def test_report_of_another_issuer_than_its_entry_names_is_told() -> None:
    theirs = path(0).replace(LEI, OTHER)
    found = shared(read(index(entry(lei=OTHER)), PAGE), read(report(*statements()), theirs))
    assert found["financials_reported"].filter(~pl.col("is_comparative"))["revenue"].to_list() == [100]
    assert found[MAPPING_SIGNALS].rows() == [("fi.esef", "other_issuer", "lei", COMPANY)]


def test_a_later_refiling_is_a_document_of_its_own() -> None:
    later = entry(1, date_added="2026-06-01 10:00:00", processed="2026-06-01 10:00:00")
    bodies = report(*statements()), report(*statements(Revenue=101))
    found = shared(read(index(entry(), later), PAGE), read(bodies[0], path(0)), read(bodies[1], path(1)))
    assert found["filings"].height == 2
    same = shared(read(index(entry(), later), PAGE), read(bodies[0], path(0)), read(bodies[0], path(1)))
    assert same["filings"]["native_id"].to_list() == [f"{LEI}-2025-12-31-ESEF-FI-0"]


def test_a_wrong_period_end_is_corrected_by_the_facts() -> None:
    wrong = entry(period_end="2026-05-01")
    found = shared(read(index(wrong), PAGE), read(report(*statements()), path()))
    assert found["filings"]["period_end"].to_list() == [date(2025, 12, 31)]
    assert shared(read(index(wrong), PAGE))["filings"].is_empty(), "its report is still to come"
    assert shared(read(index(entry(end="4172-01-01", json_url=None)), PAGE))["filings"].is_empty()


def own_year(*periods: str) -> list[tuple[object, ...]]:
    """Type and days of the filing of a report with as many facts of each period."""
    facts = [fact(name, 5, period) for period in periods for name in ("Revenue", "ProfitLoss")]
    found = shared(read(report(*facts, fact("Assets", 90, CLOSING)), path()))
    return found["filings"].select("filing_type", "period_start", "period_end").rows()


HALF = "2025-07-01T00:00:00/2026-01-01T00:00:00"


def test_a_part_of_a_year_beside_the_same_months_of_last_year_is_an_interim_report() -> None:
    same_months = "2024-07-01T00:00:00/2025-01-01T00:00:00"
    full_year = "2024-07-01T00:00:00/2025-07-01T00:00:00"
    last = date(2025, 12, 31)
    for comparatives in ([same_months], [same_months, full_year], ["2024-07-03T00:00:00/2024-12-30T00:00:00"]):
        assert own_year(HALF, *comparatives) == [("interim_report", date(2025, 7, 1), last)]


@pytest.mark.parametrize("first", [date(2025, 12, 31), date(2025, 9, 17), date(2025, 7, 1), date(2024, 10, 1)])
def test_a_first_or_changed_year_is_an_annual_report_whatever_its_length(first: date) -> None:
    year = f"{first}T00:00:00/2026-01-01T00:00:00"
    before = f"{first - timedelta(days=365)}T00:00:00/{first}T00:00:00"
    for periods in ([year], [year, before]):
        assert own_year(*periods) == [("annual_report", first, date(2025, 12, 31))]


def test_chains_of_concepts() -> None:
    parts = [
        {"value": "7", "dimensions": {"concept": f"ifrs-full:{name}", "entity": f"lei:{LEI}", **when}}
        for name, when in (
            ("InsuranceRevenue", {"period": "2025-01-01T00:00:00/2026-01-01T00:00:00", "unit": "iso4217:EUR"}),
            (
                "ProfitLossAttributableToOwnersOfParent",
                {"period": "2025-01-01T00:00:00/2026-01-01T00:00:00", "unit": "iso4217:EUR"},
            ),
            ("EquityAttributableToOwnersOfParent", {"period": "2026-01-01T00:00:00", "unit": "iso4217:EUR"}),
            ("EquityAndLiabilities", {"period": "2026-01-01T00:00:00", "unit": "iso4217:EUR"}),
        )
    ]
    (row,) = shared(read(report(*parts), path()))["financials_reported"].to_dicts()
    assert [row[name] for name in ("revenue", "operating_result", "net_result", "equity", "total_assets")] == [
        7,
        None,
        7,
        7,
        7,
    ]


def test_rows_without_a_company_are_nobodys() -> None:
    batch = read(index(entry(lei=OTHER)), PAGE)
    assert shared()["filings"].is_empty()
    assert batch.rows["lei"].to_list() == [OTHER]


def test_every_genuine_file_is_read_or_not_ours(sources: Path) -> None:
    read_by: dict[str, list[str]] = {}
    for file in sorted((sources / "fi").glob("esef_*")):
        body = file.read_bytes()
        for market in ("FI", "SE", "NO", "UK"):
            dataset = esef_dataset(market)
            if isinstance(dataset.recognise_file(file.name, body[:65_536]), RecognisedFile):
                batch = read(body, file.name, dataset)
                assert batch.rejects.is_empty()
                assert batch.signals == ()
                read_by.setdefault(market, []).append(file.name)
    # every market reads every page and report: the issuer's LEI says whose it is, not the country of filing
    assert [len(read_by[market]) for market in ("FI", "SE", "NO", "UK")] == [10, 10, 10, 10]
    errors = [json.loads(file.read_bytes()) for file in (sources / "fi").glob("esef_error_*")]
    assert len(errors) == 3


def test_an_offset_of_the_indexs_times_counts() -> None:
    batch = read(index(entry(processed="2026-03-01T01:00:00+02:00", date_added="2026-03-01 01:00:00")))
    assert batch.rows["processed"].to_list() == [datetime(2026, 2, 28, 23, tzinfo=UTC)]
    assert batch.rows["date_added"].to_list() == [datetime(2026, 3, 1, 1, tzinfo=UTC)]
