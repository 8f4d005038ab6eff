"""The status of a filer (docs/formats/us.md 12.2): every rule, its reason, and the filing that caused it."""

from datetime import date
from typing import Any

import pytest

from connectors.contract.dataset import Batch
from connectors.kit import staging
from connectors.us import UNITED_STATES
from connectors.us.filing_headers import schema as r
from tests.connectors.us.filer_bodies import CIK, TODAY, batches, company, filer, filing, present
from tests.pipelines.eventful import event_types_between
from tests.tables import check_cases

QUARTER = filing("10-Q", "2026-10-30", reportDate="2026-09-30")
OLD = filing("10-Q", "2024-07-30", reportDate="2024-06-30")


def status(filings: list[Any], more: list[Batch] = [], **profile: Any) -> tuple[Any, ...]:  # noqa: B006
    found = company(filer(filings, **profile), TODAY, more)
    assert found is not None
    return tuple(found[name] for name in ("status", "status_detail", "status_date", "registry_status"))


def removal(filed: str, *, is_share: bool = True, rule: str = "(a)(3)") -> Batch:
    """What Form 25 itself says."""
    row = {
        r.ACCESSION: "0000876661-26-000777",
        r.CIK: CIK,
        r.SECURITY: "Common Stock" if is_share else "Warrants to purchase Common Stock",
        r.IS_SHARE: is_share,
        r.RULE: rule,
        r.FILED: date.fromisoformat(filed),
        r.EFFECTIVE: None,
    }
    return staging.make_batch(r.REMOVALS, [row])


def deregistration(filed: str, number: str, *, is_share: bool, is_last: bool) -> Batch:
    row = {
        r.ACCESSION: number,
        r.CIK: CIK,
        r.FORM: "15-12B",
        r.FILED: date.fromisoformat(filed),
        r.IS_SHARE: is_share,
        "is_last": is_last,
    }
    return staging.make_batch(r.DEREGISTERED, [row])


def test_who_reports_is_active() -> None:
    assert status([QUARTER, OLD]) == ("active", None, None, None)


@check_cases("form", ["10-K", "20-F", "40-F", "6-K", "8-K", "10-KT", "10-Q/A", "S-1", "10-12G", "8-A12B"])
def test_every_own_report_counts(form: str) -> None:
    assert status([filing(form, "2026-01-05")])[0] == "active"


@check_cases("form", ["10KSB", "10KSB40/A", "10KT405", "10QSB", "10SB12B", "10SB12G/A", "SB-2"])
def test_forms_of_small_companies_count_as_edgar_writes_them(form: str) -> None:
    """Without the hyphen: «10-KSB» is a rare slip."""
    assert status([filing(form, "2026-01-05")])[0] == "active"
    ended = [filing("15-12G", "2008-03-03"), filing(form, "2008-06-02")]
    assert status(ended, tickers=[], exchanges=[])[:2] == ("dormant", "not_reporting"), "it reported after Form 15"


@check_cases("form", ["1-K", "1-SA", "1-U", "1-A", "1-K/A", "C-AR"])
def test_reports_on_exempt_offerings_count(form: str) -> None:
    assert status([filing(form, "2026-01-05")], tickers=[], exchanges=[])[0] == "active"


@check_cases("form", ["N-CSR", "N-CSRS/A", "N-CEN", "NPORT-P", "NSAR-B"])
def test_a_fund_that_is_a_company_reports_by_the_forms_of_funds(form: str) -> None:
    registered = filing("8-A12B", "2019-03-04", fileNumber="001-38800")
    fund: dict[str, Any] = {"entityType": "investment", "sic": ""}
    assert status([filing(form, "2026-01-05"), registered], **fund)[0] == "active"
    assert status([registered], **fund)[:2] == ("dormant", "not_reporting")
    assert company(filer([filing(form, "2026-01-05")], **fund)) is None, "a fund by itself is no company"


@check_cases(
    ("profile", "expected"),
    [
        ({"sic": "6022", "exchanges": ["Nasdaq"]}, "active"),
        ({"sic": "6036", "exchanges": ["NYSE"]}, "active"),
        ({"sic": "6022", "exchanges": ["OTC"]}, "dormant"),
        ({"sic": "6022", "tickers": [], "exchanges": []}, "dormant"),
        ({"sic": "3571", "exchanges": ["Nasdaq"]}, "dormant"),
    ],
)
def test_a_listed_bank_may_report_to_its_own_supervisor(profile: dict[str, Any], expected: str) -> None:
    """Banks without a holding company file with the FDIC, the Federal Reserve or the OCC instead."""
    assert status([filing("SC 13G", "2026-02-10")], **profile)[0] == expected
    assert status([filing("10-Q", "2017-05-08")], **profile)[0] == expected


def test_a_bank_whose_registration_or_listing_has_ended_is_not_active_by_its_symbol() -> None:
    bank: dict[str, Any] = {"sic": "6022", "exchanges": ["Nasdaq"]}
    silent = filing("10-Q", "2017-05-08")
    assert status([filing("15-12B", "2018-05-01"), silent], **bank)[:2] == ("dormant", "deregistered")
    assert status([silent], [removal("2026-10-05", rule="(b)")], **bank)[:2] == ("dormant", "not_reporting")
    assert status([silent], [removal("2026-10-05", is_share=False)], **bank)[0] == "active"


@check_cases("form", ["SC 13G/A", "4", "144", "25-NSE", "UPLOAD", "SCHEDULE 13D"])
def test_what_others_file_does_not(form: str) -> None:
    report = filing("10-Q", "2024-07-30")
    found = status([filing(form, "2026-10-05"), report])
    assert found == ("dormant", "not_reporting", date(2026, 1, 30), f"10-Q {report['accessionNumber']}")


@pytest.mark.parametrize(
    ("filed", "expected"), [("2025-05-20", "active"), ("2025-05-21", "active"), ("2025-05-19", "dormant")]
)
def test_eighteen_months_of_silence_are_dormant(filed: str, expected: str) -> None:
    assert status([filing("10-Q", filed)])[0] == expected


def test_who_never_reported_is_dormant() -> None:
    assert status([filing("D", "2026-10-05")]) == ("dormant", None, None, None)
    assert status([]) == ("dormant", None, None, None)


def test_form_15_while_no_header_was_loaded_decides_nothing() -> None:
    """It may be about notes alone: its text says so."""

    def told(end: str, *reports: Any) -> tuple[Any, ...]:
        loaded = present(batches(filer([filing(end, "2026-08-03"), *reports], tickers=[], exchanges=[])))
        unread = {name: rows for name, rows in loaded.items() if name != r.DEREGISTERED.name}
        [row] = UNITED_STATES.to_shared_tables(unread, TODAY)["companies"].to_dicts()
        return row["status"], row["status_detail"], row["status_source"]

    assert told("15-12G", filing("8-K", "2026-07-30")) == ("active", None, None)
    assert told("15-12G", OLD) == ("dormant", "not_reporting", "us.submissions"), "it is silent in any case"
    assert told("REVOKED", filing("8-K", "2026-07-30")) == ("dormant", "deregistered", "us.submissions")


@pytest.mark.parametrize(
    ("filings", "expected"),
    [
        ([filing("15-12G", "2026-08-03"), filing("8-K", "2026-07-30")], ("active", "dormant")),
        ([filing("15-12G", "2025-03-03"), filing("DEFM14A", "2024-12-02"), OLD], ("dormant", "dissolved")),
        ([filing("15-12G", "2026-08-03"), OLD], ("dormant", "dormant")),
    ],
    ids=["reports", "was merged", "is silent"],
)
def test_form_15_whose_text_is_loaded_later_ends_registration_without_an_event(
    filings: list[Any], expected: tuple[str, str]
) -> None:
    loaded = present(batches(filer(filings, tickers=[], exchanges=[])))
    unread = {name: rows for name, rows in loaded.items() if name != r.DEREGISTERED.name}
    before, after = (UNITED_STATES.to_shared_tables(rows, TODAY) for rows in (unread, loaded))
    assert (before["companies"]["status"].item(), after["companies"]["status"].item()) == expected
    assert event_types_between(before, after) == []


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (filing("8-K", "2025-02-24", items="2.01,5.01"), ("dissolved", "merged", "us.submissions")),
        (filing("8-K", "2025-02-24", items="1.03,2.01,5.01"), ("dormant", "not_reporting", "us.submissions")),
        (filing("8-K", "2024-02-26", items="2.01,5.01"), ("dormant", "not_reporting", "us.submissions")),
        (filing("8-K", "2026-07-30", items="2.01,5.01"), ("active", None, None)),
    ],
    ids=["near it", "by a plan of chapter 11", "long before", "not silent yet"],
)
def test_form_15_without_its_text_ends_a_silent_filer_whose_merger_a_current_report_states(
    report: Any, expected: tuple[Any, ...]
) -> None:
    day = "2026-08-03" if expected[0] == "active" else "2025-03-03"
    loaded = present(batches(filer([filing("15-12G", day), report], tickers=[], exchanges=[])))
    unread = {name: rows for name, rows in loaded.items() if name != r.DEREGISTERED.name}
    [row] = UNITED_STATES.to_shared_tables(unread, TODAY)["companies"].to_dicts()
    assert (row["status"], row["status_detail"], row["status_source"]) == expected


def test_form_15_ends_a_company_that_reports_no_more() -> None:
    end = filing("15-12G", "2026-08-03")
    found = status([end, filing("8-K", "2026-07-30")], tickers=[], exchanges=[])
    assert found == ("dormant", "deregistered", date(2026, 8, 3), f"15-12G {end['accessionNumber']}")


def test_pitfall_13_form_15_of_a_single_class_ends_nothing() -> None:
    end = filing("15-12B", "2014-01-02")
    assert status([QUARTER, end])[0] == "active"  # reports follow
    late = filing("15-12B", "2026-11-02")
    notes = deregistration("2026-11-02", late["accessionNumber"], is_share=False, is_last=False)
    assert status([late, QUARTER], [notes], tickers=[], exchanges=[])[0] == "active"  # it says so itself
    last = deregistration("2026-11-02", late["accessionNumber"], is_share=False, is_last=True)
    assert status([late, QUARTER], [last], tickers=[], exchanges=[])[0] == "dormant"


@pytest.mark.parametrize(
    ("filed", "expected"), [("2026-08-08", "dormant"), ("2026-08-09", "active"), ("2026-10-01", "active")]
)
def test_a_report_after_form_15_makes_active_again(filed: str, expected: str) -> None:
    found = status([filing("15-12G", "2026-08-03"), filing("8-K", filed)], tickers=[], exchanges=[])
    assert found[0] == expected


@pytest.mark.parametrize("form", ["8-A12B", "10-12G", "S-1"])
def test_a_new_registration_makes_active_again(form: str) -> None:
    found = status([filing("15-12G", "2026-03-03"), filing(form, "2026-06-01")], tickers=[], exchanges=[])
    assert found[0] == "active"


def test_form_15_that_is_taken_back() -> None:
    filings = [filing("15-12G", "2026-08-03"), filing("15-12G/A", "2026-08-20"), filing("10-Q", "2026-07-30")]
    assert status(filings, tickers=[], exchanges=[])[0] == "active"


def test_who_still_trades_and_reported_lately_is_active() -> None:
    found = status([filing("15-12G", "2026-08-03"), filing("10-Q", "2026-07-30")], exchanges=["OTC"])
    assert found[0] == "active"


@pytest.mark.parametrize("items", ["2.01,5.01,9.01", "3.01,5.01"])
def test_a_merger_dissolves(items: str) -> None:
    end = filing("15-12B", "2026-08-03")
    filings = [end, filing("25-NSE", "2026-07-24"), filing("8-K", "2026-07-24", items=items)]
    found = company(filer(filings, tickers=[], exchanges=[]))
    assert found is not None
    assert (found["status"], found["status_detail"]) == ("dissolved", "merged")
    assert found["dissolved_date"] == date(2026, 8, 3)
    assert found["registry_status"] == f"15-12B {end['accessionNumber']}"
    assert not found["is_listed"]


def test_a_merger_is_also_told_by_its_papers() -> None:
    filings = [filing("15-12B", "2026-08-03"), filing("DEFM14A", "2026-05-01"), filing("10-Q", "2026-05-05")]
    assert status(filings, tickers=[], exchanges=[])[:2] == ("dissolved", "merged")
    filings[1] = filing("DEFM14A", "2023-05-01")  # of another merger, long ago
    assert status(filings, tickers=[], exchanges=[])[:2] == ("dormant", "deregistered")


def test_pitfall_12_a_removal_of_notes_or_warrants_ends_nothing() -> None:
    filings = [QUARTER, filing("25-NSE", "2026-11-01"), filing("DEFM14A", "2026-06-01")]
    notes = removal("2026-11-01", is_share=False)
    assert status(filings, [notes])[0] == "active"
    assert status(filings, [notes], tickers=[], exchanges=[])[0] == "active"


def test_shares_extinguished_by_a_merger_dissolve_before_form_15() -> None:
    filings = [QUARTER, filing("25-NSE", "2026-11-05"), filing("8-K", "2026-11-05", items="2.01,3.01,5.01")]
    found = status(filings, [removal("2026-11-05")], tickers=[], exchanges=[])
    assert found == ("dissolved", "merged", date(2026, 11, 5), "25-NSE 0000876661-26-000777")
    assert status(filings, [removal("2026-11-05", rule="(b)")], tickers=[], exchanges=[])[0] == "active"
    assert status(filings, [removal("2026-11-05")])[0] == "active"  # a symbol still trades
    without = filings[:2]
    assert status(without, [removal("2026-11-05")], tickers=[], exchanges=[])[0] == "active"  # no evidence


@check_cases(
    ("form", "filed", "expected"),
    [
        ("25-NSE/A", "2026-11-09", "active"),  # it may take the removal back: nothing in it says so
        ("25/A", "2026-11-05", "active"),
        ("25-NSE/A", "2026-10-01", "dissolved"),  # of an earlier removal
    ],
)
def test_a_removal_that_is_amended_ends_nothing_by_itself(form: str, filed: str, expected: str) -> None:
    filings = [QUARTER, filing("25-NSE", "2026-11-05"), filing("8-K", "2026-11-05", items="2.01,3.01,5.01")]
    found = status([*filings, filing(form, filed)], [removal("2026-11-05")], tickers=[], exchanges=[])
    assert found[0] == expected


def test_chapter_11_is_not_the_end() -> None:
    filings = [
        filing("10-Q", "2026-10-30"),
        filing("8-K", "2025-09-30", items="1.01,1.03,5.01"),
        filing("25-NSE", "2025-09-29"),
        filing("8-K", "2025-07-01", items="1.03,2.04"),
    ]
    assert status(filings, [removal("2025-09-29")])[0] == "active"


def test_chapter_11_and_form_15_are_dormant_by_bankruptcy() -> None:
    filings = [
        filing("15-12B", "2026-09-30"),
        filing("8-K", "2026-03-30", items="1.01,1.03"),
        filing("25-NSE", "2026-01-10"),
    ]
    found = status(filings, tickers=[], exchanges=[])
    assert found[:3] == ("dormant", "bankruptcy", date(2026, 9, 30))


def test_a_blank_check_that_is_delisted_and_deregistered_is_liquidated() -> None:
    filings = [filing("15-12G", "2026-08-03"), filing("25-NSE", "2026-07-20"), filing("10-Q", "2026-05-01")]
    found = status(filings, sic="6770", tickers=[], exchanges=[])
    assert found[:2] == ("dissolved", "liquidation")


def test_days_alone_change_a_status() -> None:
    body = filer([filing("10-K", "2025-02-01")])
    now, later = company(body, date(2026, 8, 1)), company(body, date(2026, 8, 2))
    assert now is not None
    assert later is not None
    assert (now["status"], later["status"]) == ("active", "dormant")
    assert later["status_date"] == date(2026, 8, 1)


def test_a_report_in_the_archive_and_one_in_an_answer_are_one() -> None:
    body = filer([QUARTER])
    twice = company(body, TODAY, batches(body))
    assert twice is not None
    assert twice["status"] == "active"


def gone(*more: Any, **profile: Any) -> tuple[Any, ...]:
    """The status of a filer that ended with Form 15 and no symbol, after more filings."""
    end = filing("15-12B", "2026-08-03")
    return status([end, *more, filing("10-Q", "2026-05-05")], tickers=[], exchanges=[], **profile)[:2]


NOTES = filing("25-NSE", "2026-07-24")
PAPERS = filing("DEFM14A", "2026-05-10")
MERGED, DORMANT = ("dissolved", "merged"), ("dormant", "deregistered")


@check_cases(
    ("filings", "expected"),
    [
        ([filing("SC TO-T", "2026-06-01", fileNumber="005-12345")], MERGED),
        ([filing("SC TO-T", "2026-06-01", fileNumber="")], DORMANT),  # it bids for another, as Tesla did
        ([filing("S-4", "2026-03-01", fileNumber="333-1")], DORMANT),  # notes for notes of who goes on
        ([filing("S-4", "2026-03-01", fileNumber="333-1"), NOTES], MERGED),
        ([filing("F-4", "2026-03-01", fileNumber="333-1"), NOTES], MERGED),
        ([filing("DEFM14C", "2026-06-01")], MERGED),
        # a merger that came to nothing before a bankruptcy
        ([filing("DEFM14A", "2026-01-10"), filing("8-K", "2026-03-01", items="1.03")], ("dormant", "bankruptcy")),
        # a plan that gives the old company new owners
        ([filing("8-K", "2026-07-28", items="1.03,3.01,5.01"), NOTES], ("dormant", "bankruptcy")),
        ([filing("8-K", "2026-07-28", items="3.01,3.03,5.01"), NOTES], MERGED),
        # the agreement is terminated: the company goes on without reporting
        ([PAPERS, filing("8-K", "2026-06-20", items="1.02,9.01")], DORMANT),
        ([filing("SC TO-T", "2026-05-11", fileNumber="005-1"), filing("8-K", "2026-06-20", items="1.02")], DORMANT),
        # another merger follows; a credit is replaced; an agreement ends with the merger itself
        ([PAPERS, filing("8-K", "2026-06-20", items="1.02"), filing("DEFM14A", "2026-07-10")], MERGED),
        ([PAPERS, filing("8-K", "2026-06-20", items="1.01,1.02,2.03")], MERGED),
        ([PAPERS, filing("8-K", "2026-07-28", items="1.02,2.01,3.01,5.01")], MERGED),
        ([PAPERS, filing("8-K", "2026-05-02", items="1.02")], MERGED),
    ],
)
def test_what_is_evidence_of_a_merger(filings: list[Any], expected: tuple[str, str]) -> None:
    assert gone(*filings) == expected


def test_a_blank_check_whose_merger_is_called_off_is_liquidated() -> None:
    called_off = filing("8-K", "2026-06-20", items="1.02,9.01")
    assert gone(PAPERS, called_off, NOTES, sic="6770") == ("dissolved", "liquidation")


def test_a_blank_check_that_is_an_exchange_itself_removes_others() -> None:
    others = {**filing("25-NSE", "2026-07-20"), "accessionNumber": f"{CIK}-26-000001"}
    assert gone(others, sic="6770") == DORMANT


def words(filed: str, says: str) -> Batch:
    """What the text of a current report says."""
    row = {r.ACCESSION: "0000999900-26-000555", r.CIK: CIK, r.FILED: date.fromisoformat(filed), r.SAYS: says}
    return staging.make_batch(r.WORDS, [row])


@check_cases(
    ("filed", "says", "expected"),
    [
        ("2026-07-30", r.DISSOLUTION, ("dissolved", "dissolution")),
        ("2026-10-01", r.DISSOLUTION, ("dissolved", "dissolution")),
        ("2026-05-01", r.DISSOLUTION, ("dormant", "deregistered")),  # of something else
        ("2025-02-01", r.LIQUIDATION, ("dissolved", "liquidation")),
        ("2024-08-01", r.LIQUIDATION, ("dormant", "deregistered")),
    ],
)
def test_a_certificate_or_a_plan_of_liquidation_dissolves_who_ended(
    filed: str, says: str, expected: tuple[str, str]
) -> None:
    end = [filing("15-12G", "2026-08-03"), filing("8-K", "2026-07-30", items="8.01")]
    found = status(end, [words(filed, says)], tickers=[], exchanges=[])
    assert found[:2] == expected
    assert found[2:] == (date(2026, 8, 3), f"15-12G {end[0]['accessionNumber']}")
    assert status([QUARTER], [words(filed, says)])[0] == "active"  # words alone end nobody


def test_a_removal_counts_once_it_is_in_effect() -> None:
    filings = [QUARTER, filing("25-NSE", "2026-11-15"), filing("8-K", "2026-11-14", items="2.01,3.01,5.01")]
    shape = filer(filings, tickers=[], exchanges=[])
    days = [company(shape, date(2026, 11, day), [removal("2026-11-15")]) for day in (24, 25)]
    assert [found and found["status"] for found in days] == ["active", "dissolved"]
