"""Schedules 13D and 13G of before December 2024: cover pages in HTML and ASCII (docs/formats/us.md 7.2)."""

from decimal import Decimal

from tests.connectors.us.holder_files import (
    COMPANY,
    CUSIP,
    ISSUER,
    STAKES,
    day,
    filing,
    holdings,
    person_d,
    read,
    reasons,
    rows,
    schedule_d,
    signals,
)
from tests.tables import check_cases

STATED, BARE = "us_schedule13", "us_schedule13_bare"

COVER = """
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549
SCHEDULE 13G
Under the Securities Exchange Act of 1934
(Amendment No. 2)*
EXAMPLE CORP.
(Name of Issuer)
Common Stock, par value $.01 per share
(Title of Class of Securities)
123456-AB-7
(CUSIP Number)
December 31, 2003
(Date of Event Which Requires Filing of this Statement)
CUSIP No. 123456 AB 7
"""


def page(percent: str, name: str = "ALPHA FUND LP", amount: str = "1,234,567", kind: str = "PN") -> str:
    """One ASCII cover page of a 13G."""
    return f"""
 1.  NAME OF REPORTING PERSON
     S.S. OR I.R.S. IDENTIFICATION NO. OF ABOVE PERSON

     {name}
     12-3456789

 2.  CHECK THE APPROPRIATE BOX IF A MEMBER OF A GROUP*   (a) [ ]  (b) [X]
 3.  SEC USE ONLY
 4.  CITIZENSHIP OR PLACE OF ORGANIZATION
     Delaware
     NUMBER OF       5.  SOLE VOTING POWER    0
     SHARES          6.  SHARED VOTING POWER  1,234,567
 9.  AGGREGATE AMOUNT BENEFICIALLY OWNED BY EACH REPORTING PERSON
     {amount}
10.  CHECK BOX IF THE AGGREGATE AMOUNT IN ROW (9) EXCLUDES CERTAIN SHARES*   [ ]
11.  PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW 9
     {percent}
12.  TYPE OF REPORTING PERSON*
     {kind}
                    *SEE INSTRUCTIONS BEFORE FILLING OUT!
"""


def told(text: str) -> list[dict]:
    batches = read(STAKES, filing("SC 13G/A", ("SC 13G/A", text), filed="20040213"), "us/a.txt")
    return rows(batches, STATED)


def test_an_ascii_cover_page_gives_holder_class_percent_and_day() -> None:
    [row] = told(COVER + page("5.6%"))
    assert (row["holder"], row["holderCik"]) == ("ALPHA FUND LP", "0000000007")
    assert (row["percent"], row["shares"], row["types"]) == (Decimal("5.6"), "1234567", ["PN"])
    assert (row["classTitle"], row["eventDate"], row["place"]) == (
        "Common Stock, par value $.01 per share",
        day("2003-12-31"),
        "Delaware",
    )
    assert (row["issuerCik"], row["cusip"], row["amendmentNo"]) == (ISSUER, CUSIP, "2")
    assert row["isText"] is True
    assert row["isAmendment"] is True


@check_cases(
    ("written", "percent", "below"),
    [
        ("9.9%", "9.9", None),
        ("9.9%(1)(2)", "9.9", None),
        ("0.0", "0", None),
        ("-0-", "0", None),
        ("0.0% (see Item 4(a))", "0", None),
        ("less than 5%", None, "5"),
        ("Less than 1.0%", None, "1"),
        ("<5%", None, "5"),
        ("approximately 22.95%**", "22.95", None),
        (".8%", "0.8", None),
        ("100%", "100", None),
        ("7.2% based on 12,345,678 shares outstanding", "7.2", None),
        ("5.1% of Class A; 12.3% of Class B", None, None),  # nobody says which
        ("See Item 5", None, None),
        ("N/A", None, None),
        ("*", None, None),
        ("5.0 %", "5", None),
        ("5,0%", None, None),
        ("0", "0", None),
        ("100.0", "100", None),
        ("9.9 percent", "9.9", None),
        ("(See Instructions) 5.6%", "5.6", None),
        ("(SEE ITEM 5) 41.4% (2)", "41.4", None),
        ("6.3%[1]†", "6.3", None),
        ("5% or less", None, "5"),
        ("not more than 5%", None, "5"),
        ("more than 5%", None, None),
        (">5%", None, None),
        ("7. 5%", None, None),
        ("5 1/2%", None, None),
    ],
)
def test_percentages_as_filers_write_them(written: str, percent: str | None, below: str | None) -> None:
    [row] = told(COVER + page(written))
    assert row["percent"] == (None if percent is None else Decimal(percent))
    assert row["percentBelow"] == (None if below is None else Decimal(below))


@check_cases(
    ("written", "shares"),
    [
        ("1,234,567", "1234567"),
        ("1,234,567 (see Item 4)", "1234567"),
        ("1234567 shares", "1234567"),
        ("1.234.567", None),
        ("1 234 567", None),
        ("1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567", None),
        ("12,34,567", None),
        ("1.5 million shares", None),
        ("10%", None),
    ],
)
def test_an_amount_is_whole_or_unknown(written: str, shares: str | None) -> None:
    batches = read(STAKES, filing("SC 13G/A", ("SC 13G/A", COVER + page("5.6%", amount=written))), "us/a.txt")
    assert [row["shares"] for row in rows(batches, STATED)] == [shares]
    assert (("unreadable_value", "aggregate amount") in signals(batches)) is (shares is None)


@check_cases(
    ("note", "differs"),
    [
        ("based on 22,045,839 shares of common stock outstanding", False),  # 5.6 %
        ("the outstanding shares were 22,045,839 as of May 1", False),
        ("based on 12,345,678 shares of common stock outstanding", True),  # 10 %
        ("based on 18,000,000 shares of common stock outstanding", False),  # 6.9 %, 6.4 % if all are rights
        ("based on 21,000,000 outstanding shares and 500,000 shares under rights", False),
        ("of $50,000,000 outstanding, 20,000,000 shares of the issuer outstanding", False),
        ("no shares are named", False),
    ],
)
def test_a_percentage_is_compared_with_the_shares_outstanding_and_left(note: str, *, differs: bool) -> None:
    text = COVER + page("5.6%").replace("*SEE INSTRUCTIONS BEFORE FILLING OUT!", f"* {note}")
    batches = read(STAKES, filing("SC 13G/A", ("SC 13G/A", text), filed="20040213"), "us/a.txt")
    assert [row["percent"] for row in rows(batches, STATED)] == [Decimal("5.6")]
    assert (("percent_differs", "shares of those outstanding") in signals(batches)) is differs


def test_a_letter_in_front_of_the_form_is_passed_over() -> None:
    whole = filing("SC 13G/A", ("COVER", "Dear Sir"), ("SC 13G/A", COVER + page("5.6%")), filed="20040213")
    [row] = rows(read(STAKES, whole, "us/a.txt"), STATED)
    assert row["percent"] == Decimal("5.6")


def test_a_percentage_that_does_not_read_is_null_and_a_signal() -> None:
    batches = read(STAKES, filing("SC 13G", ("SC 13G", COVER + page("see Item 5"))), "us/a.txt")
    assert ("unreadable_value", "percent of class") in signals(batches)


def test_one_page_per_person() -> None:
    found = told(COVER + page("9.9%") + page("9.9%", "Ann Example", kind="IN, HC"))
    assert [(row["holder"], row["types"]) for row in found] == [
        ("ALPHA FUND LP", ["PN"]),
        ("Ann Example", ["IN", "HC"]),
    ]


def test_the_only_person_is_the_only_filer_however_it_is_spelled() -> None:
    assert [row["holderCik"] for row in told(COVER + page("9.9%", "The Alpha Fund, Limited Partnership"))] == [
        "0000000007"
    ]
    two = told(COVER + page("9.9%", "Alpha Fund, L.P.") + page("9.9%", "Somebody Else"))
    assert [row["holderCik"] for row in two] == ["0000000007", None]


def test_the_label_in_other_text_is_no_cover_page() -> None:
    text = COVER + page("9.9%") + "Instructions: give the NAME OF REPORTING PERSON and nothing else."
    assert len(told(text)) == 1


def test_html_reads_as_ascii_does() -> None:
    cells = "".join(f"<tr><td>{line}</td></tr>" for line in (COVER + page("9.9%<sup>1</sup>")).splitlines())
    [row] = told(f"<html><body><table>{cells}</table></body></html>")
    assert (row["holder"], row["percent"], row["shares"]) == ("ALPHA FUND LP", Decimal("9.9"), "1234567")


def test_a_text_without_a_cover_page_is_a_reject() -> None:
    batches = read(STAKES, filing("SC 13D/A", ("SC 13D/A", "SCHEDULE 13D. This amendment changes Item 4.")), "us/a.txt")
    assert rows(batches, STATED) == []
    [reason] = reasons(batches)
    assert "no cover page" in reason


def test_a_bare_document_finds_its_issuer_by_the_cusip_alone() -> None:
    batches = read(STAKES, "<html><body>" + COVER + page("9.9%") + "</body></html>", "us/SC_13G.htm")
    assert rows(batches, STATED) == []
    [row] = rows(batches, BARE)
    assert (row["issuerCik"], row["cusip"], row["form"]) == (None, CUSIP, "SC 13G/A")
    assert holdings(batches) == []  # nobody says whose that is
    named = read(STAKES, schedule_d(person_d("B", "6")), "0000000007-26-000001.xml")
    found = holdings(named, batches, company=COMPANY)
    assert {row["holder_name"]: row["pct"] for row in found} == {"ALPHA FUND LP": Decimal("9.9"), "B": Decimal(6)}


def test_an_amendment_below_five_percent_closes_an_older_form_too() -> None:
    batches = read(STAKES, filing("SC 13G/A", ("SC 13G/A", COVER + page("less than 5%")), filed="20040213"), "us/a.txt")
    [found] = holdings(batches)
    assert (found["ended_on"], found["pct"], found["basis"]) == (day("2003-12-31"), None, "band")
    assert (found["pct_min"], found["pct_max"]) == (0, 5)


@check_cases(
    ("place", "country"),
    [
        ("Delaware", "US"),
        ("State of Delaware", "US"),
        ("Cayman Islands", "KY"),
        ("United States of America", "US"),
        ("the Netherlands", "NL"),
        ("Nowhere", None),
    ],
)
def test_places_in_words(place: str, country: str | None) -> None:
    text = COVER + page("9.9%").replace("Delaware", place)
    [found] = holdings(read(STAKES, filing("SC 13G", ("SC 13G", text)), "us/a.txt"))
    assert found["holder_country"] == country
