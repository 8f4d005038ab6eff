"""Which of several statements stands, for whom, of which class, and who carries shares that several report."""

from decimal import Decimal
from typing import Any

import pytest

from connectors.contract.dataset import MAPPING_SIGNALS
from connectors.kit.staging import present_rows
from connectors.us.contributions import ownership
from connectors.us.ownership.parse_values import class_key, is_same_class
from connectors.us.ownership.schedule13 import holdings as schedule13_holdings
from connectors.us.ownership.schedule13.schema import BARE as BARE_TABLE
from connectors.us.ownership.schedule13.schema import STAKES as STAKES_TABLE
from connectors.us.submissions.schema import FILED_TABLE
from tests.connectors.us.holder_files import (
    COMPANY,
    INSTANT,
    STAKES,
    Row,
    day,
    holdings,
    person_d,
    person_g,
    present,
    read,
    schedule_d,
    schedule_g,
    signals,
)
from tests.tables import check_cases

A, B, C = "0000000011", "0000000012", "0000000013"


def told(*texts: str) -> list[Row]:
    """Holdings of filings in the order of their numbers."""
    batches = [read(STAKES, text, f"0000000007-26-{place:06}.xml") for place, text in enumerate(texts, start=1)]
    return holdings(*batches)


def statement(*persons: str, event: str = "10/01/2026", number: int = 0, **more: str) -> str:
    form = "SCHEDULE 13D/A" if number else "SCHEDULE 13D"
    text = schedule_d(*persons, form=form, event=event, filer=A, **more)
    return text.replace("<amendmentNo>1<", f"<amendmentNo>{number or ''}<")


def alpha(percent: str, **more: str) -> str:
    return person_d("ALPHA LP", percent, cik=A, **more)


def levels(found: list[Row]) -> dict[str, tuple[Decimal | None, Decimal | None]]:
    return {row["holder_name"]: (row["pct"], row["pct_min"]) for row in found if row["ended_on"] is None}


@check_cases(
    ("title", "key"),
    [
        ("Common Stock, par value $0.01 per share", "common stock"),
        ("COMMON SHARES, without par value", "common stock"),
        ("Common", "common stock"),
        ("Shares of Common Stock", "common stock"),
        ("Class A Common Shares", "class a common stock"),
        ("Common Stock, $0.01 par value, Class B", "common stock class b"),
        ("Common Stock, par value $1 (Series C)", "common stock series c"),
        ("Class A Common Stock, par value $.01 (the Class A Common Stock)", "class a common stock"),
        ("Ordinary Shares, nominal value £0.01 per share", "ordinary shares"),
        (None, ""),
    ],
)
def test_titles_of_one_class_are_compared_without_what_tells_none_apart(title: str | None, key: str) -> None:
    assert class_key(title) == key


def test_one_cusip_joins_titles_but_not_letters_or_kinds() -> None:
    assert is_same_class("ordinary shares", "american depositary shares")
    assert not is_same_class("common stock", "class b common stock")
    assert not is_same_class("class a common stock", "class b common stock")
    assert not is_same_class("common stock", "preferred stock")


def test_a_class_titled_otherwise_is_the_same_holding_by_its_cusip() -> None:
    [found] = told(
        statement(alpha("9"), title="Ordinary Shares"),
        statement(alpha("11"), number=1, event="11/01/2026", title="American Depositary Shares"),
    )
    assert (found["native_id"], found["pct"]) == (f"{A}/ordinary shares", Decimal(11))


def test_a_number_that_a_holder_gets_later_makes_no_other_holding() -> None:
    first = schedule_g(person_g("ALPHA LP", "9"), event="09/30/2026", filer="")
    [found] = told(first, statement(alpha("11"), event="11/01/2026"))
    assert (found["native_id"], found["pct"], found["holder_company_id"]) == (
        "alpha lp/common stock",
        Decimal(11),
        f"firm:US:US{A}",
    )


@pytest.mark.parametrize("event", ["10/01/2025", "10/01/0026", ""])
def test_an_amendment_is_not_older_than_what_it_amends(event: str) -> None:
    first, second = statement(alpha("9")), statement(alpha("11"), number=1, event="10/15/2026")
    [found] = told(first, second, statement(alpha("21"), number=2, event=event))
    assert found["pct"] == Decimal(21)
    assert found["valid_from"] >= day("2026-10-15")


def test_of_one_day_the_higher_number_holds_whoever_hands_it_in() -> None:
    batches = [
        read(STAKES, statement(alpha("9"), number=1), "0000000099-26-000900.xml"),
        read(STAKES, statement(alpha("11"), number=2), "0000000007-26-000001.xml"),
    ]
    assert [row["pct"] for row in holdings(*batches)] == [Decimal(11)]


def test_the_filing_that_is_named_as_amended_is_older() -> None:
    second = statement(alpha("11"), number=1, event="01/05/2026").replace(
        "</submissionType>", "</submissionType><previousAccessionNumber>0000000007-26-000001</previousAccessionNumber>"
    )
    [found] = told(statement(alpha("9")), second.replace("<amendmentNo>1<", "<amendmentNo><"))
    assert found["pct"] == Decimal(11)


def test_who_is_left_out_of_an_amendment_keeps_a_level_and_carries_nothing_twice() -> None:
    persons = [person_d(f"{name} LP", "12", cik=cik) for name, cik in (("A", A), ("B", B), ("C", C))]
    found = told(statement(*persons), statement(*persons[1:], number=1, event="11/01/2026"))
    assert sum(row["pct"] or 0 for row in found) == 12
    assert {row["pct_min"] for row in found} == {Decimal(12)}


def test_who_leaves_a_group_for_a_filing_of_their_own_is_counted_there() -> None:
    first = [person_d("A LP", "12", cik=A), person_d("B LP", "12", cik=B)]
    apart = (
        statement(person_d("A LP", "7", cik=A), event="11/01/2026", number=1),
        statement(person_d("B LP", "5", cik=B), event="11/01/2026", number=1),
    )
    assert levels(told(statement(*first), *apart)) == {
        "A LP": (Decimal(7), Decimal(7)),
        "B LP": (Decimal(5), Decimal(5)),
    }


def test_a_person_with_two_cover_pages_holds_the_larger() -> None:
    found = told(statement(alpha("9"), alpha("31"), person_d("B LP", "10", cik=B)))
    assert levels(found) == {"ALPHA LP": (Decimal(31), Decimal(31)), "B LP": (None, Decimal(10))}


@pytest.mark.parametrize(("percent", "is_over"), [("4.9", True), ("5.0", True), ("5.5", False), ("", True)])
def test_the_mark_of_item_5_is_of_those_who_have_not_more(percent: str, *, is_over: bool) -> None:
    text = schedule_g(person_g("ALPHA LP", percent, cik=A), form="SCHEDULE 13G", exit_="Y")
    [found] = told(text)
    assert (found["ended_on"] is not None) is is_over


def test_no_shares_are_no_percentage() -> None:
    first, second = statement(alpha("9")), statement(alpha("", shares="0"), number=1, event="11/01/2026")
    [found] = told(first, second)
    assert (found["pct"], found["ended_on"]) == (Decimal(0), day("2026-11-01"))


def test_statements_before_the_one_that_stands_with_who_stood_for_the_shares_then() -> None:
    texts = [
        statement(alpha("9"), person_d("BETA LP", "9", cik=B)),
        statement(alpha("8"), person_d("BETA LP", "8.5", cik=B), number=1, event="10/20/2026"),
        statement(alpha("7"), person_d("BETA LP", "7", cik=B), number=2, event="11/01/2026"),
    ]
    batches = [read(STAKES, text, f"0000000007-26-{place:06}.xml") for place, text in enumerate(texts)]
    found = present(*batches)
    lines = schedule13_holdings.linked_stake_histories(
        *(present_rows(found, table) for table in (STAKES_TABLE, BARE_TABLE, FILED_TABLE))
    )
    rows = schedule13_holdings.map_superseded_holdings(lines).sort("valid_from", "holder_name").to_dicts()
    assert [(row["holder_name"], row["valid_from"], row["pct"], row["pct_min"]) for row in rows] == [
        ("ALPHA LP", day("2026-10-01"), Decimal(9), Decimal(9)),
        ("BETA LP", day("2026-10-01"), None, Decimal(9)),
        ("ALPHA LP", day("2026-10-20"), None, Decimal(8)),
        ("BETA LP", day("2026-10-20"), Decimal("8.5"), Decimal("8.5")),
    ]


@pytest.mark.parametrize("event", ["10/01/0026", "10/01/1926", "12/31/2026", "10/01/26"])
def test_a_day_that_cannot_be_is_the_day_of_filing(event: str) -> None:
    [found] = told(statement(alpha("9"), event=event))
    assert found["valid_from"] == day("2026-11-04")  # signed


@pytest.mark.parametrize("slip", ["11/04/2062", "11/04/1926"])
def test_day_of_a_signature_that_cannot_be_decides_no_order_and_is_told(slip: str) -> None:
    first, later = statement(alpha("9")).replace("11/04/2026", slip), statement(alpha("8"), number=1)
    assert [row["pct"] for row in told(first, later)] == [Decimal(8)]
    assert ("unreadable_value", "day of a signature") in signals(read(STAKES, first))


@pytest.mark.parametrize(("before", "level", "basis"), [("", Decimal(15), "derived"), ("9", Decimal(9), "exact")])
def test_a_percentage_that_is_left_out_is_the_one_before_or_is_derived(before: str, level: Decimal, basis: str) -> None:
    texts = [statement(alpha(before)), statement(alpha("", shares="150"), number=1, event="11/01/2026")]
    batches = [read(STAKES, text, f"0000000007-26-{place:06}.xml") for place, text in enumerate(texts)]
    found = present(*batches)
    lines = schedule13_holdings.linked_stake_histories(
        *(present_rows(found, table) for table in (STAKES_TABLE, BARE_TABLE, FILED_TABLE))
    )
    shares = {COMPANY: [(Decimal(1000), day("2026-10-20"))]}
    [row] = schedule13_holdings.map_holdings(lines, shares).to_dicts()
    assert (row["pct"], row["pct_min"], row["basis"]) == (level, level, basis)


OLD_PARENT, NEW_PARENT = "0001364742", "0002012383"
SIGNED = "11/04/2026"  # the day that every statement is signed


def group(percent: str, cik: str, *, name: str = "ROCK, Inc.", **more: Any) -> str:
    return statement(person_d(name, percent, cik=cik), **more)


def test_a_group_that_goes_on_under_a_new_cik_is_one_holder() -> None:
    found = told(group("7.5", OLD_PARENT, event="10/01/2026"), group("7.7", NEW_PARENT, number=3, event="11/01/2026"))
    assert [(row["holder_name"], row["pct"]) for row in found] == [("ROCK, Inc.", Decimal("7.7"))]


@pytest.mark.parametrize(
    "after",
    [
        {"number": 0, "event": "11/01/2026"},  # begins a series of its own
        {"number": 3, "event": "11/01/2026", "name": "OTHER ROCK, Inc."},
    ],
    ids=["own series", "another name"],
)
def test_another_cik_with_a_series_or_a_name_of_its_own_is_another_holder(after: dict[str, Any]) -> None:
    found = told(group("7.5", OLD_PARENT, event="10/01/2026"), group("7.7", NEW_PARENT, **after))
    assert sorted(row["pct"] for row in found) == [Decimal("7.5"), Decimal("7.7")]


@check_cases(
    ("percent", "kind", "name", "day", "levels"),
    [
        ("0", "HC", "ROCK, Inc.", "11/02/2026", {"ROCK, Inc.": "7.7"}),
        ("0", "HC", "ROCK, Inc.", "08/02/2026", {"ROCK, Inc.": "0"}),  # half a year before: another one
        ("0", "IN", "ROCK, Inc.", "11/02/2026", {"ROCK, Inc.": "0"}),
        ("0", "HC", "OTHER ROCK, Inc.", "11/02/2026", {"ROCK, Inc.": "0"}),
        ("7.4", "HC", "ROCK, Inc.", "11/02/2026", {"ROCK, Inc.": "7.4"}),
    ],
)
def test_firm_that_ends_under_one_cik_as_it_begins_under_another_is_one_holder(
    percent: str, kind: str, name: str, day: str, levels: dict[str, str]
) -> None:
    before = statement(person_d("ROCK, Inc.", "7.5", cik=OLD_PARENT, kind=kind), event="03/01/2026")
    end = statement(person_d("ROCK, Inc.", percent, cik=OLD_PARENT, kind=kind), number=1, event=day)
    after = statement(person_d(name, "7.7", cik=NEW_PARENT, kind=kind), event="11/02/2026")
    found = told(before.replace(SIGNED, "03/02/2026"), end.replace(SIGNED, day), after)
    assert len(found) == (1 if levels["ROCK, Inc."] == "7.7" else 2)
    assert {row["holder_name"]: row["pct_max"] for row in found if row["native_id"].startswith(OLD_PARENT)} == {
        holder: Decimal(level) for holder, level in levels.items()
    }


def test_amendment_without_a_number_is_not_older_than_the_original() -> None:
    original = statement(alpha("12"), event="10/20/2026").replace(SIGNED, "10/21/2026")
    amendment = statement(alpha("9"), number=1, event="09/10/2026")
    [row] = told(original, amendment.replace("<amendmentNo>1</amendmentNo>", ""))
    assert (row["pct"], row["valid_from"]) == (Decimal(9), day("2026-10-20"))


@check_cases(
    ("name", "kind", "is_told"), [("ROCK, Inc.", "HC", True), ("ROCK, Inc.", "IN", False), ("X LP", "HC", False)]
)
def test_two_firms_of_one_name_are_told(name: str, kind: str, *, is_told: bool) -> None:
    before = statement(person_d("ROCK, Inc.", "7.5", cik=OLD_PARENT, kind=kind), event="03/01/2026")
    other = statement(person_d(name, "7.7", cik=NEW_PARENT, kind=kind), event="11/02/2026")
    batches = [read(STAKES, text, f"0000000007-26-{n:06}.xml") for n, text in enumerate((before, other), start=1)]
    made = ownership.OWNERSHIP.to_shared_tables(present(*batches), INSTANT.date())
    assert made[MAPPING_SIGNALS]["code"].to_list() == ["holders_share_name"] * is_told
