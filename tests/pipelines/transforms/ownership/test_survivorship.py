"""Several registers that tell of one holder: who is one, whose word counts, and which changes are events."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.ownership import ownership_events
from pipelines.transforms.ownership.owners import build_owners
from tests.pipelines.frames import COMPANY, DAY_1, DAY_2, DAY_3, company, differences, frame, holding, whole
from tests.tables import check_cases
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import COMPANIES, HOLDINGS, OWNERS

FLAGS, GROUP, LIST = "xx.flags", "xx.group", "xx.list"
PRECEDENCE = (FLAGS, GROUP, LIST)
PARENT = "firm:FI:0000002-0"


def record(register: str, pct: Any = None, native: str = "p1", **values: Any) -> dict[str, Any]:
    plain = {
        "register": register,
        "pct": pct,
        "pct_min": pct,
        "pct_max": pct,
        "basis": None if pct is None else "exact",
        "holder_name": "Eier AS",
        "holder_type": "company",
        "holder_company_id": PARENT,
        "valid_from": date(2025, 12, 31),
    }
    return holding(native, **(plain | values))


def owned(*holdings: dict[str, Any], former: pl.DataFrame | None = None, instant=DAY_2) -> pl.DataFrame:
    return build_owners(frame(HOLDINGS, *holdings), frame(OWNERS) if former is None else former, instant, PRECEDENCE)


def one(*holdings: dict[str, Any], former: pl.DataFrame | None = None) -> dict[str, Any]:
    (row,) = owned(*holdings, former=former).to_dicts()
    return row


def named(register: str, pct: Any, native: str, **values: Any) -> dict[str, Any]:
    return record(register, pct, native, holder_company_id=None, **values)


def test_the_same_number_in_two_registers_is_one_holder() -> None:
    row = one(record(LIST, 30), record(GROUP, 30, "x"))
    assert row["reconciliation"] == "agreed"
    assert [source["register"] for source in json.loads(row["sources"])] == [GROUP, LIST]


@check_cases(
    ("first", "second", "count"),
    [
        ({"holder_name": "Eier AS"}, {"holder_name": "EIER as."}, 1),
        ({"holder_name": "Eier AS"}, {"holder_name": "Eier Invest AS"}, 2),
        ({"holder_country": "NO"}, {"holder_country": "SE"}, 2),
        ({"holder_country": "NO"}, {"holder_country": None}, 1),
        ({"holder_type": "person"}, {"holder_type": "company"}, 2),
        ({"holder_type": "person"}, {"holder_type": "unknown"}, 1),
    ],
)
def test_names_join_registers_where_nothing_speaks_against_it(
    first: dict[str, Any], second: dict[str, Any], count: int
) -> None:
    found = owned(named(FLAGS, 6, "a", **first), named(LIST, 5, "b", **second))
    assert found.height == count


def test_a_name_that_a_register_has_twice_joins_nobody() -> None:
    found = owned(named(FLAGS, 6, "a"), named(LIST, 5, "b"), named(LIST, 1, "c"))
    assert found.height == 3


def test_records_of_one_register_are_never_joined() -> None:
    assert owned(record(LIST, 5, "a"), record(LIST, 5, "b")).height == 2


def test_two_numbers_of_one_name_are_two_holders() -> None:
    found = owned(record(FLAGS, 5, "a"), record(LIST, 5, "b", holder_company_id="firm:FI:0000003-1"))
    assert found.height == 2


def test_the_register_that_stands_first_decides_and_all_are_shown() -> None:
    row = one(record(LIST, 40), record(GROUP, 51, valid_from=date(2020, 1, 1)), record(FLAGS, 45))
    assert (row["pct"], row["as_of"]) == (Decimal(45), date(2025, 12, 31))
    told = [(source["register"], source["pct"]) for source in json.loads(row["sources"])]
    assert told == [(FLAGS, 45), (GROUP, 51), (LIST, 40)]
    assert row["first_seen"] == date(2020, 1, 1)


@pytest.mark.parametrize(
    ("other", "day", "expected"),
    [
        ("40.5", date(2025, 12, 31), "agreed"),
        ("40.6", date(2025, 12, 31), "conflict"),
        ("40.6", date(2024, 12, 31), "latest_wins"),
        (None, date(2025, 12, 31), "agreed"),
    ],
)
def test_how_sources_agree(other: str | None, day: date, expected: str) -> None:
    assert one(record(GROUP, 40), record(LIST, other, valid_from=day))["reconciliation"] == expected


def test_a_source_without_a_share_leaves_it_to_the_next() -> None:
    row = one(record(GROUP, None), record(LIST, 40))
    assert (row["pct"], row["basis"]) == (Decimal(40), "exact")
    assert json.loads(row["sources"])[0]["register"] == LIST


def test_votes_alone_make_an_older_share_of_capital_out_of_date_but_not_a_newer_one() -> None:
    notice = record(FLAGS, None, votes_pct=6, votes_min=6, votes_max=6, basis="exact", valid_from=date(2026, 6, 9))
    row = one(notice, record(LIST, 4))
    assert (row["pct"], row["votes_pct"], row["as_of"]) == (None, Decimal(6), date(2026, 6, 9))
    newer = one(notice, record(LIST, 7, valid_from=date(2026, 12, 31)))
    assert (newer["pct"], newer["votes_pct"]) == (Decimal(7), Decimal(6))


def test_an_end_in_a_register_ends_what_those_behind_it_said_before() -> None:
    gone = record(FLAGS, 0, ended_on=date(2026, 6, 9), valid_from=date(2026, 6, 9))
    assert one(gone, record(LIST, 6))["ended_on"] == date(2026, 6, 9)
    assert one(gone, record(LIST, 6, valid_from=date(2026, 12, 31)))["ended_on"] is None
    assert one(record(FLAGS, 6), record(LIST, 6, ended_on=date(2026, 1, 1)))["ended_on"] is None


def test_the_id_is_that_of_the_earliest_observation_and_stays() -> None:
    first = owned(record(LIST, 30, "b"), instant=DAY_1)
    known = first["holder_id"].to_list()
    both = owned(record(LIST, 30, "b"), record(GROUP, 30, "a", valid_from=date(2001, 1, 1)), former=first)
    assert both["holder_id"].to_list() == known == [holder_id(COMPANY, LIST, "b")]
    alone = owned(record(GROUP, 30, "a", valid_from=date(2001, 1, 1)), former=both, instant=DAY_3)
    assert alone["holder_id"].to_list() == known  # though the record that gave it has gone


def test_two_lines_that_turn_out_to_be_one_holder_keep_the_older_id_and_make_no_event() -> None:
    before = owned(
        named(FLAGS, 30, "a", valid_from=date(2020, 1, 1)),
        named(LIST, 30, "b", holder_country="SE"),
        named(LIST, 1, "c", holder_name="Other"),
        instant=DAY_1,
    )
    other = named(FLAGS, 30, "a", valid_from=date(2020, 1, 1), holder_country="NO")
    apart = owned(other, named(LIST, 30, "b", holder_country="SE"), former=before, instant=DAY_1)
    assert apart.height == 2
    joined = owned(other, named(LIST, 30, "b", holder_country="NO"), former=apart)
    assert joined["holder_id"].to_list() == [holder_id(COMPANY, FLAGS, "a")]
    assert told(apart, joined) == []


def told(before: pl.DataFrame, after: pl.DataFrame, *unlinked: str) -> list[tuple[Any, ...]]:
    known = frame(COMPANIES, company())
    found = differences({"companies": known, "owners": before}, {"companies": known, "owners": after})
    schema = {"company_id": pl.String, "dataset": pl.String, "lost": pl.Boolean}
    linked = pl.DataFrame([(COMPANY, name, True) for name in unlinked], schema=schema, orient="row")
    occasion = EmissionContext(DAY_2, DAY_2, dict.fromkeys(PRECEDENCE, DAY_1), link_changes=linked)
    rows = ownership_events(found, whole({"companies": known, "owners": after}), occasion)
    changes = [json.loads(row.data)["change"] for row in rows]
    return [(change["previous_pct"], change["current_pct"], change["thresholds_crossed"]) for change in changes]


def test_a_line_keeps_its_id_as_long_as_a_record_of_it_is_there() -> None:
    states = [owned(record(LIST, 12, "a", valid_from=date(2020, 1, 1)), instant=DAY_1)]
    rest = record(GROUP, 12, "b")
    for records in ([record(LIST, 12, "a"), rest], [rest], [rest], [rest]):
        states.append(owned(*records, former=states[-1], instant=DAY_3))
    assert {name for state in states for name in state["holder_id"]} == {holder_id(COMPANY, LIST, "a")}
    assert told(states[2], states[4]) == []


@pytest.mark.parametrize("share", [12, 40])
@pytest.mark.parametrize(
    "records",
    [
        [named(FLAGS, 12, "a"), named(LIST, 12, "b"), named(LIST, 1, "c")],
        [named(FLAGS, 12, "a"), named(LIST, 12, "b", holder_name="Renamed AS")],
    ],
)
def test_a_line_that_is_split_makes_no_event(records: list[dict[str, Any]], share: int) -> None:
    for older in ({}, {"valid_from": date(2001, 1, 1)}):
        listed = {"pct": share, "pct_min": share, "pct_max": share} | older
        flag, other, *more = records
        before = owned(flag, named(LIST, share, "b", **older), instant=DAY_1)
        after = owned(flag, other | listed, *more, former=before)
        assert before.height == 1
        assert after["holder_id"].n_unique() == len(records)
        assert told(before, after) == []


def test_a_record_that_leaves_a_line_with_another_share_is_heard_against_what_it_said() -> None:
    before = owned(named(FLAGS, 12, "a"), named(LIST, 12, "b"), instant=DAY_1)
    after = owned(named(FLAGS, 12, "a"), named(LIST, 25, "b", holder_name="Renamed AS"), former=before)
    assert told(before, after) == [(12, 25, [20])]
    renamed = named(LIST, 12, "b", holder_name="Renamed AS")
    joined = named(GROUP, 12, "c", holder_name="Renamed AS")  # decides now, and was nobody's before
    assert told(before, owned(named(FLAGS, 12, "a"), renamed, joined, former=before)) == []


def test_a_record_that_joins_a_line_is_heard_against_what_it_said() -> None:
    other = named(LIST, 4, "b", valid_from=date(2020, 1, 1), holder_name="Old AS")
    before = owned(named(FLAGS, 30, "a"), other, instant=DAY_1)
    joined = other | {"holder_name": "Eier AS"}
    assert told(before, owned(named(FLAGS, 30, "a"), joined, former=before)) == []
    assert told(before, owned(named(FLAGS, 60, "a"), joined, former=before)) == [(30, 60, [50])]


@pytest.mark.parametrize(("before", "after"), [(100, None), (None, 100)])
def test_an_exact_share_that_is_not_known_on_one_side_crosses_nothing(before: Any, after: Any) -> None:
    first = owned(record(LIST, before), instant=DAY_1)
    assert told(first, owned(record(LIST, after), former=first)) == []


def test_a_record_that_a_link_took_from_under_a_line_makes_no_event_and_others_are_heard() -> None:
    other = record(LIST, 4, "o", holder_name="Other AS", holder_company_id=None)
    before = owned(record(FLAGS, 30, "a"), record(LIST, 5, "b"), other, instant=DAY_1)
    risen = other | {"pct": 60, "pct_min": 60, "pct_max": 60}
    after = owned(record(LIST, 5, "b"), risen, former=before)
    assert told(before, after, FLAGS) == [(4, 60, [5, 10, 20, 50])]
    # the same register, whose row of another holder a link took
    alone = owned(risen, former=before)
    assert told(before, alone, FLAGS, LIST) == [(4, 60, [5, 10, 20, 50])]


def test_a_notice_of_votes_is_heard_against_the_share_known_before() -> None:
    before = owned(record(LIST, "4.9"), instant=DAY_1)
    notice = record(FLAGS, None, "x", votes_pct="5.01", basis="exact", valid_from=date(2026, 1, 2))
    after = owned(record(LIST, "4.9"), notice, former=before)
    assert told(before, after) == [(4.9, 5.01, [5])]


def test_another_source_of_the_same_share_is_no_event() -> None:
    before = owned(record(LIST, 30), instant=DAY_1)
    after = owned(record(LIST, 30), record(GROUP, 30, "x"), former=before)
    assert told(before, after) == []


def test_markets_with_one_register_are_as_before() -> None:
    rows = [record(LIST, pct, f"p{pct}", holder_company_id=None, holder_name=f"H {pct}") for pct in (5, 6, 7)]
    found = owned(*rows)
    assert set(found["reconciliation"]) == {"single"}
    assert sorted(found["holder_id"]) == sorted(holder_id(COMPANY, LIST, f"p{pct}") for pct in (5, 6, 7))
