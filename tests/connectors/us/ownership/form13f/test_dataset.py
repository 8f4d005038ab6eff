"""Form 13F: covers, information tables, units, amendments (docs/formats/us.md 7.4)."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable
from connectors.kit import holdings_history
from connectors.kit.staging import present_rows
from connectors.us.ownership.form13f import holdings as form13f_holdings
from connectors.us.ownership.form13f.schema import COVERS as COVER_TABLE
from connectors.us.ownership.form13f.schema import POSITIONS
from tests.connectors.us.holder_files import (
    COMPANY,
    INSTANT,
    MANAGERS,
    Row,
    cover_13f,
    day,
    filing,
    holdings,
    position,
    present,
    read,
    reasons,
    rows,
    signals,
    table_13f,
)

COVERS, TABLE = "us_13f_cover", "us_13f_position"
SHARES = {COMPANY: [(Decimal(10_000), day("2026-10-20"))]}


def report(*positions: str, form: str = "13F-HR", number: int = 1, filed: str = "20261104", **cover: Any) -> str:
    told = cover_13f(form, entries=cover.pop("entries", len(positions)), **cover)
    return filing(
        form,
        (form, told),
        ("INFORMATION TABLE", table_13f(*positions)),
        accession=f"0000000009-26-{number:06}",
        filed=filed,
    )


def derived(*reports: str, today: date | None = None) -> list[Row]:
    """Holdings where the shares outstanding are known: 10,000."""
    batches = [read(MANAGERS, text, "us/a.txt") for text in reports]
    found = present_rows(present(*batches, company=COMPANY), POSITIONS)
    made, _ = form13f_holdings.map_holdings(found, today or INSTANT.date(), SHARES)
    return holdings_history.latest_statements(made).to_dicts()


def test_a_report_gives_manager_class_shares_and_day() -> None:
    batches = read(MANAGERS, report(position(value="30000", shares="100")), "us/a.txt")
    [row] = rows(batches, TABLE)
    assert (row["manager"], row["managerCik"], row["period"]) == (
        "Example Management LLC",
        "0000000009",
        day("2026-09-30"),
    )
    assert (row["issuer"], row["classTitle"], row["shares"]) == ("EXAMPLE & CO", "COM", "100")
    assert (row["accession"], row["filedOn"]) == ("0000000009-26-000001", day("2026-11-04"))
    [cover] = rows(batches, COVERS)
    assert (cover["report"], cover["entries"], cover["place"]) == ("13F HOLDINGS REPORT", 1, "NY")
    assert signals(batches) == {}


@pytest.mark.parametrize(
    ("filed", "dollars"), [("20221230", "30000"), ("20230102", "30000"), ("20230103", "30"), ("20230323", "30")]
)
def test_pitfall_11_thousands_before_3_january_2023_and_dollars_since(filed: str, dollars: str) -> None:
    """By the day of filing, whatever the quarter."""
    text = report(position(value="30", shares="10"), filed=filed, period="12-31-2021")
    [row] = rows(read(MANAGERS, text, "us/a.txt"), TABLE)
    assert (row["value"], row["dollars"]) == ("30", dollars)


def test_pitfall_11_a_table_alone_tells_its_unit_by_the_year_of_its_number_or_not_at_all() -> None:
    table = table_13f(position(value="30", shares="10"))
    assert rows(read(MANAGERS, table, "us/0000000009-16-000001.xml"), TABLE)[0]["dollars"] == "30000"
    assert rows(read(MANAGERS, table, "us/0000000009-24-000001.xml"), TABLE)[0]["dollars"] == "30"
    batches = read(MANAGERS, table, "us/table.xml")
    assert rows(batches, TABLE)[0]["dollars"] is None
    assert [code for code, _ in signals(batches)] == ["unknown_unit"]


def test_pitfall_11_values_in_the_other_unit_are_doubtful_and_left() -> None:
    text = report(*(position(value="300", shares="10000") for _ in range(3)))  # three cents a share
    batches = read(MANAGERS, text, "us/a.txt")
    assert {row["dollars"] for row in rows(batches, TABLE)} == {None}
    assert ("doubtful_unit", "value: dollars by the day of filing") in signals(batches)


def test_pitfall_11_any_name_prefix_and_entity() -> None:
    table = table_13f(position(prefix="ns1:"), prefix="ns1:")
    assert rows(read(MANAGERS, "\n" + table, "us/0000000009-26-000001.xml"), TABLE)[0]["issuer"] == "EXAMPLE & CO"


def test_rows_of_one_cusip_are_added_and_options_and_debts_are_none() -> None:
    text = report(
        position(shares="100"),
        position(shares="50"),
        position(shares="700", option="Call"),
        position(shares="900", kind="PRN"),
    )
    [found] = derived(text)
    assert (found["pct"], found["basis"]) == (Decimal("1.5"), "derived")
    assert (found["holder_name"], found["holder_company_id"]) == ("Example Management LLC", "firm:US:US0000000009")
    assert (found["valid_from"], found["ended_on"]) == (day("2026-09-30"), None)


def test_without_the_shares_outstanding_nothing_is_told() -> None:
    assert holdings(read(MANAGERS, report(position()), "us/a.txt"), company=COMPANY) == []


def test_a_restatement_replaces() -> None:
    first = report(position(shares="100"), position(shares="50"))
    second = report(position(shares="70"), form="13F-HR/A", number=2, filed="20261201", amendment="RESTATEMENT")
    assert [row["pct"] for row in derived(first, second)] == [Decimal("0.7")]
    assert [row["pct"] for row in derived(second, first)] == [Decimal("0.7")]


@pytest.mark.parametrize(
    ("entries", "cusip", "left"),
    [(1, "999999AB9", []), (2, "999999AB9", [Decimal(1)]), (1, "", [Decimal(1)]), (1, None, [Decimal(1)])],
    ids=["read whole", "a row is missing", "a row without CUSIP", "without its table"],
)
def test_a_restatement_that_was_read_whole_leaves_out_a_company(
    entries: int, cusip: str | None, left: list[Decimal]
) -> None:
    """Of whom it has no row."""
    first = read(MANAGERS, report(position(shares="100")), "us/a.txt")
    cover = cover_13f("13F-HR/A", amendment="RESTATEMENT", entries=entries)
    table = [("INFORMATION TABLE", table_13f(position(cusip=cusip)))] if cusip is not None else []
    text = filing("13F-HR/A", ("13F-HR/A", cover), *table, accession="0000000009-26-000002", filed="20261201")
    second = [batch for batch in read(MANAGERS, text, "us/b.txt") if batch.table == COVERS]
    told = present(first, second, company=COMPANY)
    made, _ = form13f_holdings.map_holdings(
        present_rows(told, POSITIONS), INSTANT.date(), SHARES, covers=present_rows(told, COVER_TABLE)
    )
    assert [row["pct"] for row in holdings_history.latest_statements(made).to_dicts()] == left


def test_new_holdings_add() -> None:
    first = report(position(shares="100"))
    more = report(position(shares="30"), form="13F-HR/A", number=2, filed="20261201", amendment="NEW HOLDINGS")
    assert [row["pct"] for row in derived(more, first)] == [Decimal("1.3")]


def test_an_amendment_of_no_kind_is_a_signal_and_changes_nothing() -> None:
    first = report(position(shares="100"))
    odd = report(position(shares="30"), form="13F-HR/A", number=2, filed="20261201", amendment="CORRECTION")
    assert ("unknown_code", "amendmentType CORRECTION") in signals(read(MANAGERS, odd, "us/a.txt"))
    assert [row["pct"] for row in derived(first, odd)] == [Decimal(1)]


def test_the_newest_quarter_holds_until_two_reports_are_missing() -> None:
    old = report(position(shares="100"), period="06-30-2026", filed="20260804")
    new = report(position(shares="50"), number=2)
    assert [row["pct"] for row in derived(new, old)] == [Decimal("0.5")]
    [found] = derived(old, today=date(2027, 2, 14))
    assert found["ended_on"] is None
    [found] = derived(old, today=date(2027, 2, 15))
    assert found["ended_on"] == date(2027, 2, 14)


def test_a_notice_has_no_positions() -> None:
    text = filing("13F-NT", ("13F-NT", cover_13f("13F-NT").replace("HOLDINGS REPORT", "NOTICE")))
    batches = read(MANAGERS, text, "us/a.txt")
    assert (len(rows(batches, COVERS)), rows(batches, TABLE), signals(batches)) == (1, [], {})


def test_a_table_that_is_not_what_its_cover_says_is_a_signal() -> None:
    assert ("does_not_add_up", "tableEntryTotal") in signals(read(MANAGERS, report(position(), entries=2), "us/a.txt"))


def test_a_report_in_text_is_a_reject() -> None:
    batches = read(
        MANAGERS, filing("13F-HR", ("13F-HR", "FORM 13F INFORMATION TABLE <TABLE>"), filed="20080214"), "us/a.txt"
    )
    [reason] = reasons(batches)
    assert "2013" in reason


def test_pitfall_06_the_view_for_people_is_not_ours() -> None:
    view = b'<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"><html><style>.FormData {color: blue}</style></html>'
    assert isinstance(MANAGERS.recognise_file("us/a.xml", view), NotApplicable)


def test_two_tables_of_one_filing_are_numbered_on() -> None:
    tables = (table_13f(position(shares="100")), table_13f(position(shares="50")))
    whole = filing("13F-HR", ("13F-HR", cover_13f(entries=2)), *(("INFORMATION TABLE", table) for table in tables))
    found = rows(read(MANAGERS, whole), "us_13f_position")
    assert [(row["line"], row["shares"]) for row in found] == [("1", "100"), ("2", "50")]


def test_a_manager_of_a_schedule_is_named_as_there() -> None:
    found = present_rows(present(read(MANAGERS, report(position(shares="600"))), company=COMPANY), POSITIONS)
    who = {"holder_name": "Example Mgmt", "holder_type": "person", "holder_company_id": None}
    known = {(COMPANY, "0000000009"): who | {"holder_country": "US"}}
    made, _ = form13f_holdings.map_holdings(found, INSTANT.date(), SHARES, known)
    [row] = made.to_dicts()
    assert {name: row[name] for name in who} == who
    assert row["pct"] == Decimal(6)


def test_a_position_that_a_restatement_leaves_out_is_gone() -> None:
    other = "594918104"
    before = report(position(shares="600"), position(cusip=other, shares="500"), period="06-30-2026", filed="20260804")
    first = report(position(shares="600"), position(cusip=other, shares="500"), number=2)
    restated = report(position(shares="700"), form="13F-HR/A", number=3, filed="20261110", amendment="RESTATEMENT")
    found = {row["native_id"]: (row["pct"], row["ended_on"]) for row in derived(before, first, restated)}
    assert found == {"0000000009/123456AB7": (Decimal(7), None), f"0000000009/{other}": (Decimal(0), day("2026-09-30"))}
    added = report(position(shares="700"), form="13F-HR/A", number=3, filed="20261110", amendment="NEW HOLDINGS")
    assert {row["pct"] for row in derived(before, first, added)} == {Decimal(13), Decimal(5)}


def test_a_cusip_without_its_zeros_is_the_same_holding() -> None:
    before = report(position(cusip="037833100", shares="600"), period="06-30-2026", filed="20260804")
    [row] = derived(before, report(position(cusip="37833100", shares="500"), number=2))
    assert (row["native_id"], row["pct"]) == ("0000000009/037833100", Decimal(5))
