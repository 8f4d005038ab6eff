"""Publications and their documents as filings and figures: corrections, several documents, scanned reports."""

from datetime import date
from typing import Any

import polars as pl

from connectors.contract.dataset import Batch, NotApplicable, RecognisedFile
from tests.connectors.dk.records import NUMBER, OTHER, PUBLICATIONS, REPORTS, answer, batches, company, rejects, shared
from tests.connectors.dk.report_files import GROUP, LEI, YEAR, Report, full, listed, named, publication, url
from tests.tables import check_cases

ID = f"firm:DK:{NUMBER}"


def index(*hits: dict[str, Any]) -> list[Batch]:
    return batches(PUBLICATIONS, listed(*hits))


def document(body: bytes, name: str = named(), sha256: str = "a" * 64) -> list[Batch]:
    found = batches(REPORTS, body, name)
    return [
        Batch(one.table, one.rows.with_columns(document_sha256=pl.lit(sha256)), one.rejects, one.signals)
        for one in found
    ]


def test_a_publication_with_its_document_is_one_filing_with_figures() -> None:
    found = shared(index(publication()), document(full().instance()))
    (filing,) = found["filings"].iter_rows(named=True)
    assert (filing["company_id"], filing["native_id"]) == (ID, "urn:ofk:oid:9366144")
    assert (filing["filed_at"], filing["period_start"], filing["period_end"]) == (
        date(2026, 5, 20),
        date(2025, 1, 1),
        date(2025, 12, 31),
    )
    assert (filing["is_amendment"], filing["document_url"]) == (False, url(9366144, "pdf"))
    reported = found["financials_reported"].sort("period_end", descending=True)
    assert reported.select("net_result", "is_comparative", "accounting_standard").rows() == [
        (100, False, "ÅRL B"),
        (200, True, "ÅRL B"),
    ]
    assert set(reported["filing_id"]) == {filing["filing_id"]}


def test_a_publication_keeps_its_id_when_its_document_arrives() -> None:
    before, after = shared(index(publication())), shared(index(publication()), document(full().instance()))
    assert before["filings"]["filing_id"].to_list() == after["filings"]["filing_id"].to_list()
    assert before["filings"].select("register", "period_end").rows() == [("dk.offentliggoerelser", date(2025, 12, 31))]
    assert before["financials_reported"].is_empty()


def test_a_correction_is_a_filing_of_its_own_of_the_same_period() -> None:
    corrected = publication(9400000, day="2026-06-30", omgoerelse=True)
    again = full().flow("Revenue", 7).instance()
    found = shared(
        index(publication(), corrected), document(full().instance()), document(again, named(9400000), sha256="b" * 64)
    )
    filings = found["filings"].sort("filed_at").select("is_amendment", "period_end", "native_id").rows()
    assert filings == [
        (False, date(2025, 12, 31), "urn:ofk:oid:9366144"),
        (True, date(2025, 12, 31), "urn:ofk:oid:9400000"),
    ]
    assert found["filings"]["filing_id"].n_unique() == 2


def test_of_several_documents_the_one_with_the_most_figures_is_read() -> None:
    small = Report().year().flow("Revenue", 1)
    found = shared(
        index(publication()), document(small.instance(), named(place=0)), document(full().instance(), sha256="b" * 64)
    )
    assert found["filings"]["document_sha256"].to_list() == ["b" * 64]
    assert found["financials_reported"].filter(~pl.col("is_comparative"))["net_result"].to_list() == [100]


def test_a_group_is_a_filing_of_its_own() -> None:
    report = full().flow("Revenue", 9000, parts=GROUP).instance()
    found = shared(index(publication()), document(report))
    assert found["filings"].height == 2
    joined = found["financials_reported"].join(found["filings"], on="filing_id")
    assert set(joined.filter(~pl.col("is_comparative")).select("is_consolidated", "revenue").rows()) == {
        (False, None),
        (True, 9000),
    }


def test_a_document_by_lei_is_of_the_publications_company() -> None:
    esef = Report("549300ABCDEFGHIJKL12", LEI).flow("ifrs:Revenue", 5).inline()
    linked = document(esef)
    assert linked[0].rows["cvr_nummer"].to_list() == [None] * linked[0].rows.height
    told = [Batch(one.table, one.rows.with_columns(cvr_nummer=pl.lit(NUMBER)), one.rejects) for one in linked]
    found = shared(index(publication()), told)  # what the link by publication gives
    assert found["filings"].filter(pl.col("document_sha256").is_not_null()).select(
        "company_id", "native_id"
    ).rows() == [(ID, "urn:ofk:oid:9366144")]
    assert found["financials_reported"]["is_consolidated"].to_list() == [True]


def test_a_loose_document_is_a_filing_by_its_bytes_and_of_another_company_too() -> None:
    loose = shared(document(full().instance(), "report.xml"))
    assert loose["filings"].select("native_id", "filed_at", "company_id").rows() == [(None, None, ID)]
    # it names another company than the publication of which it came: the publication stays without figures
    wrong = shared(index(publication()), document(full(OTHER).instance()))
    assert set(wrong["filings"].select("company_id", "native_id").rows()) == {
        (ID, "urn:ofk:oid:9366144"),
        (f"firm:DK:{OTHER}", None),
    }


def test_a_half_year_is_no_annual_report() -> None:
    report = Report().year("2025-01-01", "2025-06-30").text("InformationOnTypeOfSubmittedReport", "Halvårsrapport")
    half = report.flow("ProfitLoss", 5, ("2025-01-01", "2025-06-30")).instance()
    assert shared(index(publication()), document(half))["filings"]["filing_type"].to_list() == ["interim_report"]


@check_cases(
    ("changes", "reason"),
    [
        ({"cvrNummer": None}, "the CVR number is not eight digits"),
        ({"offentliggoerelsesTidspunkt": "i går"}, "no time of publication"),
        ({"offentliggoerelsestype": "aktionaerregister"}, "not a company: a publication of another kind"),
    ],
)
def test_hits_that_are_no_report_are_rejected(changes: dict[str, Any], reason: str) -> None:
    found = index(publication(1, **changes), publication(2))
    assert [why[: len(reason)] for _, why in rejects(found)] == [reason]
    assert found[0].rows["publikation"].to_list() == ["urn:ofk:oid:2"]


def test_kinds_of_publications_that_are_no_annual_report_are_no_filing() -> None:
    other = [{"dokumentType": "HALVAARSRAPPORT", "dokumentMimeType": "application/xml", "dokumentUrl": url(1, "xml")}]
    assert shared(index(publication(1, dokumenter=other)))["filings"].is_empty()


def test_members_may_be_absent() -> None:
    found = index(publication(1, dokumenter=None, regnskab=None, omgoerelse=None, sagsNummer=None))
    row = found[0].rows.row(0, named=True)
    assert (row["periode_slut"], row["omgoerelse"], row["er_aarsrapport"]) == (None, False, False)


def test_answers_of_the_index_are_recognised() -> None:
    assert isinstance(PUBLICATIONS.recognise_file("offentliggoerelser/a.json", listed(publication())), RecognisedFile)
    for body in (listed(), answer(company()), b"<html>"):
        assert isinstance(PUBLICATIONS.recognise_file("offentliggoerelser/a.json", body), NotApplicable)


def test_the_day_of_filing_is_the_day_in_denmark_whatever_the_offset() -> None:
    late = publication(1, offentliggoerelsesTidspunkt="2026-05-19T22:30:00.000Z")
    assert index(late)[0].rows["dag"].to_list() == [date(2026, 5, 20)]


def test_the_day_of_filing_is_the_day_as_written() -> None:
    late = publication(1, offentliggoerelsesTidspunkt="2026-05-20T00:30:00.000+02:00")
    row = index(late)[0].rows.row(0, named=True)
    assert (row["dag"], row["tidspunkt"].date()) == (date(2026, 5, 20), date(2026, 5, 19))
    assert YEAR[1] == row["periode_slut"].isoformat()
