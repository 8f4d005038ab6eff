"""Cover pages of older Schedules 13D and 13G in the words and shapes of different filers.

See docs/formats/us.md 7.2.
"""

from decimal import Decimal

import pytest

from tests.connectors.us.ownership.schedule13.test_parse_text import COVER, page, told
from tests.tables import check_cases

BRACKETS = """
(1) Names of reporting persons. Alpha, Inc. (2) Check the appropriate box if a member of a group (a) [ ] (b) [X]
(3) SEC use only (4) Citizenship or place of organization Delaware Number of shares beneficially owned by each
reporting person with: (5) Sole voting power 900 (9) Aggregate amount beneficially owned by each reporting person
1,000 (10) Check if the aggregate amount in Row (9) excludes certain shares (11) Percent of class represented by
amount in Row 9 6.7% (12) Type of reporting person HC
"""
NO_BLANKS = """
1.NAME OF REPORTING PERSON S.S. OR I.R.S. IDENTIFICATION NO. OF ABOVE PERSON Alpha, Inc. - 23-1234567
2.CHECK THE APPROPRIATE [LINE] IF A MEMBER OF A GROUP A. B. X 3.SEC USE ONLY 4.CITIZENSHIP OF PLACE OF ORGANIZATION
Delaware 5. SOLE VOTING POWER 900 9. AGGREGATE AMOUNT BENEFICIALLY OWNED BY EACH REPORTING PERSON 1,000 10.CHECK BOX
IF THE AGGREGATE AMOUNT IN ROW (9) EXCLUDES CERTAIN SHARES N/A 11.PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW 9
6.7% 12.TYPE OF REPORTING PERSON HC
"""
FOOTNOTES = """
1 NAME OF REPORTING PERSON ALPHA, INC. 2 CHECK THE APPROPRIATE BOX IF A MEMBER OF A GROUP (a) ☐ (b) ☐ 4 CITIZENSHIP
OR PLACE OF ORGANIZATION Delaware NUMBER OF SHARES 5 SOLE VOTING POWER 900 (1) 9 AGGREGATE AMOUNT BENEFICIALLY OWNED
BY EACH REPORTING PERSON 1,000 (1)(2) 10 CHECK BOX IF THE AGGREGATE AMOUNT IN ROW (9) EXCLUDES CERTAIN SHARES ☐ 11
PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW (9) 6.7% (3) 12 TYPE OF REPORTING PERSON HC
"""
BROKEN_TABLE = """
<TABLE><TR><TD>1</TD><TD>NAME OF REPORTING PERSON<BR>Alpha, Inc.</TD></TR><TR><TD>2<TD>CHECK THE APPROPRIATE BOX
<TR><TD>6<TD>CITIZENSHIP OR PLACE OF ORGANIZATION<P>Delaware<TR><TD>NUMBER OF SHARES<TD>7<TD>SOLE VOTING POWER 900
<TR><TD>11<TD>AGGREGATE AMOUNT BENEFICIALLY OWNED BY EACH REPORTING PERSON<P>1,000<SUP>1</SUP><TR><TD>12<TD>CHECK BOX
IF THE AGGREGATE AMOUNT IN ROW (11) EXCLUDES CERTAIN SHARES<TR><TD>13<TD>PERCENT OF CLASS REPRESENTED BY AMOUNT IN
ROW (11)<P>6.7<SUP>2</SUP>%<TR><TD>14<TD>TYPE OF REPORTING PERSON<P>HC</TABLE>
"""


@pytest.mark.parametrize("text", [BRACKETS, NO_BLANKS, FOOTNOTES, BROKEN_TABLE])
def test_cover_pages_of_different_shapes_say_the_same(text: str) -> None:
    [row] = told(COVER + text)
    assert (row["holder"].casefold(), row["percent"], row["shares"], row["types"]) == (
        "alpha, inc.",
        Decimal("6.7"),
        "1000",
        ["HC"],
    )


@check_cases(
    ("label", "written"),
    [
        ("AGGREGATE AMOUNT BENEFICIALLY OWNED BY EACH REPORTING PERSON", "AGGREGATE AMOUNT BENEFICALLY OWNED"),
        ("AGGREGATE AMOUNT BENEFICIALLY OWNED BY EACH", "AGGREGATED AMOUNT OF BENEFICIALLY OWNED BY THE"),
        ("PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW 9", "PERCENTAGE OF SERIES REPRESENTED IN ROW (9)"),
        ("PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW 9", "PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW"),
        ("PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW 9", "PERCENT OF CLASS REPRESENTED BY ROW NO. 9"),
        ("TYPE OF REPORTING PERSON*", "TYPES OF REPORTING PERSONS (SEE INSTRUCTIONS)"),
        ("CHECK THE APPROPRIATE BOX IF A MEMBER OF A GROUP*", "CHECK IF A MEMBER OF A GROUP"),
        ("S.S. OR I.R.S. IDENTIFICATION NO. OF ABOVE PERSON", "AND IRS IDENTIFICATION NO(S) OF SUCH PERSONS"),
        ("S.S. OR I.R.S. IDENTIFICATION NO. OF ABOVE PERSON", "(ENTITIES ONLY):"),
        ("ALPHA FUND LP", "ALPHA FUND LP (1)(2)"),
    ],
)
def test_labels_as_filers_write_them(label: str, written: str) -> None:
    text = page("5.6%")
    assert label in text
    [row] = told(COVER + text.replace(label, written))
    assert (row["holder"], row["percent"], row["shares"], row["types"]) == (
        "ALPHA FUND LP",
        Decimal("5.6"),
        "1234567",
        ["PN"],
    )


def test_less_than_is_no_markup() -> None:
    [row] = told(COVER.replace("SCHEDULE 13G", "<TABLE> SCHEDULE 13G") + page("<5%"))
    assert row["percentBelow"] == 5
