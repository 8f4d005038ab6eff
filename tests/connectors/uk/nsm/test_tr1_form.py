"""Form TR-1 out of texts of several layouts (docs/formats/uk.md 10.4)."""

from datetime import date
from decimal import Decimal

import pytest

from connectors.uk.nsm import redact, tr1_form
from connectors.uk.nsm.redact import to_plain_text
from tests.tables import check_cases

LINES = """TR-1: Standard form for notification of major holdings
1. Issuer Details
ISIN
GB00EXAMPLE1
Issuer Name
EXAMPLE GROUP PLC
UK or Non-UK Issuer
UK
2. Reason for Notification
An acquisition or disposal of voting rights
3. Details of person subject to the notification obligation
Name
City of Sample Investment Management Company Limited
City of registered office (if applicable)
London
Country of registered office (if applicable)
United Kingdom
4. Details of the shareholder
Full name of shareholder(s) if different from the person(s) subject to the notification obligation, above
City of registered office (if applicable)
Country of registered office (if applicable)
5. Date on which the threshold was crossed or reached
20-Aug-2026
6. Date on which Issuer notified
21-Aug-2026
7. Total positions of person(s) subject to the notification obligation
.
% of voting rights attached to shares (total of 8.A)
% of voting rights through financial instruments (total of 8.B 1 + 8.B 2)
Total of both in % (8.A + 8.B)
Total number of voting rights held in issuer
Resulting situation on the date on which threshold was crossed or reached
{now}
Position of previous notification (if applicable)
{before}
8. Notified details of the resulting situation on the date on which the threshold was crossed or reached
8A. Voting rights attached to shares
Direct 1,000,000 99.000000
"""
RUN_ON = (
    "TR-1: Standard form for notification of major holdings NOTIFICATION OF MAJOR HOLDINGS i 1a. Identity of the "
    "issuer or the underlying issuer of existing shares to which voting rights are attached ii : EXAMPLE PLC 1b. "
    "Please indicate if the issuer is a non-UK issuer 2. Reason for the notification X 3. Details of person subject "
    "to the notification obligation iv Name Sample Bank AG City and country of registered office (if applicable) "
    "Frankfurt, Germany 4. Full name of shareholder(s) (if different from 3.) v Name City and country of registered "
    "office (if applicable) 5. Date on which the threshold was crossed or reached vi : {day} 6. Date on which issuer "
    "notified (DD/MM/YYYY): 27/12/2017 7. Total positions Resulting situation on the date on which threshold was "
    "crossed or reached vii 3.84% 2.32% 6.16% 610,503,034 Position of previous notification (if applicable) Below 3% "
    "N/A Below 5% 8. Notified details of"
)
TABLE = """<html><head><title>Holding</title><style>td {{ width: 3.5% }}</style></head><body><p>TR-1: Standard form for
notification of major holdings</p><table><tr><td>1. Issuer Details</td></tr><tr><td>ISIN</td></tr><tr><td>GB00EXAMPLE1
</td></tr><tr><td>Issuer Name</td></tr><tr><td><p><span>EXAMPLE</span> <span>GROUP PLC</span></p></td></tr><tr><td>UK or
Non-UK Issuer</td></tr></table><p>3. Details of person subject to the notification obligation</p><table><tr><td>Name</td>
<td>O&#8217;Sample &amp; Co</td></tr><tr><td>City of registered office (if applicable)</td><td></td></tr><tr><td>Country
of registered office (if applicable)</td><td>Ireland</td></tr></table><p>4. Details of the shareholder</p><p>5. Date on
which the threshold was crossed or reached</p><p>5 March 2026</p><table><tr><td>Resulting situation on the date on
which threshold was crossed or reached</td><td>{now}</td></tr><tr><td>Position of previous notification (if applicable)
</td><td>4.1</td><td>0</td><td>4.1</td></tr></table><p>8. Notified details</p></body></html>"""


def level(value):
    return (
        None
        if value is None
        else tr1_form.PositionLevel(None, True)
        if value == "below"
        else tr1_form.PositionLevel(Decimal(value))
    )


def test_one_cell_a_line():
    found = tr1_form.parse_notification(
        LINES.format(now="4.990000\n1.270000\n6.260000\n60954321", before="5.01\n1.18\n6.19\n")
    )
    assert (found.issuer, found.isin) == ("EXAMPLE GROUP PLC", "GB00EXAMPLE1")
    assert (found.holder, found.country) == ("City of Sample Investment Management Company Limited", "United Kingdom")
    assert found.crossed_on == date(2026, 8, 20)
    assert found.now == tr1_form.VotingPosition(level("4.990000"), level("1.270000"), level("6.260000"), 60954321)
    assert found.before == tr1_form.VotingPosition(level("5.01"), level("1.18"), level("6.19"), None)


@check_cases(
    ("day", "crossed"),
    [
        ("21/12/2017", date(2017, 12, 21)),
        ("(DD/MM/YYYY): 03/02/2017", date(2017, 2, 3)),
        ("21 December 2017", date(2017, 12, 21)),
        ("1st Sept 2017", date(2017, 9, 1)),
        ("04.03.11", date(2011, 3, 4)),
        ("2017-12-21", date(2017, 12, 21)),
        ("2017/12/21", date(2017, 12, 21)),
        ("Thursday 21 December 2017", date(2017, 12, 21)),
        ("December 21, 2017", date(2017, 12, 21)),
        ("21 December2017", date(2017, 12, 21)),
        ("12/21/2017", None),
        ("31/02/2017", None),
        ("N/A", None),
    ],
)
def test_running_text_with_footnotes_and_every_spelling_of_a_day(day, crossed):
    found = tr1_form.parse_notification(RUN_ON.format(day=day))
    assert (found.issuer, found.holder, found.country) == ("EXAMPLE PLC", "Sample Bank AG", "Germany")
    assert found.crossed_on == crossed
    assert found.now == tr1_form.VotingPosition(level("3.84"), level("2.32"), level("6.16"), 610503034)
    assert found.before == tr1_form.VotingPosition(level("below"), None, level("below"), None)


@check_cases(
    ("row", "votes", "total", "count"),
    [
        ("5.0\n0\n5.0\n1,234,567", "5.0", "5.0", 1234567),
        ("5,01%\n0,00%\n5,01%\n12345678", "5.01", "5.01", 12345678),
        ("Below minimum threshold\n0\nBelow 3%\n0", "below", "below", None),
        ("< 3%\n-\n< 3%", "below", "below", None),
        ("0.000000\n0.000000\n0.000000\n0", "0.000000", "0.000000", None),
        ("6.12", None, "6.12", None),
        ("5.01% (1)\n0.00% (2)\n5.01% (ii)", "5.01", "5.01", None),
        ("5.01%\n-\n5.01%\n1,000", "5.01", "5.01", 1000),
        ("3.84\n2.32\n6.15\n1000", "3.84", "6.15", 1000),
        ("100\n0\n100\n999", "100", "100", None),
        ("5.01\n0\n5.01\n1" + ",000" * 2_000, "5.01", "5.01", None),
    ],
)
def test_cells_of_section_7(row, votes, total, count):
    now = tr1_form.parse_notification(LINES.format(now=row, before="N/A")).now
    assert (now.votes, now.total, now.count) == (level(votes), level(total), count)


@pytest.mark.parametrize(
    "cells", ["5.01</td><td>0.50</td><td>5.51</td><td>77,434,079", "5.01%</td><td>0.5%</td><td>5.51%"]
)
def test_a_page_of_tables(cells):
    found = tr1_form.parse_notification(to_plain_text(TABLE.format(now=cells)))
    assert (found.issuer, found.holder, found.country) == ("EXAMPLE GROUP PLC", "O\u2019Sample & Co", "Ireland")
    assert (found.now.total, found.before.total) == (level("5.51"), level("4.1"))
    assert found.crossed_on == date(2026, 3, 5)


@check_cases(
    ("text", "why"),
    [
        ("Please see the attached TR-1.", "no section"),
        ("Director/PDMR Shareholding", "no form"),
        (LINES.format(now="see attachment", before=""), "no percentages"),
        (LINES.format(now="5.01\n0.5", before=""), "expected three percentages in a row of section 7, found 2"),
        (LINES.format(now="501\n0.5\n501.5", before=""), "501"),
        (LINES.format(now="N/A\nN/A\nN/A\nN/A", before=""), "no percentages"),
        (LINES.format(now="-5.01\n0\n-5.01", before=""), "negative"),
        (LINES.format(now="3-5%", before=""), "range"),
        (LINES.format(now="0", before=""), "expected three percentages in a row of section 7, found 1"),
        (LINES.format(now="5.01% 5.01% 1 000 000", before=""), "apart"),
        (LINES.format(now="1e2\n0\n1e2", before=""), "apart"),
        # digits behind a blank and a point: of the figure before them, or of one below 1
        (LINES.format(now="5 .10\n0.00\n5 .10\n1", before=""), "point"),
        (LINES.format(now="5.10\n.00\n5.10\n1", before=""), "point"),
        (
            LINES.replace("City of Sample Investment Management Company Limited\n", "").format(
                now="1\n1\n2", before=""
            ),
            "no name",
        ),
    ],
)
def test_a_text_that_does_not_come_apart_gives_a_reason_and_no_figure(text, why):
    with pytest.raises(tr1_form.NotTr1FormError, match=why):
        tr1_form.parse_notification(text)


@check_cases("name", ["N/A", "n.a.", "None", "See Section 9", "Please see attached schedule", "As above", "Refer to 4"])
def test_a_word_for_no_name_is_no_holder(name):
    text = LINES.format(now="5.0\n0\n5.0\n1,234,567", before="N/A")
    with pytest.raises(tr1_form.NotTr1FormError, match="no name"):
        tr1_form.parse_notification(text.replace("City of Sample Investment Management Company Limited", name))


@check_cases("name", ["Seeger Capital plc", "Nanette Example", "Noneley Holdings Limited"])
def test_a_name_that_begins_like_such_a_word_is_a_holder(name):
    text = LINES.format(now="5.0\n0\n5.0\n1,234,567", before="N/A")
    found = tr1_form.parse_notification(text.replace("City of Sample Investment Management Company Limited", name))
    assert found.holder == name


def test_endless_nesting_is_read():
    assert to_plain_text("<div>" * 100 + "text") == "text"
    assert to_plain_text("<div>" * 50_000 + "text") in {"", "text"}  # deeper than the parser goes: no form, no accident


PIECES = (
    "Name ", "City of registered office ", "City and country of registered office ", "1,234,", "123", "5.0 ", "(1)",
    "below ", "below the minimum ", "Issuer Name ", "GB00EXAMPLE1 ", "ISIN", "i ", "ivxivx", "-- ", "n / a ", "&#8217;",
    "Date on which threshold was crossed or reached ", "Position of previous notification ", "Notified details ",
    "(if applicable) ", "<td>", "12 of 12 of ", "5-", " \t\n|\u00a0", "Resulting situation on the date on which ",
)  # fmt: skip
BEGINNINGS = ("", RUN_ON[:600], RUN_ON[: RUN_ON.index("vii") + 3])


@pytest.mark.slow
@pytest.mark.parametrize("beginning", BEGINNINGS, ids=len)
@check_cases("piece", PIECES)
def test_hostile_texts_are_read_in_time_bounded_by_their_length(piece, beginning):
    """No clock is asked: of such lengths anything worse than linear does not come back."""
    text = beginning + piece * (100_000 // len(piece))
    for taken in (text, redact.redact_form(text)):
        assert 0 < len(_said(to_plain_text(taken))) <= 300


def _said(text):
    try:
        return tr1_form.parse_notification(text).holder
    except tr1_form.NotTr1FormError as refused:
        return str(refused)


@check_cases(("limit", "ends"), [("3%", True), ("5", True), ("10 per cent", True), ("25%", False)])
def test_below_a_threshold_that_is_no_lowest_one_is_no_position(limit: str, ends: bool) -> None:
    text = LINES.format(now=f"Below {limit}", before="N/A")
    if ends:
        assert tr1_form.parse_notification(text).now.total.is_below
    else:
        with pytest.raises(tr1_form.NotTr1FormError, match="no lowest threshold"):
            tr1_form.parse_notification(text)
