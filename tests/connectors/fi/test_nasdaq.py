"""Exchange releases: lists in JSON and JSONP, twins in languages, interim reports with the period they state."""

import codecs
import gzip
import json
from datetime import UTC, date, datetime

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.fi import FINLAND
from connectors.nasdaq import categories, report_periods
from connectors.nasdaq.names import issuer_key
from tests.connectors.fi.finnish_files import INSTANT, ONE, RELEASES, day, piece, present, read, release, rows, signals
from tests.tables import check_cases

OURS = ("fi_tiedote", "fi_liputus")
RELEASED = date(2026, 10, 28)
COMPANY = f"firm:FI:{ONE}"


def page(*items: dict) -> dict:
    return {"results": {"item": list(items)}, "count": len(items)}


def filings(*items: dict) -> list[dict]:
    """Filings of releases that a link has given to one company."""
    tables = present(read(RELEASES, page(*items)))
    linked = {name: frame.with_columns(pl.lit(COMPANY).alias("_company_id")) for name, frame in tables.items()}
    return FINLAND.to_shared_tables(linked, INSTANT.date())["filings"].to_dicts()


@pytest.mark.parametrize("wrap", ["{}", "handleResponse({});", "/**/handleResponse({});", " getNews( {} ) ;\n"])
def test_json_and_jsonp(wrap: str) -> None:
    body = wrap.replace("{}", json.dumps(page(release(1, "Interim report")))).encode()
    assert RELEASES.recognise_file("x", body) == RecognisedFile(None, Scope.PART)
    (row,) = rows(read(RELEASES, body))
    assert (row["disclosureId"], row["issuerKey"], row["messageId"]) == ("1", "esimerkki", "b1")
    assert row["releaseTime"] == datetime(2026, 10, 28, 6, tzinfo=UTC)


def test_a_single_hit_stands_without_its_list() -> None:
    body = json.dumps({"results": {"item": release(1, "Interim report")}, "count": 1}).encode()
    assert [row["disclosureId"] for row in rows(read(RELEASES, body))] == ["1"]


def test_a_release_names_no_company_but_by_its_name() -> None:
    """Pitfall 11: neither number, LEI nor ISIN; a link finds the company."""
    rows_ = read(RELEASES, page(release(1, "x")))[0].rows
    assert FINLAND.company_ids_of_rows("fi_tiedote", rows_).to_list() == [None]
    assert [(link.table, link.key, link.through) for link in FINLAND.links if link.table in OURS] == [
        ("fi_tiedote", "issuerKey", "fi_ytj"),
        ("fi_liputus", "messageId", "fi_tiedote"),
        ("fi_liputus", "issuerKey", "fi_ytj"),
    ]


@check_cases(
    ("label", "registered", "public", "same"),
    [
        ("Orion", "Orion Oyj", True, True),
        ("Framery Group Oyj", "Framery Group Oyj", True, True),
        ("Nokia Abp", "Nokia Oyj", True, True),
        ("Savox Communications Oy", "Savox Communications Oy", False, True),
        ("Verkkokauppa.com Oyj", "VERKKOKAUPPA.COM OYJ", True, True),
        ("Orion", "Orion Oy", False, False),
        ("Orion Oyj", "Orion-yhtymä Oyj", True, False),
    ],
)
def test_names_are_compared_exactly_after_the_marks_of_a_public_company(
    label: str, registered: str, public: bool, same: bool
) -> None:
    assert (issuer_key(label) == issuer_key(registered, is_public=public)) is same


def test_markets_of_other_countries_are_counted_and_left_out() -> None:
    found = read(
        RELEASES, page(release(1, "a", market="Main Market, Riga"), release(2, "b"), release(3, "c", market="Moon"))
    )
    assert [row["disclosureId"] for row in rows(found)] == ["2"]
    assert set(signals(found)) == {("other_market", "Main Market, Riga"), ("unknown_code", "Moon")}


@pytest.mark.parametrize("market", ["Main Market, Helsinki, Stockholm", "Nasdaq First North Growth Market Finland"])
def test_a_market_whose_name_holds_helsinki_or_finland_is_ours(market: str) -> None:
    found = read(RELEASES, page(release(1, "a", market=market)))
    assert len(rows(found)) == 1
    assert not signals(found)


def test_a_list_with_a_byte_order_mark_or_packed_reads_alike() -> None:
    body = json.dumps(page(release(1, "a"))).encode()
    for packed in (codecs.BOM_UTF8 + body, gzip.compress(body), gzip.compress(codecs.BOM_UTF8 + body)):
        assert RELEASES.recognise_file("x", packed) == RecognisedFile(None, Scope.PART)
        assert len(rows(read(RELEASES, packed))) == 1


def test_a_time_over_the_edge_of_the_calendar_costs_its_item_only() -> None:
    found = read(RELEASES, page(release(1, "a", releaseTime="0001-01-01T00:00:00+14:00"), release(2, "b")))
    assert [row["disclosureId"] for row in rows(found)] == ["2"]


def test_a_release_of_a_time_that_none_is_of_costs_itself_only() -> None:
    times = ("2099-01-01 00:00:00", "1970-01-01 00:00:00", "0001-01-01 00:00:00")
    items = (release(number, "a", releaseTime=time) for number, time in enumerate(times, 2))
    found = read(RELEASES, page(release(1, "a"), *items))
    assert [row["disclosureId"] for row in rows(found)] == ["1"]


def test_an_item_that_does_not_read_costs_itself_only() -> None:
    items = (release(1, "a", releaseTime="now"), release(2, "b"), release(3, ""), "x")
    found = read(RELEASES, {"results": {"item": list(items)}})
    assert [row["disclosureId"] for row in rows(found)] == ["2"]


def test_a_notice_of_the_exchange_itself_may_name_no_company() -> None:
    found = read(
        RELEASES, page(release(1, "New member", company=None), release("2", "a"), release(3, "b", market=None))
    )
    assert [(row["disclosureId"], row["company"], row["issuerKey"]) for row in rows(found)] == [
        ("1", None, None),
        ("2", "Esimerkki Oyj", "esimerkki"),
    ]
    assert set(signals(found)) == {("unknown_code", "no market")}


def test_pitfall_11_times_are_utc_unless_they_say_otherwise() -> None:
    times = ("2026-07-01 09:00:00", "2026-07-01T09:00:00+02:00")
    found = rows(read(RELEASES, page(*(release(n, "a", releaseTime=time) for n, time in enumerate(times, 1)))))
    assert [row["releaseTime"].hour for row in found] == [9, 7]


def test_an_address_of_another_host_is_not_believed() -> None:
    found = read(RELEASES, page(release(1, "a", messageUrl="https://evil.example/view?id=b1")))
    assert (rows(found)[0]["messageUrl"], rows(found)[0]["messageId"]) == (None, None)
    assert ("unreadable_value", "messageUrl") in signals(found)


def test_what_is_not_ours() -> None:
    for body in (b"getCategoriesCallback({})", b'{"facts":[]}', b"<html><body>OAM</body></html>", b"text"):
        assert isinstance(RELEASES.recognise_file("x", body), NotApplicable)
    for body in (b'{"results":', b"[]", b'{"results":{"item":{}}}'):
        with pytest.raises(UnreadableFileError):
            read(RELEASES, body)
    assert piece(RELEASES, b"").dataset == "fi.nasdaq"


@check_cases(
    ("headline", "due"),
    [
        ("Esimerkki Oyj: Interim report January–September 2026", ("2026-01-01", "2026-09-30")),
        ("Interim Report 1 January – 30 September 2026", ("2026-01-01", "2026-09-30")),
        ("Esimerkki Oyj: Osavuosikatsaus 1.1.–30.9.2026", ("2026-01-01", "2026-09-30")),
        ("Osavuosikatsaus 1.7.2026-30.9.2026", ("2026-07-01", "2026-09-30")),
        ("Esimerkin tammi-syyskuu 2026", ("2026-01-01", "2026-09-30")),
        ("Esimerkki Oyj:n osavuosikatsaus heinä–syyskuulta 2026", ("2026-07-01", "2026-09-30")),
        ("Delårsrapport januari-september 2026", ("2026-01-01", "2026-09-30")),
        ("Interim report January 1 - September 30, 2026", ("2026-01-01", "2026-09-30")),
        ("Interim report January 1, 2026 - September 30, 2026", ("2026-01-01", "2026-09-30")),
        ("Marimekko – March 2026 – May 2026", ("2026-03-01", "2026-05-31")),
        ("Octopus – September 2026", None),
        ("Q1-Q3 2026", ("2026-01-01", "2026-09-30")),
        ("Esimerkki Q1–Q3/2026: growth", ("2026-01-01", "2026-09-30")),
        ("2026 Q1–Q3 results", ("2026-01-01", "2026-09-30")),
        ("Q1, Q2 and Q3 2026", None),  # no range, and none of them alone
        ("Kvartalsrapport Q3 2026", ("2026-07-01", "2026-09-30")),
        ("Q3/2026: growth", ("2026-07-01", "2026-09-30")),
        ("2026 Q3 results", ("2026-07-01", "2026-09-30")),
        ("Half-year report H1 2026", ("2026-01-01", "2026-06-30")),
        ("Report October 2025 – March 2026", None),  # ended half a year before the release
        ("Interim report February–July 2026", ("2026-02-01", "2026-07-31")),
        ("Business review November–September 2026", ("2025-11-01", "2026-09-30")),
        ("Financial year 2025/2026, Q3 2025/2026", None),
        ("Interim report Q4 2026", None),  # not over on the day of the release: another calendar
        ("Annual Report 2025", None),
        ("Conference call on 5 November 2026", None),
        ("Share buy-backs 1.10.–27.10.2026", ("2026-10-01", "2026-10-27")),
        ("Report 31.2.–30.9.2026", None),
    ],
)
def test_the_period_is_what_the_headline_states(headline: str, due: tuple[str, str] | None) -> None:
    assert report_periods.stated_period(headline, RELEASED) == (due and (day(due[0]), day(due[1])))


@check_cases(
    ("released", "due"),
    [("2026-05-29", ("2026-01-01", "2026-03-31")), ("2026-07-09", ("2026-01-01", "2026-03-31")), ("2026-08-12", None)],
)
def test_a_numbered_quarter_is_not_the_calendars_a_quarter_later(released: str, due: tuple[str, str] | None) -> None:
    """The first quarter of a year that begins in April is reported in summer."""
    found = report_periods.stated_period("Interim report Q1 2026", day(released))
    assert found == (due and (day(due[0]), day(due[1])))


def test_an_interim_report_is_a_filing_with_period_day_and_document_and_no_figures() -> None:
    document = {"mimetype": "application/pdf", "fileName": "q3.pdf", "attachmentUrl": "https://attachment/q3"}
    (filing,) = filings(release(1, "Interim report January–September 2026", attachment=[document]))
    assert (filing["filing_type"], filing["period_start"], filing["period_end"]) == (
        "interim_report",
        day("2026-01-01"),
        day("2026-09-30"),
    )
    assert (filing["filed_at"], filing["document_url"]) == (RELEASED, "https://attachment/q3")


def test_a_release_just_after_midnight_is_of_the_day_in_helsinki() -> None:
    (filing,) = filings(release(1, "Interim report Q3", releaseTime="2026-10-27 22:30:00"))
    assert filing["filed_at"] == RELEASED


def test_without_a_stated_period_it_stays_open_and_the_page_is_the_document() -> None:
    (filing,) = filings(release(1, "Growth went on"))
    assert (filing["period_start"], filing["period_end"]) == (None, None)
    assert filing["document_url"].startswith("https://view.news.eu.nasdaq.com/")


def test_pitfall_11_a_release_in_two_languages_is_one_filing_and_the_english_one_leads() -> None:
    finnish = release(1, "Osavuosikatsaus tammi–syyskuu 2026", language="fi", languages=["fi"])
    english = release(2, "Interim report January–September 2026")
    (filing,) = filings(finnish, english)
    assert filing["native_id"] == "2"
    (alone,) = filings(finnish)
    assert (alone["native_id"], alone["filing_id"]) == ("1", filing["filing_id"])


def test_a_period_that_only_one_language_states_counts() -> None:
    finnish = release(1, "Osavuosikatsaus tammi–syyskuu 2026", language="fi")
    (filing,) = filings(finnish, release(2, "Esimerkki grows"))
    assert filing["period_end"] == day("2026-09-30")


def test_a_release_of_the_year_does_not_take_the_period_of_the_annual_report() -> None:
    headline = "Financial statement release January–December 2025"
    values = {"releaseTime": "2026-02-12 06:00:00", "cnsCategory": "Financial statement release"}
    (filing,) = filings(release(1, headline, 73, **values))
    assert (filing["period_start"], filing["period_end"]) == (None, day("2025-12-31"))
    (fourth,) = filings(release(1, "Financial statement release October–December 2025", 73, **values))
    assert fourth["period_start"] == day("2025-10-01")


def test_pitfall_11_first_north_has_numbers_of_its_own_so_unknown_ones_are_judged_by_their_label() -> None:
    assert categories.is_interim(500, "Half Year financial report")
    assert categories.is_interim(9999, "Half Year financial report")
    assert categories.is_flagging(9999, "Major shareholder announcements")
    assert not categories.is_interim(428, "Interim report")
    assert not categories.is_flagging(9999, None)
    found = read(RELEASES, page(release(1, "x", 9999, market="First North Finland")))
    assert [code for code, _ in signals(found)] == ["unknown_code"]


@check_cases("category", [66, 69, 428, 436, 270, 13, 144])
def test_other_releases_are_no_filings(category: int) -> None:
    assert filings(release(1, "Report January–September 2026", category, cnsCategory="Other")) == []
