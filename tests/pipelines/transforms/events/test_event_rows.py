"""Events of status and ownership, and when nothing is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.event_rows import build_event_rows
from tests.pipelines.eventful import World, data, told, world
from tests.pipelines.frames import (
    COMPANY,
    DAY_1,
    DAY_2,
    DAY_3,
    company,
    differences,
    filing,
    holding,
    occasion,
    statement,
    whole,
)
from tests.tables import check_cases
from warehouse.schema import ids
from warehouse.schema.tables import BY_NAME

# status.changed


def test_status_changed_is_spelled_as_the_contract_says() -> None:
    before = world()
    after = world(
        companies=[
            company(
                status="dormant",
                status_detail="business_suspended",
                status_date=date(2025, 11, 17),
                registry_status="Toiminta keskeytynyt",
            )
        ]
    )
    [event] = told(before, after)
    assert event["event_id"] == ids.status_changed_id(COMPANY, "active", "dormant", date(2025, 11, 17), DAY_2)
    assert event["known_at"] == DAY_2
    assert event["data"] == (
        '{"company_id":"firm:FI:0000001-9","org_nr":"0000001-9","name":"Yhtiö Oy","country":"FI",'
        '"occurred_at":"2025-11-17T00:00:00Z",'
        '"source":{"register":"xx.register","native_id":"1","url":null,"retrieved_at":"2026-01-02T03:04:05Z"},'
        '"change":{"previous_status":"active","current_status":"dormant","effective_date":"2025-11-17",'
        '"registry_status":"Toiminta keskeytynyt","reason":"business_suspended"}}'
    )


def test_status_restore_is_an_event_of_the_day_it_was_seen() -> None:
    before = world(companies=[company(status="dissolved", status_date=date(2025, 1, 1))])
    [event] = told(before, world())
    change = data(event)["change"]
    assert (change["previous_status"], change["current_status"]) == ("dissolved", "active")
    assert (change["effective_date"], change["reason"]) == ("2026-01-02", None)


def test_transition_learned_at_another_instant_is_another_event() -> None:
    after = world(companies=[company(status="dormant", status_date=date(2025, 11, 17))], holdings=band(25, 50))
    again, later = (told(world(), after, occasion(instant)) for instant in (DAY_2, DAY_2 + timedelta(microseconds=1)))
    assert again == told(world(), after)
    assert [event["event_type"] for event in later] == ["ownership.changed", "status.changed"]
    assert {event["event_id"] for event in again}.isdisjoint(event["event_id"] for event in later)
    assert sorted(event["data"] for event in again) == sorted(event["data"] for event in later)


@pytest.mark.parametrize("unknown", ["before", "after"])
def test_a_status_that_no_register_gave_makes_no_event(unknown: str) -> None:
    before = world(companies=[company(status_source=None if unknown == "before" else "xx.register")])
    after = world(companies=[company(status="dormant", status_source=None if unknown == "after" else "xx.register")])
    assert told(before, after) == []


def test_other_changes_of_a_profile_make_no_event() -> None:
    assert told(world(), world(companies=[company(website="https://x.fi", industry_code="62200")])) == []


# ownership.changed


def moved(before: list[dict], after: list[dict]) -> list[dict[str, Any]]:
    first = world(holdings=before, instant=DAY_1)
    return [data(event)["change"] for event in told(first, world(holdings=after, before=first))]


def band(low: Any, high: Any, **values: Any) -> list[dict]:
    return [holding("p1", low, high, **values)]


def exact(pct: str, **values: Any) -> list[dict]:
    return [holding("p1", pct=pct, basis="exact", **values)]


def test_ownership_changed_is_spelled_as_the_contract_says() -> None:
    first = world(holdings=exact("8.2"), instant=DAY_1)
    after = world(holdings=exact("10.7", valid_from=date(2025, 12, 30)), before=first)
    [event] = told(first, after)
    holder = ids.holder_id(COMPANY, "xx.owners", "p1")
    assert event["data"] == (
        '{"company_id":"firm:FI:0000001-9","org_nr":"0000001-9","name":"Yhtiö Oy","country":"FI",'
        '"occurred_at":"2025-12-30T00:00:00Z",'
        '"source":{"register":"xx.owners","native_id":"p1","url":null,"retrieved_at":"2026-01-02T00:00:00Z"},'
        f'"change":{{"holder_name":"Åsa Ägare","previous_pct":8.2,"current_pct":10.7,"holder_id":"{holder}",'
        '"holder_type":"person","holder_company_id":null,"direction":"up","thresholds_crossed":[10],'
        '"basis":"exact","as_of":"2025-12-30"}}'
    )


@pytest.mark.parametrize(
    ("before", "after", "direction", "limits"),
    [
        ("4.99", "5.0", "up", [5]),
        ("5.0", "4.99", "down", [5]),
        ("4", "25", "up", [5, 10, 20]),
        ("55", "45", "down", [50]),
    ],
)
def test_exact_shares_cross(before: str, after: str, direction: str, limits: list[int]) -> None:
    [change] = moved(exact(before), exact(after))
    assert (change["direction"], change["thresholds_crossed"]) == (direction, limits)


@check_cases(
    ("before", "after"),
    [
        (exact("5"), exact("5.0000")),
        (exact("6"), exact("9")),
        (band(25, 50), band(25, 100)),
        (band(25, 100), band(50, 75)),
        (band(25, 50), exact("50")),
        ([], [holding("p1", None)]),
        ([], band(25, 50, ended_on=date(2025, 1, 1))),
        (band(25, 50), band(25, 50, holder_name="Åsa Annan")),
    ],
)
def test_what_crosses_nothing(before: list[dict], after: list[dict]) -> None:
    assert moved(before, after) == []


def test_bands_that_touch_cross_on_the_day_it_was_seen() -> None:
    [change] = moved(band(25, 50), band(50, 75))
    assert (change["previous_pct"], change["current_pct"], change["thresholds_crossed"]) == (25, 50, [50])
    assert (change["basis"], change["as_of"]) == ("band", "2026-01-02")


@pytest.mark.parametrize(("low", "high", "limits"), [(25, 50, [5, 10, 20]), (50, 75, [5, 10, 20, 50])])
def test_a_new_holder_comes_from_nothing(low: int, high: int, limits: list[int]) -> None:
    [change] = moved([], band(low, high))
    assert (change["previous_pct"], change["current_pct"]) == (0, low)
    assert (change["thresholds_crossed"], change["as_of"]) == (limits, "2020-05-01")


def test_a_holder_who_ends_goes_to_nothing_on_the_day_it_ended() -> None:
    [change] = moved(band(25, 50), band(25, 50, ended_on=date(2025, 12, 24)))
    assert (change["previous_pct"], change["current_pct"], change["as_of"]) == (25, 0, "2025-12-24")
    assert (change["direction"], change["basis"]) == ("down", "band")


def test_a_record_that_is_gone_or_says_control_only_holds_nothing() -> None:
    [gone] = moved(band(25, 50), [])
    assert (gone["current_pct"], gone["as_of"]) == (0, "2026-01-02")
    [control] = moved(band(50, 75), [holding("p1", None)])
    assert (control["current_pct"], control["as_of"], control["basis"]) == (0, "2026-01-02", "band")


def test_a_holding_that_resumes_dates_from_when_it_was_seen() -> None:
    [change] = moved(band(25, 50, ended_on=date(2025, 12, 24)), band(25, 50))
    assert (change["direction"], change["as_of"]) == ("up", "2026-01-02")


# silence


def everything(before: World | None = None) -> World:
    return world(
        companies=[company(status="dormant")],
        filings=[filing("f1")],
        statements=[statement("f1", revenue=1)],
        holdings=band(25, 50),
        before=before,
    )


def test_all_three_speak() -> None:
    kinds = [event["event_type"] for event in told(world(), everything())]
    assert sorted(kinds) == ["filing.added", "ownership.changed", "status.changed"]


def test_the_first_edition_of_a_dataset_is_silent() -> None:
    assert told(world(), everything(), occasion(baseline=DAY_2)) == []
    known_later = replace(occasion(baseline=DAY_2), known_at=DAY_3)  # of a register that is loaded after newer datasets
    assert told(world(), everything(), known_later) == []


def test_a_dataset_without_a_baseline_is_silent() -> None:
    assert told(world(), everything(), EmissionContext(DAY_2, DAY_2, {})) == []


def test_late_dataset_with_new_records_and_changed_states_announces_the_states() -> None:
    late = ("xx.accounts", "xx.owners", "xx.register")
    kinds = [event["event_type"] for event in told(world(), everything(), occasion(late=late))]
    assert sorted(kinds) == ["ownership.changed", "status.changed"]


def test_dataset_with_a_file_older_than_its_first_announces_changes_of_known_states_alone() -> None:
    kinds = [event["event_type"] for event in told(world(), everything(), occasion(DAY_2, DAY_3))]
    assert kinds == ["status.changed"]
    before, after = (world(holdings=[holding("p1", low, low + 25)]) for low in (25, 50))
    kinds = [event["event_type"] for event in told(before, after, occasion(DAY_2, DAY_3))]
    assert kinds == ["ownership.changed"]


def test_a_company_not_known_before_is_silent() -> None:
    assert told(world(companies=[]), everything(), known=[]) == []


def test_a_company_without_a_profile_is_silent() -> None:
    after = world(companies=[], filings=[filing("f1")], statements=[statement("f1", revenue=1)])
    assert told(world(companies=[]), after) == []


@pytest.mark.parametrize(("end", "count"), [(date(2024, 1, 1), 1), (date(2023, 12, 31), 0)])
def test_periods_long_before_the_baseline_are_silent(end: date, count: int) -> None:
    after = world(
        filings=[filing("f1", end)], statements=[statement("f1", end, revenue=1, period_start=date(2023, 1, 1))]
    )
    assert len(told(world(), after)) == count


def test_the_same_difference_gives_the_same_rows() -> None:
    assert told(world(), everything()) == told(world(), everything())


def test_nothing_changed_gives_a_table_without_rows() -> None:
    found = build_event_rows(differences(world(), world()), whole(world()), occasion())
    assert found.is_empty()
    assert found.columns == list(BY_NAME.get("events", found).names)  # type: ignore[attr-defined]
