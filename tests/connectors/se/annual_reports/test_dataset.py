"""Packages and weekly zips of annual reports: several documents, hostile members, names, shared tables."""

import random
from datetime import UTC, date, datetime
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.se import SWEDEN
from connectors.se.annual_reports.fetch import parse_package_name as package_name
from connectors.se.annual_reports.fetch import week_end
from tests.connectors.se.report_files import (
    INSTANT,
    NUMBER,
    PRIOR,
    REPORTS,
    THIRD,
    YEAR,
    Report,
    audit,
    batches,
    certificate,
    full,
    own,
    package,
    rejects,
    rows,
    signals,
    zipped,
)
from tests.tables import check_cases

WEEK = "arsredovisningar/2026/09_1.zip"
INNER = f"{NUMBER}_2025-12-31.zip"


def test_a_weekly_zip_of_packages_is_read() -> None:
    other = package(full(number="5560000002"))
    found = batches(zipped(**{INNER: package(full()), "5560000002_2025-12-31.zip": other}), WEEK)
    assert rows(found).select("organisationsnummer", "registered_by", "document").rows() == [
        (NUMBER, date(2026, 3, 1), INNER),
        ("5560000002", date(2026, 3, 1), "5560000002_2025-12-31.zip"),
    ]
    assert rejects(found) == []


def test_pitfall_5_audit_reports_and_certificates_lie_beside() -> None:
    found = batches(zipped(**{INNER: package(audit(), certificate(), full(), Report())}), WEEK)
    assert own(found)["revenue"] == 1_000_000
    assert sum(count for (code, _), count in signals(found).items() if code == "skipped_documents") == 3
    assert rejects(found) == []


def test_of_two_reports_of_one_year_the_fuller_one_counts() -> None:
    small = Report().flow("Nettoomsattning", "1")
    found = batches(zipped(**{INNER: package(small, full())}), WEEK)
    assert own(found)["revenue"] == 1_000_000
    assert signals(found) == {("skipped_documents", "a smaller report of the same year"): 1}


def test_the_name_of_the_package_decides_the_company() -> None:
    found = batches(
        zipped(
            **{
                INNER: package(full(number="5560000009")),
                "5560000002_2025-12-31.zip": package(full(number="5560000002")),
            }
        ),
        WEEK,
    )
    assert rows(found)["organisationsnummer"].to_list() == ["5560000002"]
    assert [(name, why) for name, why, _ in rejects(found)] == [
        (INNER, "it states another company than the name of its package")
    ]


def test_another_period_than_the_name_says_is_told_and_the_document_believed() -> None:
    found = batches(zipped(**{f"{NUMBER}_2025-06-30.zip": package(full())}), WEEK)
    assert own(found)["period_end"] == date(2025, 12, 31)
    assert ("other_period", "the name of the package ends on another day") in signals(found)


def test_a_header_left_over_from_last_year_gives_way_to_the_name_whose_year_has_figures() -> None:
    report = full(PRIOR).flow("Nettoomsattning", "9", YEAR).stock("EgetKapital", "5", YEAR[1])
    found = batches(zipped(**{f"{NUMBER}_{YEAR[1]}.zip": package(report)}), WEEK)
    assert rows(found).sort("period_end").select("period_end", "is_comparative", "revenue", "equity").rows() == [
        (date(2024, 12, 31), True, 1_000_000, 400_000),
        (date(2025, 12, 31), False, 9, 5),
    ]
    assert ("other_period", "the document states the year before") in signals(found)


@check_cases(
    ("name", "found"),
    [
        ("5560000001_2025-12-31.zip", (NUMBER, date(2025, 12, 31))),
        ("x/556000-0001 - 2025-12-31.zip", (NUMBER, date(2025, 12, 31))),
        ("a.zip!/5560000001-2025-12-31.zip!/b.xhtml", (NUMBER, date(2025, 12, 31))),
        ("1212121212_2025-12-31.zip", None),
        ("5560000001_2025-13-31.zip", None),
        ("report.xhtml", None),
    ],
)
def test_names_of_packages(name: str, found: object) -> None:
    assert package_name(name) == found


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("arsredovisningar/2025/39_2.zip", date(2025, 9, 28)),
        ("arsredovisningar/2020/53_1.zip", date(2021, 1, 3)),
        ("arsredovisningar/2025/53_1.zip", None),
        ("arsredovisningar/2025/39.zip", None),
    ],
)
def test_weeks_of_registration(name: str, end: date | None) -> None:
    assert week_end(name) == end


def test_a_weekly_zip_tells_when_it_came_out() -> None:
    found = REPORTS.recognise_file(WEEK, zipped(**{INNER: b""}))
    assert isinstance(found, RecognisedFile)
    assert found.observed_at == datetime(2026, 3, 2, tzinfo=UTC)
    listing = b'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    assert isinstance(REPORTS.recognise_file("arsredovisningar_bulk_listing/x.xml", listing), NotApplicable)


def test_hostile_and_damaged_members_cost_themselves_alone() -> None:
    broken = package(full())[:-40]
    members = {
        INNER: package(full()),
        "5560000002_2025-12-31.zip": broken,
        "../5560000003_2025-12-31.zip": package(full(number="5560000003")),
        "5560000004_2025-12-31.zip": zipped(**{"a.xhtml": full(number="5560000004").bytes()[:-150]}),
        "5560000005_2025-12-31.zip": zipped(**{"a.pdf": b"%PDF-1.4", "b.zip": b"PK\x03\x04"}),
        "5560000006_2025-12-31.zip": zipped(),
        "__MACOSX/._x.xhtml": b"junk",
    }
    found = batches(zipped(**members), WEEK)
    assert rows(found)["organisationsnummer"].to_list() == [NUMBER]
    assert len(rejects(found)) == 4


def test_a_persons_number_stands_in_no_reject() -> None:
    body = zipped(**{"191212121212_2025-12-31.zip": package(full(number="1212121212")), INNER: package(full())})
    found = batches(body, WEEK)
    assert len(rejects(found)) == 1
    assert "121212" not in str(rejects(found))


def test_cut_weekly_zips_are_unreadable() -> None:
    whole = zipped(**{INNER: package(full())})
    for end in random.Random(1).sample(range(len(whole) - 30), 25):
        with pytest.raises(UnreadableFileError):
            batches(whole[:end], WEEK)


def test_an_archive_without_reports_is_unreadable() -> None:
    with pytest.raises(UnreadableFileError, match="without any annual report"):
        batches(zipped(**{"readme.txt": b"x"}), WEEK)


def shared(*documents: tuple[Report, str]) -> dict[str, list[dict[str, Any]]]:
    found = pl.concat([rows(batches(zipped(**{INNER: package(report)}), name)) for report, name in documents])
    present = found.lazy().with_columns(
        _company_id=pl.lit(None, pl.String),
        _observed_at=pl.lit(INSTANT),
        _raw=pl.lit("0" * 64),
        _retired_at=pl.lit(None, pl.Datetime("us", "UTC")),
    )
    tables = SWEDEN.to_shared_tables({"se_arsredovisning": present}, INSTANT.date())
    return {name: table.to_dicts() for name, table in tables.items()}


def test_a_report_becomes_a_filing_and_its_figures() -> None:
    found = shared((full().flow("Nettoomsattning", "900", PRIOR).flow("Rorelseresultat", "9", PRIOR), WEEK))
    filing = found["filings"][0]
    assert (filing["filing_type"], filing["filed_at"], filing["period_end"]) == (
        "annual_report",
        date(2026, 3, 1),
        date(2025, 12, 31),
    )
    assert filing["raw"].endswith(f"#{INNER}!/00000000-aaaa.xhtml")
    figures = {row["period_end"].year: row for row in found["financials_reported"]}
    assert (figures[2025]["revenue"], figures[2025]["is_comparative"], figures[2025]["accounting_standard"]) == (
        1_000_000,
        False,
        "K3",
    )
    assert (figures[2024]["revenue"], figures[2024]["is_comparative"]) == (900, True)


def test_the_overview_never_stands_for_a_year_that_a_statement_tells() -> None:
    later = full().flow("Nettoomsattning", "1", THIRD, scale="3", decimals="-3")
    earlier = full(THIRD, revenue="1 234")
    found = shared((later, WEEK), (earlier, "arsredovisningar/2024/09_1.zip"))
    third = [row for row in found["financials_reported"] if row["period_end"].year == 2023]
    assert [(row["revenue"], row["is_comparative"]) for row in third] == [(1234, False)]
    alone = shared((later, WEEK))["financials_reported"]
    assert [row["revenue"] for row in alone if row["period_end"].year == 2023] == [1000]


def test_a_company_known_from_reports_alone_is_active_by_no_registers_word() -> None:
    company = shared((full(), WEEK))["companies"][0]
    assert (company["name"], company["status"], company["status_source"]) == ("Exempel AB", "active", None)


def test_a_document_without_its_own_years_figures_is_a_filing_still() -> None:
    found = shared((Report().flow("Nettoomsattning", "9", PRIOR), WEEK))
    assert len(found["filings"]) == 1
    assert [row["period_end"].year for row in found["financials_reported"]] == [2024]
    assert YEAR[0] == str(found["filings"][0]["period_start"])
