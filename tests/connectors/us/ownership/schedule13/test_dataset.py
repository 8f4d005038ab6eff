"""Schedules 13D and 13G as XML, and the holdings that they make (docs/formats/us.md 7.1)."""

from decimal import Decimal

import pytest

from connectors.contract.dataset import NotApplicable, UnreadableFileError
from tests.connectors.us.holder_files import (
    COMPANY,
    CUSIP,
    ISSUER,
    STAKES,
    day,
    filing,
    holdings,
    person_d,
    person_g,
    read,
    rows,
    schedule_d,
    schedule_g,
    signals,
)
from tests.tables import check_cases

TABLE, CUSIPS = "us_schedule13", "us_cusip"
ONE, TWO, THREE = "0000000007-26-000001.xml", "0000000007-26-000002.xml", "0000000007-26-000003.xml"


def test_a_13d_gives_holder_class_percent_and_day() -> None:
    [row] = rows(read(STAKES, schedule_d(person_d("ALPHA FUND LP", "5.1", "2100000", kind="PN")), ONE), TABLE)
    assert row["holder"] == "ALPHA FUND LP"
    assert row["holderCik"] == "0000000007"  # a filing's only person is its filer
    assert (row["classTitle"], row["classKey"]) == ("Common Stock, par value $0.01", "common stock")
    assert (row["percent"], row["shares"], row["eventDate"]) == (Decimal("5.1"), "2100000", day("2026-11-02"))
    assert (row["issuerCik"], row["accession"], row["cusip"]) == (ISSUER, "0000000007-26-000001", CUSIP)


def test_pitfall_10_two_schemas_prefixes_and_blank_lines_read_alike() -> None:
    plain = rows(read(STAKES, schedule_d(person_d("A", "9.9")), ONE), TABLE)
    prefixed = rows(read(STAKES, "\n\n  " + schedule_d(person_d("A", "9.9"), prefix="sch"), ONE), TABLE)
    assert plain == prefixed
    [row] = rows(read(STAKES, schedule_g(person_g("A", "7.48")), ONE), TABLE)
    assert (row["percent"], row["eventDate"]) == (Decimal("7.48"), day("2026-09-30"))  # not item 4's «99%»


def test_pitfall_10_one_cusip_or_a_list_of_them() -> None:
    listed = (
        "<issuerCusips><issuerCusipNumber>111111AA1</issuerCusipNumber>"
        "<issuerCusipNumber>222222BB2</issuerCusipNumber></issuerCusips>"
    )
    both = read(STAKES, schedule_g(person_g("A", "7"), cusips=listed), ONE)
    assert [(row["cusip"], row["issuerCik"]) for row in rows(both, CUSIPS)] == [
        ("111111AA1", ISSUER),
        ("222222BB2", ISSUER),
    ]
    old = read(STAKES, schedule_g(person_g("A", "7"), cusips="<issuerCusip>333333CC3</issuerCusip>"), ONE)
    assert [row["cusip"] for row in rows(old, CUSIPS)] == ["333333CC3"]
    none = read(STAKES, schedule_g(person_g("A", "7"), cusips="<issuerCusip>000000000</issuerCusip>"), ONE)
    assert rows(none, CUSIPS) == []


def test_pitfall_10_joint_filers_are_never_summed() -> None:
    joint = schedule_d(*(person_d(name, "49.99", "13211928.00") for name in "ABC"), filer="0000000099")
    found = holdings(read(STAKES, joint, ONE))
    assert [row["holder_name"] for row in found] == ["A", "B", "C"]
    assert sum(row["pct"] or 0 for row in found) == Decimal("49.99")
    assert {(row["pct_min"], row["pct_max"]) for row in found} == {(Decimal("49.99"), Decimal("49.99"))}
    assert all(row["valid_from"] == day("2026-11-02") and row["ended_on"] is None for row in found)


def test_the_largest_leads_then_the_filer_then_the_first() -> None:
    def leads(*persons: str, filer: str = "0000000099") -> list[str]:
        found = rows(read(STAKES, schedule_d(*persons, filer=filer), ONE), TABLE)
        return [row["holder"] for row in found if row["isLead"]]

    assert leads(person_d("A", "8.5"), person_d("B", "9.9")) == ["B"]
    equal = (person_d("A", "9.9", cik="0000000001"), person_d("B", "9.9", cik="0000000002"))
    assert leads(*equal, filer="0000000002") == ["B"]
    assert leads(*equal) == ["A"]


def test_the_newest_event_holds_whatever_was_read_last() -> None:
    old = read(STAKES, schedule_g(person_g("Alpha", "9", cik="0000000001"), event="06/30/2026"), ONE)
    new = read(STAKES, schedule_g(person_g("Alpha LLC", "6", cik="0000000001"), form="SCHEDULE 13G/A"), TWO)
    for order in ((old, new), (new, old)):
        [found] = holdings(*order)
        assert (found["pct"], found["valid_from"]) == (Decimal(6), day("2026-09-30"))
        assert found["native_id"] == "0000000001/common stock"
        assert found["holder_company_id"] == "firm:US:US0000000001"
        assert (
            found["url"]
            == "https://www.sec.gov/Archives/edgar/data/42/000000000726000002/0000000007-26-000002-index.html"
        )


def test_two_classes_of_one_holder_are_two_holdings() -> None:
    common = read(STAKES, schedule_d(person_d("A", "9", cik="0000000001")), ONE)
    other = read(
        STAKES, schedule_d(person_d("A", "60", cik="0000000001"), title="Class B Common Stock, $.001 par value"), TWO
    )
    found = holdings(common, other)
    assert {row["native_id"]: row["pct"] for row in found} == {
        "0000000001/common stock": Decimal(9),
        "0000000001/class b common stock": Decimal(60),
    }


def test_a_name_gets_the_cik_that_its_other_filings_give_it() -> None:
    one = read(STAKES, schedule_d(person_d("A", "9", cik="0000000001"), person_d("B", "9")), ONE)
    two = read(STAKES, schedule_d(person_d("A.", "12"), person_d("B", "12"), event="11/03/2026"), TWO)
    found = holdings(one, two)
    assert sorted(row["native_id"] for row in found) == ["0000000001/common stock", "b/common stock"]


@pytest.mark.parametrize(("form", "exit_", "percent"), [("SCHEDULE 13G/A", "", "0.0"), ("SCHEDULE 13G", "Y", "4.1")])
def test_an_exit_closes_the_holding_on_the_day_of_the_event(form: str, exit_: str, percent: str) -> None:
    before = read(STAKES, schedule_g(person_g("A", "9", cik="0000000001"), event="06/30/2026"), ONE)
    after = read(STAKES, schedule_g(person_g("A", percent, cik="0000000001"), form=form, exit_=exit_), TWO)
    [found] = holdings(before, after)
    assert (found["ended_on"], found["pct"]) == (day("2026-09-30"), Decimal(percent))


def test_an_amendment_below_five_percent_closes_and_a_first_filing_does_not() -> None:
    amended = schedule_d(person_d("A", "4.9"), form="SCHEDULE 13D/A")
    assert holdings(read(STAKES, amended, ONE))[0]["ended_on"] == day("2026-11-02")
    assert holdings(read(STAKES, schedule_d(person_d("A", "4.9")), ONE))[0]["ended_on"] is None


def test_a_small_member_of_a_large_group_is_not_closed() -> None:
    group = schedule_d(person_d("A", "30"), person_d("B", "2"), person_d("C", "0"), form="SCHEDULE 13D/A")
    assert {row["holder_name"]: row["ended_on"] for row in holdings(read(STAKES, group, ONE))} == {
        "A": None,
        "B": None,
        "C": day("2026-11-02"),
    }


def test_an_amendment_without_a_percentage_leaves_the_one_before() -> None:
    before = read(STAKES, schedule_d(person_d("A", "12.5", cik="0000000001"), event="10/01/2026"), ONE)
    after = read(STAKES, schedule_d(person_d("A", "o", cik="0000000001"), form="SCHEDULE 13D/A"), TWO)
    assert ("unreadable_value", "percentOfClass o") in signals(after)
    [found] = holdings(before, after)
    assert (found["pct"], found["valid_from"]) == (Decimal("12.5"), day("2026-10-01"))


def test_more_than_all_is_staged_as_stated_and_served_as_unknown() -> None:
    batches = read(STAKES, schedule_d(person_d("A", "104.2")), ONE)
    assert rows(batches, TABLE)[0]["percent"] == Decimal("104.2")
    assert ("above_100", "percentOfClass") in signals(batches)
    [found] = holdings(batches)
    assert (found["pct"], found["pct_min"], found["pct_max"], found["basis"]) == (None, None, None, None)


def test_an_event_ahead_of_its_filing_is_of_the_day_of_filing() -> None:
    text = filing("SCHEDULE 13D", ("SCHEDULE 13D", schedule_d(person_d("A", "9"), event="11/02/2062")))
    assert holdings(read(STAKES, text, "us/a.txt"))[0]["valid_from"] == day("2026-11-04")


def test_pitfall_15_kinds_and_countries_of_holders() -> None:
    persons = [
        person_d(name, "9", kind=kind, cik=cik)
        for name, kind, cik in (
            ("Ann Example", "IN", "0000000001"),
            ("Example Fund", "IV", "0000000002"),
            ("EXAMPLE HOLDINGS, LLC", "OO", "0000000003"),
            ("Example", "OO", "0000000004"),
        )
    ]
    found = holdings(read(STAKES, schedule_d(*persons), ONE))
    assert [(row["holder_type"], row["holder_company_id"]) for row in found] == [
        ("person", None),
        ("fund", "firm:US:US0000000002"),
        ("company", "firm:US:US0000000003"),
        ("unknown", None),
    ]
    assert {row["holder_country"] for row in found} == {"US"}  # CA is California here


def test_a_whole_filing_tells_its_number_and_day() -> None:
    text = filing("SCHEDULE 13D/A", ("SCHEDULE 13D/A", schedule_d(person_d("Alpha Fund, LP", "9"), person_d("B", "9"))))
    first, second = rows(read(STAKES, text, "us/a.txt"), TABLE)
    assert (first["accession"], first["form"], first["filedOn"]) == (
        "0000000007-26-000001",
        "SCHEDULE 13D/A",
        day("2026-11-04"),
    )
    assert (first["holderCik"], second["holderCik"]) == ("0000000007", None)  # the header names one of them


def test_pitfall_10_what_no_schema_has_is_a_signal_and_the_row_stays() -> None:
    odd = schedule_g(
        person_g("A", "7", kind="ZZ").replace("<classPercent>", "<news>1</news><classPercent>"), version="X0303"
    )
    batches = read(STAKES, odd, ONE)
    assert len(rows(batches, TABLE)) == 1
    assert {
        ("unknown_element", "news"),
        ("unknown_schema", "X0303"),
        ("unknown_code", "typeOfReportingPerson ZZ"),
    } <= set(signals(batches))


@check_cases(
    ("written", "percent", "signal"),
    [
        ("5.0 %", "5", None),
        ("100.0", "100", None),
        ("0", "0", None),
        (".5", "0.5", None),
        ("5,0", None, "unreadable_value"),
        ("*", None, "unreadable_value"),
        ("N/A", None, "unreadable_value"),
        ("-1", None, "unreadable_value"),
        ("", None, "no_percent"),
        ("112.4", "112.4", "above_100"),
    ],
)
@check_cases("is_d", [True, False])
def test_percentages_as_xml_has_them(written: str, percent: str | None, signal: str | None, *, is_d: bool) -> None:
    text = schedule_d(person_d("A", written)) if is_d else schedule_g(person_g("A", written), version="X0101")
    batches = read(STAKES, text, ONE)
    assert [row["percent"] for row in rows(batches, TABLE)] == [None if percent is None else Decimal(percent)]
    assert {code for code, _ in signals(batches)} == ({signal} if signal else set())


@check_cases(
    "body",
    [
        schedule_d(),  # nobody reports
        schedule_d(person_d("A", "9")).replace("SCHEDULE 13D<", "SCHEDULE 14D<"),
        schedule_d(person_d("A", "9"))[:900],
        '<?xml version="1.0"?><ownershipDocument/>',
        '<!DOCTYPE a [<!ENTITY b "c">]><edgarSubmission>&b;',
    ],
)
def test_what_is_no_schedule_is_refused(body: str) -> None:
    with pytest.raises(UnreadableFileError):
        read(STAKES, body, ONE)


def test_a_filing_that_is_cut_off_is_refused() -> None:
    text = filing("SCHEDULE 13D", ("SCHEDULE 13D", schedule_d(person_d("A", "9"))))
    with pytest.raises(UnreadableFileError, match="cut off"):
        read(STAKES, text[: text.index("</DOCUMENT>")], "us/a.txt")


def test_pitfall_06_views_for_people_and_other_files_are_told() -> None:
    def told(text: str) -> str:
        found = STAKES.recognise_file("us/a", text.encode())
        return found.reason if isinstance(found, NotApplicable) else ""

    view = "<html><style>.FormData {color: blue}</style><body>SCHEDULE 13G</body></html>"
    assert "xsl" in told(view)
    assert "form «4»" in told(filing("4", ("4", "x")))
    assert told(filing("SC 13G/A", ("SC 13G/A", "x"))) == ""
    assert told(schedule_d(person_d("A", "9"))) == ""
    assert told('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>')
    assert told("<html><title>Request Rate Threshold Exceeded</title></html>")
    assert told("nothing of the kind")


def test_pitfall_01_touching_is_by_the_issuer() -> None:
    assert holdings(read(STAKES, schedule_d(person_d("A", "9")), ONE))[0]["company_id"] == COMPANY
