"""Notices of major holdings: what their texts state, cell by cell (docs/formats/no.md 8)."""

from datetime import date
from decimal import Decimal

import pytest

from connectors.no.newsweb import major_holdings
from connectors.no.newsweb.schema import FLAGS
from tests.connectors.no.market_files import form, read, rows, whole
from tests.tables import check_cases


@check_cases(
    ("day", "found"),
    [
        ("03/06/2026", date(2026, 6, 3)),
        ("31.07.2026", date(2026, 7, 31)),
        ("2026-06-04", date(2026, 6, 4)),
        ("June 9, 2026", date(2026, 6, 9)),
        ("9. juni 2026", date(2026, 6, 9)),
        ("last week", None),
        ("31.02.2026", None),
    ],
)
def test_days_of_crossing(day: str, found: date | None) -> None:
    holding = major_holdings.parse_major_holding(form(day=day))
    assert (holding and holding.crossed_on) == found


@check_cases(
    ("now", "votes", "instruments", "total"),
    [
        ("0.24% 7.82% 8.07% \n47,145,000", "0.24", "7.82", 47_145_000),
        ("7,46 0,00 7,46 138387333", "7.46", "0.00", 138_387_333),
        ("0 % 0", "0", None, None),
        ("5,01 %", "5.01", None, None),
        ("7,46 1,00 9,46 100", None, None, None),
        ("7,46 1,00", None, None, None),
        ("see annex", None, None, None),
    ],
)
def test_the_row_of_positions(now: str, votes: str | None, instruments: str | None, total: int | None) -> None:
    found = major_holdings.parse_major_holding(form(now=now))
    if votes is None:
        assert found is None
    else:
        assert found is not None
        expected = None if instruments is None else Decimal(instruments)
        assert (found.votes, found.instruments, found.total_votes) == (Decimal(votes), expected, total)


def test_the_short_text_with_a_table() -> None:
    text = (
        "Fond AB has on 2026-06-04 bought 29 131 shares in Eksempel ASA and has consequently passed the 5% "
        "disclosure threshold.\n\nNumber of shares\t\n2026-06-03\t3 171 927\t4,96\t3 171 927\t4,96\n"
        "2026-06-04\t3 201 058\t5,01\t3 201 058\t5,00\n"
    )
    found = major_holdings.parse_major_holding(text)
    assert found is not None
    assert (found.name, found.capital, found.votes) == ("Fond AB", Decimal("5.01"), Decimal("5.00"))
    assert major_holdings.parse_major_holding(text.replace("2026-06-04\t", "2026-06-05\t")) is None


@pytest.mark.parametrize("now", ["N/A 5.20 % 5.20 % 100,000,000", "- 5.2 % 5.2 % 100 000 000"])
def test_an_empty_cell_of_votes_is_no_share_of_votes(now: str) -> None:
    found = major_holdings.parse_major_holding(form(now=now))
    assert found is not None
    assert (found.votes, found.votes_below, found.instruments) == (None, None, Decimal("5.2"))
    assert found.total_votes == 100_000_000


@pytest.mark.parametrize("now", ["Below 5 % 0 Below 5 %", "< 5 % < 5 % < 5 %", "under 5 %"])
def test_below_a_limit_is_an_upper_bound_and_no_share(now: str) -> None:
    found = major_holdings.parse_major_holding(form(now=now))
    assert found is not None
    assert (found.votes, found.votes_below) == (None, Decimal(5))


@check_cases(
    ("now", "instruments", "total"),
    [
        ("4.9% 0.3% 5.2% 2 390 749 040", "0.3", 2_390_749_040),
        ("4.9 4.9 90 000 000", None, 90_000_000),
        ("4.9 5 9.9 5 000 000", "5", 5_000_000),
        ("4.9 138387333", None, 138_387_333),
        ("4.9 0 4.9 " + "9" * 30, "0", None),
        ("4.9 0 4.9" + " 999" * 30, "0", None),
    ],
)
def test_digits_in_groups_are_one_number(now: str, instruments: str | None, total: int | None) -> None:
    found = major_holdings.parse_major_holding(form(now=now))
    assert found is not None
    assert (found.votes, found.total_votes) == (Decimal("4.9"), total)
    assert found.instruments == (None if instruments is None else Decimal(instruments))


@check_cases(
    ("now", "total", "torn"),
    [
        ("4.9 0 4.9 125,524,889", 125_524_889, None),
        ("4.9 0 4.9 125 ,524,889", None, "125 ,524,889"),
        ("4.9 0 4.9 125, 524,889", None, "125, 524,889"),
        ("4.9 0 4.9 125,52 4,889", None, "125,52 4,889"),
        ("4.9 0 4.9 125,524,88 9", None, "125,524,88 9"),
        ("4.9 0 4.9 12 5,524,889", None, "12 5,524,889"),
        ("4.9 0 4.9 125 524889", None, "125 524889"),
        ("4.9 0 4.9 125\n,524,889", None, "125 ,524,889"),
        ("4.9 0 4.9 | 125 | ,524,889", None, "125 | ,524,889"),
        ("4.9 0 4.9 125'524'889", None, "125'524'889"),
        ("4.9 0 4.9 125 524’889", None, "125 524’889"),  # 125,524 is the beginning of a number, too
        ("4.9 0 4.9 125.524·889", None, "125.524·889"),
        ("4.9 0 4.9 125", None, "125"),  # of a listed issuer only the beginning of a number
        ("4.9 0 4.9", None, None),
        ("4.9 0 4.9 N/A", None, None),
    ],
)
def test_digits_that_are_torn_are_no_total_and_told(now: str, total: int | None, torn: str | None) -> None:
    found = major_holdings.parse_major_holding(form(now=now))
    assert found is not None
    assert (found.votes, found.total_votes, found.torn_total) == (Decimal("4.9"), total, torn)


def test_a_day_that_does_not_exist_is_no_day_of_crossing() -> None:
    text = "Fond AB has on 2026-02-31 bought and passed 5%\n2026-02-31\t3 201 058\t5,01\t3 201 058\t5,00\n"
    assert major_holdings.parse_major_holding(text) is None


@check_cases(
    "name",
    [
        "Ola Nordmann, born 01.01.1970",
        "Ola Nordmann (f. 1. januar 1970)",
        "Ola Nordmann født 1970",
        "Ola Nordmann, date of birth: 1970-01-01",
        "Ola Nordmann, born **********",
    ],
)
def test_a_birth_date_is_no_part_of_a_name(name: str) -> None:
    (row,) = rows(read("no.newsweb", whole(category=1006, body=form(holder=name)), "message.json"), FLAGS.name)
    assert (row["name"], row["holder"]) == ("Ola Nordmann", "ola nordmann")


@check_cases(
    ("issuer", "announced", "agrees"),
    [
        ("Zalaris ASA, org.nr. 981 953 134", "ZALARIS ASA", True),
        ("HydrogenPro ASA", "HydrogenPro", True),
        ("HIMALAYA SHIPPING LTD\nLEI: 984500D86FFE5EYE7988", "HIMALAYA SHIPPING LTD.", True),
        ("Ørn Soft ware Holding A/S", "ØRN SOFTWARE HOLDING AS", True),
        ("Askim og Spydeberg Sparebank", "Askim & Spydeberg Sparebank", True),
        ("DNB Bank ASA (the «Company»)", "DNB BANK", True),
        ("Aker BP ASA", "AKER ASA", False),
        ("Aker ASA", "AKER BP ASA", False),
        ("Annen ASA", "Eksempel ASA", False),
        ("Annen ASA", None, True),
    ],
)
def test_form_is_about_the_issuer_that_it_names(issuer: str, announced: str | None, agrees: bool) -> None:
    assert major_holdings.is_about_issuer(form(issuer=issuer), announced) is agrees
    assert major_holdings.is_about_issuer("See the attached form.", announced)
