"""What no owner can state: less than no shares, a quarter that has not ended, shares of one's own company."""

from datetime import date
from decimal import Decimal

import pytest

from connectors.contract.dataset import MAPPING_SIGNALS, UnreadableFileError
from connectors.us.contributions import ownership
from tests.connectors.us.fact_files import merged_covers
from tests.connectors.us.holder_files import (
    COMPANY,
    INSIDERS,
    INSTANT,
    ISSUER,
    MANAGERS,
    STAKES,
    Row,
    cover_13f,
    filing,
    form4,
    line,
    owner,
    person_d,
    position,
    present,
    read,
    rows,
    schedule_d,
    signals,
    table_13f,
)
from tests.tables import check_cases

OWNER = owner("DOE JANE", "0000000011", isTenPercentOwner="1")


def managed(*positions: str, period: str = "09-30-2026", filed: str = "20261104", tables: int = 1) -> list:
    """A manager's report; its table may be attached several times."""
    documents = [("INFORMATION TABLE", table_13f(*positions))] * tables
    cover = cover_13f(period=period, entries=len(positions))
    number = f"0000000009-{filed[2:4]}-{filed[2:]}"
    return read(MANAGERS, filing("13F-HR", ("13F-HR", cover), *documents, accession=number, filed=filed), "us/a.txt")


def scheduled(*persons: str, filer: str = "0000000007") -> list:
    return read(STAKES, schedule_d(*persons, filer=filer), "0000000007-26-000001.xml")


def insider(*lines: str, owners: str = OWNER, form: str = "4", filed: str = "2026-11-04", amended: str = "") -> list:
    text = form4(*lines, owners=owners, form=form, amended=amended)
    number = f"0000000011-26-{filed.replace('-', '')[2:]}"
    return read(INSIDERS, filing(form, (form, text), accession=number, filed=filed.replace("-", "")), "us/a.txt")


def mapped(*batches: list, covers: tuple[tuple[int, str], ...] = ((1_000_000, "2026-10-01"),)) -> list[Row]:
    found = present(*batches, company=COMPANY) | merged_covers(covers, COMPANY)
    return ownership.OWNERSHIP.to_shared_tables(found, INSTANT.date())["holdings"].to_dicts()


def levels(*batches: list) -> list[tuple[str, Decimal | None, date | None]]:
    return [(row["holder_name"], row["pct_max"], row["ended_on"]) for row in mapped(*batches)]


# Shares below zero


def test_less_than_no_shares_of_a_manager_are_unknown_and_told() -> None:
    alone, both = managed(position(shares="-50000")), managed(position(shares="-20000"), position(shares="50000"))
    assert levels(alone) == levels(both) == []
    assert ("unreadable_value", "sshPrnamt") in signals(alone)


def test_less_than_no_shares_of_an_insider_are_unknown_and_told() -> None:
    found = insider(line("-50000"), line("20000", nature="By Trust"))
    assert levels(found) == [("DOE JANE", None, None)]
    assert ("unreadable_value", "sharesOwnedFollowingTransaction") in signals(found)


def test_less_than_no_shares_of_a_schedule_give_no_percentage() -> None:
    found = scheduled(person_d("ALPHA", "", "-50000"))
    assert levels(found) == [("ALPHA", None, None)]
    assert ("unreadable_value", "aggregateAmountOwned -50000") in signals(found)


# Kinds and quarters of a manager's rows


@check_cases(
    ("kind", "option", "level"),
    [("Shs", "", None), ("SH", "N/A", None), ("SH", "Put", Decimal(0)), ("PRN", "", Decimal(0))],
)
def test_rows_that_may_be_shares_are_no_end_of_a_position(kind: str, option: str, level: Decimal | None) -> None:
    before = managed(position(shares="50000"), period="06-30-2026", filed="20260804")
    [row] = mapped(
        before, managed(position(shares="50000", kind=kind, option=option)), covers=((1_000_000, "2026-06-01"),)
    )
    assert (row["valid_from"], row["pct"]) == (date(2026, 9, 30), level)
    assert (row["ended_on"] is None) == (level is None)


@check_cases("period", ["12-31-2026", "09-30-2027", "09-30-2126"])
def test_a_quarter_that_ends_after_the_report_is_unknown(period: str) -> None:
    before = managed(position(shares="40000"), period="06-30-2026", filed="20260804")
    later = managed(position(shares="50000"), period=period)
    assert [row["valid_from"] for row in mapped(before, later)] == [date(2026, 6, 30)]
    assert rows(later, "us_13f_cover")[0]["period"] is None
    assert ("impossible_day", "periodOfReport after the day of filing") in signals(later)


def test_a_table_that_is_attached_twice_is_held_once() -> None:
    assert levels(managed(position(shares="50000"), tables=2)) == [("Example Management LLC", Decimal(5), None)]
    two = managed(position(shares="50000"), position(shares="20000"))
    assert levels(two) == [("Example Management LLC", Decimal(7), None)]


# Issuer and holder


def test_a_holder_that_fills_in_its_own_cik_as_the_issuers_names_no_issuer() -> None:
    found = scheduled(person_d("ALPHA FUND LP", "7.5", cik=ISSUER), filer=ISSUER)
    assert rows(found, "us_schedule13") == []
    [row] = rows(found, "us_schedule13_bare")
    assert (row["issuerCik"], row["holderCik"]) == (None, ISSUER)
    assert rows(found, "us_cusip") == []
    assert {
        ("issuer_is_holder", "one CIK for both"),
        ("no_issuer", "issuer's CIK: found by its CUSIP, if any filing links the two"),
    } <= signals(found).keys()


def test_an_issuers_cik_in_place_of_a_holders_is_not_the_holders() -> None:
    [row] = rows(scheduled(person_d("ALPHA FUND LP", "7.5", cik=ISSUER), person_d("B", "7.5")), "us_schedule13")[:1]
    assert (row["issuerCik"], row["holderCik"]) == (ISSUER, None)


def test_an_issuer_that_files_for_its_holder_does_not_hold_itself() -> None:
    [row] = rows(scheduled(person_d("JANE FOUNDER", "7.5", kind="IN"), filer=ISSUER), "us_schedule13")
    assert (row["issuerCik"], row["holder"], row["holderCik"]) == (ISSUER, "JANE FOUNDER", None)


def test_an_insider_with_the_issuers_cik_owns_nothing() -> None:
    itself = owner("EXAMPLE CORP", ISSUER, isTenPercentOwner="1")
    found = insider(line("50000"), owners=itself + OWNER)
    assert levels(found) == [("DOE JANE", Decimal(5), None)]
    assert ("issuer_is_holder", "one CIK for both") in signals(found)
    with pytest.raises(UnreadableFileError, match="other than the issuer"):
        insider(line("50000"), owners=itself)


def test_one_cik_for_holders_of_two_names_is_dropped() -> None:
    both = scheduled(person_d("ALPHA FUND LP", "7.5", cik="0000000077"), person_d("BETA", "5.5", cik="0000000077"))
    assert [row["holderCik"] for row in rows(both, "us_schedule13")] == [None, None]
    assert ("holders_share_cik", "one CIK for several") in signals(both)
    assert [name for name, _, _ in levels(both)] == ["ALPHA FUND LP", "BETA"]
    trustee = scheduled(
        person_d("JOHN SMITH", "7.5", cik="0000000077"), person_d("JOHN SMITH, AS TRUSTEE", "5.5", cik="0000000077")
    )
    assert [row["holderCik"] for row in rows(trustee, "us_schedule13")] == ["0000000077"] * 2
    assert ("holders_share_cik", "one CIK for several") in signals(trustee)
    same = scheduled(person_d("ALPHA FUND LP", "7.5", cik="0000000077"), person_d("Alpha Fund L.P.", "5.5", cik="77"))
    assert [row["holderCik"] for row in rows(same, "us_schedule13")] == ["0000000077"] * 2
    assert ("holders_share_cik", "one CIK for several") not in signals(same)


# Other classes than common stock


@check_cases(
    ("title", "level"),
    [
        ("Series A Preferred Stock", None),
        ("Stock Option (right to buy)", None),
        ("Warrants to purchase common stock", None),
        ("PFD SER A", None),
        ("*W EXP 05/15/2030", None),
        ("RTS 99/99/9999", None),
        ("Common Stock and associated preferred stock purchase rights", Decimal(5)),
        ("Class A Common Stock", Decimal(5)),
    ],
)
def test_shares_of_another_class_are_no_share_of_the_common_stock(title: str, level: Decimal | None) -> None:
    found = insider(line("50000", title=title))
    assert levels(found) == [("DOE JANE", level, None)]
    made = present(found) | merged_covers([(1_000_000, "2026-10-01")], COMPANY)
    told = ownership.OWNERSHIP.to_shared_tables(made, INSTANT.date())[MAPPING_SIGNALS]["code"].to_list()
    assert told == ["not_common_stock"] * (level is None)


# Names and flags


@check_cases("name", ["N/A", "None", "NULL", "not applicable"])
def test_words_that_stand_for_no_name_are_no_holder(name: str) -> None:
    found = scheduled(person_d(name, "7.5"), person_d("ALPHA", "7.5"))
    assert [row["holder"] for row in rows(found, "us_schedule13")] == ["ALPHA"]
    assert ("no_holder", "reportingPersonName") in signals(found)


def test_a_name_that_was_escaped_twice_is_read() -> None:
    [row] = rows(scheduled(person_d("A &amp;amp; B&amp;#39;s LLC", "7.5")), "us_schedule13")
    assert row["holder"] == "A & B's LLC"
    assert rows(scheduled(person_d("R&amp;D &amp;c LLC", "7.5")), "us_schedule13")[0]["holder"] == "R&D &c LLC"


def test_a_day_of_a_transaction_that_does_not_read_is_told() -> None:
    found = insider(line("50000", day="2026-13-02"))
    assert rows(found, "us_insider")[0]["day"] is None
    assert ("unreadable_value", "transactionDate 2026-13-02") in signals(found)


def test_a_flag_that_is_neither_yes_nor_no_is_told() -> None:
    found = insider(line("50000"), owners=owner("DOE JANE", "0000000011", isTenPercentOwner="X", isDirector="0"))
    assert rows(found, "us_insider")[0]["isTenPercentOwner"] is None
    assert [subject for code, subject in signals(found) if code == "unknown_code"] == ["isTenPercentOwner X"]


# Amendments, and percentages beside shares


def test_an_amendment_for_an_earlier_day_replaces_the_form_that_it_amends() -> None:
    form = insider(line("500000", day="2026-10-20"), filed="2026-10-22")
    amendment = insider(line("50000", day="2026-10-02"), form="4/A", amended="2026-10-22")
    other = insider(line("50000", day="2026-10-02"), form="4/A", amended="2026-10-21")
    fewer = insider(line("500000", day="2026-10-02"), line("400000", day="2026-10-20"), filed="2026-10-22")
    again = insider(line("70000", day="2026-10-01"), form="4/A", filed="2026-11-06", amended="2026-10-22")
    for order in ((form, amendment), (amendment, form)):
        assert levels(*order) == [("DOE JANE", Decimal(5), None)]
    assert levels(form, other) == [("DOE JANE", Decimal(50), None)]
    assert levels(fewer, amendment) == [("DOE JANE", Decimal(40), None)]  # it mends one line of two
    assert levels(form, amendment, again) == [("DOE JANE", Decimal(7), None)]


@check_cases(
    ("percent", "shares", "level", "is_told"),
    [
        ("7.5", "75000", "7.5", False),
        ("0.075", "75000", "7.5", True),  # a fraction
        ("1", "1000000", "100", True),
        ("1", "10000", "1", False),
        ("0.75", "75000", "0.75", True),  # a tenth of it, whatever is meant
        ("0", "300000", None, True),
        ("0", "30000", "0", True),
        ("8.2", "75000", "8.2", False),
        ("0", "0", "0", False),
    ],
)
def test_a_percentage_that_is_not_that_of_the_shares_is_told_and_stays_unless_it_is_a_fraction(
    percent: str, shares: str, level: str | None, is_told: bool
) -> None:
    found = present(scheduled(person_d("ALPHA", percent, shares))) | merged_covers([(1_000_000, "2026-10-01")], COMPANY)
    made = ownership.OWNERSHIP.to_shared_tables(found, INSTANT.date())
    assert made["holdings"]["pct"].to_list() == [None if level is None else Decimal(level)]
    assert made["holdings"]["ended_on"].is_null().to_list() == [level != "0"]
    assert made[MAPPING_SIGNALS]["code"].to_list() == ["percent_differs"] * is_told


def test_fraction_in_an_amendment_is_no_exit() -> None:
    first = person_d("ALPHA", "7.5", "75000", cik="0000000007")
    then = person_d("ALPHA", "0.085", "85000", cik="0000000007")
    amendment = schedule_d(then, form="SCHEDULE 13D/A", event="11/03/2026")
    filings = (scheduled(first), read(STAKES, amendment, "0000000007-26-000002.xml"))
    assert levels(*filings) == [("ALPHA", Decimal("8.5"), None)]


@check_cases(("percent", "form", "level"), [("0.075", "SCHEDULE 13D", None), ("0.075", "SCHEDULE 13D/A", "0.075")])
def test_first_statement_of_less_than_one_percent_of_an_unknown_total_is_unknown_and_told(
    percent: str, form: str, level: str | None
) -> None:
    found = present(read(STAKES, schedule_d(person_d("ALPHA", percent, "75000"), form=form)))
    made = ownership.OWNERSHIP.to_shared_tables(found, INSTANT.date())
    assert made["holdings"]["pct"].to_list() == [None if level is None else Decimal(level)]
    assert made[MAPPING_SIGNALS]["code"].to_list() == ["below_duty"] * (level is None)
