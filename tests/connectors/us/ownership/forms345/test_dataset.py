"""Forms 3, 4 and 5, and the holdings that they make (docs/formats/us.md 7.3)."""

from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, UnreadableFileError
from connectors.kit import holdings_history
from connectors.kit.staging import present_rows
from connectors.us.companyfacts.schema import FACTS
from connectors.us.ownership import shares_outstanding
from connectors.us.ownership.forms345 import holdings as forms345_holdings
from connectors.us.ownership.forms345.schema import LINES
from connectors.us.ownership.schedule13 import holdings as schedule13_holdings
from connectors.us.ownership.schedule13.schema import BARE as BARE_TABLE
from connectors.us.ownership.schedule13.schema import STAKES as STAKES_TABLE
from connectors.us.submissions.schema import FILED_TABLE
from tests.connectors.us.holder_files import (
    COMPANY,
    INSIDERS,
    ISSUER,
    STAKES,
    Row,
    day,
    filing,
    form4,
    holdings,
    line,
    owner,
    person_d,
    present,
    read,
    reasons,
    rows,
    schedule_d,
    signals,
)
from tests.tables import check_cases

TABLE = "us_insider"
ONE, TWO = "0000000007-26-000001.xml", "0000000007-26-000002.xml"
ANN = owner("EXAMPLE ANN", "0000000011", isDirector="1", isOfficer="0", isTenPercentOwner="0", officerTitle="")


def derived(*batches: list, shares: str = "1000") -> list[Row]:
    """Holdings where the shares outstanding are known, as facts of the cover page tell them."""
    found = present(*batches)
    made, _ = forms345_holdings.map_holdings(
        present_rows(found, LINES),
        present_rows(found, FILED_TABLE),
        outstanding={COMPANY: [(Decimal(shares), day("2026-10-20"))]},
    )
    return holdings_history.latest_statements(made).to_dicts()


def test_a_form_4_gives_owner_class_shares_and_day() -> None:
    [row] = rows(read(INSIDERS, form4(line("400", nature="By Trust"), owners=ANN), ONE), TABLE)
    assert (row["owner"], row["ownerCik"], row["issuerCik"]) == ("EXAMPLE ANN", "0000000011", ISSUER)
    assert (row["classTitle"], row["shares"], row["day"]) == ("Common Stock", "400", day("2026-11-02"))
    assert (row["isDirect"], row["nature"], row["code"], row["change"]) == (False, "By Trust", "S", "-10")
    assert (row["isDirector"], row["isOfficer"], row["isOther"]) == (True, False, None)  # absent is not «no»
    [found] = holdings(read(INSIDERS, form4(line("400"), owners=ANN), ONE))
    assert (found["holder_name"], found["holder_type"], found["share_class"]) == (
        "EXAMPLE ANN",
        "person",
        "Common Stock",
    )
    assert (found["valid_from"], found["pct"], found["controls"]) == (day("2026-11-02"), None, ["director"])


def test_day_of_a_signature_to_come_is_unknown_and_told() -> None:
    """As the day of filing it would be later than every other form's, for good."""
    batches = read(INSIDERS, form4(line("400"), owners=ANN).replace("2026-11-04", "2062-11-04"), ONE)
    assert [row["signedOn"] for row in rows(batches, TABLE)] == [None]
    assert ("unreadable_value", "day of a signature") in signals(batches)


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("true", "false")])
def test_flags_of_older_and_newer_schemas(yes: str, no: str) -> None:
    who = owner("A", "0000000011", isDirector=no, isOfficer=yes, isTenPercentOwner=yes, isOther=no)
    [row] = rows(read(INSIDERS, form4(line("1"), owners=who), ONE), TABLE)
    flags = [row[name] for name in ("isDirector", "isOfficer", "isTenPercentOwner", "isOther")]
    assert flags == [False, True, True, False]


def test_the_last_word_on_each_line_is_added_once() -> None:
    boss = owner("A", "0000000011", isTenPercentOwner="1")
    lines = [line("90"), line("80"), line("30", nature="By Trust"), line("40", day=None, nature="By Spouse")]
    [found] = derived(read(INSIDERS, form4(*lines, owners=boss), ONE))
    assert (found["pct"], found["basis"]) == (Decimal("15.0000"), "derived")  # 80 + 30 + 40 of 1,000


def test_two_trusts_of_the_same_words_are_two_lines() -> None:
    boss = owner("A", "0000000011", isTenPercentOwner="1")
    lines = [line("30", day=None, nature="Trust"), line("40", day=None, nature="Trust"), line("80")]
    [found] = derived(read(INSIDERS, form4(*lines, owners=boss), ONE))
    assert found["pct"] == Decimal(15)
    sold = form4(line("10", day="2026-11-03", nature="Trust"), owners=boss, period="2026-11-03")
    [found] = derived(read(INSIDERS, form4(*lines, owners=boss), ONE), read(INSIDERS, sold, TWO))
    assert found["pct"] == Decimal(9)


def test_lines_go_on_from_form_to_form() -> None:
    boss = owner("A", "0000000011", isTenPercentOwner="1")
    before = form4(line("80", day="2026-10-01"), line("30", day="2026-10-01", nature="By Trust"), owners=boss)
    after = form4(line("60"), owners=boss)
    for order in ((before, ONE, after, TWO), (after, TWO, before, ONE)):
        [found] = derived(read(INSIDERS, order[0], order[1]), read(INSIDERS, order[2], order[3]))
        assert (found["pct"], found["valid_from"]) == (Decimal(9), day("2026-11-02"))


@check_cases(
    ("before", "after", "level"),
    [
        ("By Doe Family Trust", "By the Doe Family Trust (1)", "10"),
        ("See Footnote (2)", "See footnote 1", "10"),
        ("Trust", "held in trust [3]", "10"),
        ("By Trust", "By Spouse", "13"),
        ("Trust 1", "Trust 2", "13"),
    ],
)
def test_nature_in_other_words_is_the_same_line_of_a_later_form(before: str, after: str, level: str) -> None:
    boss = owner("A", "0000000011", isTenPercentOwner="1")
    first = form4(line("30", day="2026-10-01", nature=before), owners=boss, period="2026-10-01")
    then = form4(line("40", nature=after), line("60", day=None), owners=boss)
    [found] = derived(read(INSIDERS, first, ONE), read(INSIDERS, then, TWO))
    assert found["pct"] == Decimal(level)


def test_words_beside_direct_ownership_make_no_other_line() -> None:
    boss = owner("A", "0000000011", isTenPercentOwner="1")
    first = form4(line("80", day="2026-10-01", nature="By Self"), owners=boss, period="2026-10-01")
    first = first.replace("<value>I</value>", "<value>D</value>")
    [found] = derived(read(INSIDERS, first, ONE), read(INSIDERS, form4(line("60"), owners=boss), TWO))
    assert found["pct"] == Decimal(6)


def test_natures_that_one_form_tells_apart_by_marks_are_two_lines() -> None:
    boss = owner("A", "0000000011", isTenPercentOwner="1")
    lines = [line("30", day="2026-10-01", nature="By Trust (1)"), line("40", day="2026-10-01", nature="By Trust (2)")]
    first = form4(*lines, owners=boss, period="2026-10-01")
    then = form4(line("20", nature="By Trust (1)"), owners=boss)
    [found] = derived(read(INSIDERS, first, ONE), read(INSIDERS, then, TWO))
    assert found["pct"] == Decimal(6)


def test_form_5_tells_of_the_end_of_the_fiscal_year() -> None:
    gift = form4(line("90", day="2025-12-23"), owners=ANN, form="5", period="2026-01-31")
    sale = form4(line("100", day="2026-01-15"), owners=ANN, period="2026-01-15")
    [found] = derived(read(INSIDERS, gift.replace("Owner>0", "Owner>1"), TWO), read(INSIDERS, sale, ONE), shares="1000")
    assert (found["valid_from"], found["pct"]) == (day("2026-01-31"), Decimal(9))


def test_joint_owners_share_their_lines() -> None:
    both = owner("FIRST INC", "0000000011", isTenPercentOwner="1") + owner("B", "0000000012", isTenPercentOwner="1")
    found = derived(read(INSIDERS, form4(line("150"), owners=both), ONE))
    assert [(row["holder_name"], row["pct"], row["pct_min"]) for row in found] == [
        ("FIRST INC", Decimal(15), Decimal(15)),
        ("B", None, Decimal(15)),
    ]
    assert [row["holder_company_id"] for row in found] == ["firm:US:US0000000011", None]


def test_a_percentage_only_for_owners_of_ten_percent_or_of_a_schedule() -> None:
    form = read(INSIDERS, form4(line("150"), owners=ANN), ONE)
    assert [row["pct"] for row in derived(form)] == [None]
    stake = read(STAKES, schedule_d(person_d("EXAMPLE ANN", "15", cik="0000000011", kind="IN")), TWO)
    assert {(row["register"], row["holder_name"]) for row in holdings(form, stake)} == {
        ("us.insiders", "EXAMPLE ANN"),
        ("us.schedule13", "EXAMPLE ANN"),
    }
    both = present(form, stake)
    filed = present_rows(both, FILED_TABLE)
    standing = schedule13_holdings.linked_stake_histories(
        present_rows(both, STAKES_TABLE), present_rows(both, BARE_TABLE), filed
    )
    known = schedule13_holdings.holder_identities(standing)
    made, _ = forms345_holdings.map_holdings(
        present_rows(both, LINES), filed, known, {COMPANY: [(Decimal(1000), day("2026-10-20"))]}
    )
    assert made["pct"].to_list() == [Decimal("15.0000")]


def test_a_holder_of_a_schedule_is_named_as_there() -> None:
    form = read(INSIDERS, form4(line("150"), owners=owner("MUSTER ANN", "0000000011", isDirector="1")), ONE)
    stake = read(STAKES, schedule_d(person_d("Ann Muster", "15", cik="0000000011", kind="IN")), TWO)
    found = holdings(form, stake)
    assert [(row["register"], row["holder_name"], row["holder_type"], row["holder_country"]) for row in found] == [
        ("us.schedule13", "Ann Muster", "person", "US"),
        ("us.insiders", "Ann Muster", "person", "US"),
    ]


@check_cases(
    ("name", "flags", "kind"),
    [
        ("Park Se Hoon", {"isDirector": "1"}, "person"),
        ("Smith Asa", {"isOfficer": "true"}, "person"),
        ("Trust Jane", {"isOfficer": "1"}, "person"),
        ("ALPHA FUND LP", {"isDirector": "1"}, "fund"),
        ("ALPHA PARTNERS LLC", {"isDirector": "1", "isTenPercentOwner": "1"}, "company"),
        ("Muster Ann", {"isTenPercentOwner": "1"}, "unknown"),
        ("Kim Se Jin", {"isTenPercentOwner": "1"}, "unknown"),
        ("SA RICARDO", {"isTenPercentOwner": "1"}, "unknown"),
        ("Banco Muster SA /ADR/", {"isTenPercentOwner": "1"}, "company"),
        ("Grupo Muster SA de CV", {"isTenPercentOwner": "1"}, "company"),
        ("MUSTER AG", {"isTenPercentOwner": "1"}, "company"),
        ("ALPHA & CO.", {"isTenPercentOwner": "1"}, "company"),
    ],
)
def test_kinds_of_insiders(name: str, flags: dict[str, str], kind: str) -> None:
    [found] = holdings(read(INSIDERS, form4(line("1"), owners=owner(name, "0000000011", **flags)), ONE))
    assert found["holder_type"] == kind
    assert (found["holder_company_id"] is None) == (kind not in ("company", "fund"))


def test_nothing_left_ends_the_holding() -> None:
    [found] = holdings(read(INSIDERS, form4(line("0"), owners=ANN), ONE))
    assert found["ended_on"] == day("2026-11-02")


def test_shares_that_only_a_footnote_tells_are_unknown_and_not_none() -> None:
    batches = read(INSIDERS, form4(line(None), owners=ANN), ONE)
    assert rows(batches, TABLE)[0]["shares"] is None
    assert ("no_shares", "sharesOwnedFollowingTransaction") in signals(batches)
    [found] = holdings(batches)
    assert (found["pct"], found["ended_on"]) == (None, None)


def test_a_form_without_shares_tells_who_the_insider_is_and_no_holding() -> None:
    batches = read(INSIDERS, form4(owners=ANN, form="3"), ONE)
    [row] = rows(batches, TABLE)
    assert (row["line"], row["owner"], row["shares"]) == ("1/0", "EXAMPLE ANN", None)
    assert holdings(batches) == []


def test_dates_with_a_zone() -> None:
    [row] = rows(read(INSIDERS, form4(line("1", day="2026-11-02-05:00"), owners=ANN), ONE), TABLE)
    assert row["day"] == day("2026-11-02")


def test_no_street_of_a_person_is_kept() -> None:
    kept = INSIDERS.redact
    assert kept is not None
    batches = read(INSIDERS, form4(line("1"), owners=ANN), ONE)
    assert "PRIVATE" not in str([batch.rows.to_dicts() for batch in batches])


def test_a_whole_filing_and_what_is_none() -> None:
    text = filing("4", ("4", form4(line("1"), owners=ANN)))
    [row] = rows(read(INSIDERS, text, "us/a.txt"), TABLE)
    assert (row["accession"], row["filedOn"]) == ("0000000007-26-000001", day("2026-11-04"))
    batches = read(INSIDERS, filing("4", ("4", "FORM 4 of Foster, 1 Private Road, 123-45-6789")), "us/a.txt")
    assert rows(batches, TABLE) == []
    [reason] = reasons(batches)
    assert "June 2003" in reason
    header = filing("4").encode()
    assert isinstance(INSIDERS.recognise_file("us/a.txt", header), NotApplicable)


def test_what_nobody_knows_is_a_signal() -> None:
    odd = form4(line("1", code="Q"), owners=ANN, version="X9901").replace("<footnotes/>", "<surprise/>")
    assert set(signals(read(INSIDERS, odd, ONE))) == {
        ("unknown_code", "transactionCode Q"),
        ("unknown_schema", "X9901"),
        ("unknown_element", "surprise"),
    }


@pytest.mark.parametrize(
    "body", [form4(line("1"), owners=""), form4(line("1"), owners=ANN, form="144"), form4(line("1"), owners=ANN)[:700]]
)
def test_what_is_no_form_is_refused(body: str) -> None:
    with pytest.raises(UnreadableFileError):
        read(INSIDERS, body, ONE)


def facts(*stated: tuple[str, str, int]) -> pl.LazyFrame:
    """Shares outstanding as the covers of reports state them: day, day of filing, number."""
    columns = {
        "_company_id": [COMPANY] * len(stated),
        "period_end": [day(on) for on, _, _ in stated],
        "filed": [day(filed) for _, filed, _ in stated],
        shares_outstanding.COLUMN: [number for *_, number in stated],
    }
    return pl.LazyFrame(columns).with_columns(_retired_at=pl.lit(None, pl.Datetime("us", "UTC")))


def test_shares_outstanding_are_counted_by_day_and_of_one_class() -> None:
    stated = facts(
        ("2026-10-20", "2026-10-30", 2000), ("2026-10-20", "2026-11-30", 3000), ("2026-07-20", "2026-07-30", 1000)
    )
    one = pl.LazyFrame({"_company_id": [COMPANY, COMPANY], "classKey": ["common stock", "common stock"]})
    two = pl.LazyFrame({"_company_id": [COMPANY], "classKey": ["class b common stock"]})
    made = shares_outstanding.outstanding_by_company({FACTS.name: stated}, [one])
    assert made == {COMPANY: [(Decimal(1000), day("2026-07-20")), (Decimal(3000), day("2026-10-20"))]}
    assert shares_outstanding.outstanding_by_company({FACTS.name: stated}, [one, two]) == {}
    withdrawn = stated.with_columns(_retired_at=pl.lit(datetime(2026, 12, 1, tzinfo=UTC)))
    assert shares_outstanding.outstanding_by_company({FACTS.name: withdrawn}, [one]) == {}
    assert shares_outstanding.outstanding_by_company({}, [one]) == {}


def test_shares_of_other_times_give_no_percentage() -> None:
    known = {COMPANY: [(Decimal(1000), day("2026-10-20"))]}
    share = shares_outstanding.derived_percentage(Decimal(150), COMPANY, day("2026-11-02"), "COM", known).level
    assert share == Decimal(15)
    assert shares_outstanding.derived_percentage(Decimal(150), COMPANY, day("2024-11-02"), "COM", known).level is None
    assert shares_outstanding.derived_percentage(None, COMPANY, day("2026-11-02"), "COM", known).level is None
    assert (
        shares_outstanding.derived_percentage(
            Decimal(150), "firm:US:US0000000001", day("2026-11-02"), "COM", known
        ).level
        is None
    )
