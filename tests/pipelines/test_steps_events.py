from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

import polars as pl
import pytest

from pipelines.steps.changes import Occasion
from pipelines.steps.events import events
from pipelines.steps.financials import financials
from pipelines.steps.ownership import owners
from tests.pipelines.frames import (
    COMPANY,
    DAY_1,
    DAY_2,
    company,
    differences,
    filing,
    frame,
    holding,
    occasion,
    statement,
    whole,
)
from warehouse.schema import ids
from warehouse.schema.tables import (
    BY_NAME,
    COMPANIES,
    FILINGS,
    FINANCIALS,
    FINANCIALS_REPORTED,
    HOLDINGS,
    OWNERS,
)

World = dict[str, pl.DataFrame]


def world(
    *,
    companies: list[dict] | None = None,
    filings: list[dict] | None = None,
    statements: list[dict] | None = None,
    holdings: list[dict] | None = None,
    before: World | None = None,
    instant: datetime = DAY_2,
) -> World:
    """The shared tables of one state, derived ones made by the steps themselves."""
    before = before or {}
    base = {
        "companies": frame(COMPANIES, *([company()] if companies is None else companies)),
        "filings": frame(FILINGS, *(filings or [])),
    }
    reported = frame(FINANCIALS_REPORTED, *(statements or []))
    base["financials"] = financials(reported, base["filings"], before.get("financials", frame(FINANCIALS)))
    former = before.get("owners", frame(OWNERS))
    base["owners"] = owners(frame(HOLDINGS, *(holdings or [])), former, instant)
    return base


def told(
    before: World, after: World, on: Occasion | None = None, known: list[str] | None = None
) -> list[dict]:
    found = differences(before, after)
    if known is not None:
        found["companies"].known = pl.Series("company_id", known, pl.String)
    return events(found, whole(after), on or occasion()).to_dicts()


def data(event: dict[str, Any]) -> dict[str, Any]:
    return json.loads(event["data"])


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
    assert event["event_id"] == ids.status_changed_id(COMPANY, "active", "dormant", date(2025, 11, 17))
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


@pytest.mark.parametrize("unknown", ["before", "after"])
def test_a_status_that_no_register_gave_makes_no_event(unknown: str) -> None:
    before = world(companies=[company(status_source=None if unknown == "before" else "xx.register")])
    after = world(
        companies=[company(status="dormant", status_source=None if unknown == "after" else "xx.register")]
    )
    assert told(before, after) == []


def test_other_changes_of_a_profile_make_no_event() -> None:
    assert told(world(), world(companies=[company(name="Toinen Oy", industry_code="62200")])) == []


# filing.added


def test_filing_added_is_spelled_as_the_contract_says() -> None:
    after = world(
        filings=[filing("f1", filed_at=date(2026, 1, 1))],
        statements=[statement("f1", revenue=105, operating_result=26, net_result=0, employees=24)],
    )
    [event] = told(world(), after)
    assert event["event_id"] == ids.filing_added_id(COMPANY, date(2025, 1, 1), date(2025, 12, 31))
    assert event["data"] == (
        '{"company_id":"firm:FI:0000001-9","org_nr":"0000001-9","name":"Yhtiö Oy","country":"FI",'
        '"occurred_at":"2026-01-01T00:00:00Z",'
        '"source":{"register":"xx.accounts","native_id":"f1","url":null,"retrieved_at":"2026-01-02T00:00:00Z"},'
        f'"filing":{{"filing_id":"{ids.filing_id("xx.accounts", "f1")}","filing_type":"annual_report",'
        '"period":"2025","period_type":"annual","fiscal_year":2025,"fiscal_quarter":null,'
        '"period_start":"2025-01-01","period_end":"2025-12-31","filed_at":"2026-01-01","version":1,'
        '"currency":"EUR","revenue":105,"operating_result":26,"net_result":0,"equity":null,'
        '"total_assets":null,"employees":24,"is_consolidated":false,"document_url":null}}'
    )


def test_company_and_group_accounts_together_are_one_event_of_the_group() -> None:
    after = world(
        filings=[filing("f1"), filing("f2")],
        statements=[statement("f1", revenue=1), statement("f2", revenue=9, is_consolidated=True)],
    )
    [event] = told(world(), after)
    assert (data(event)["filing"]["revenue"], data(event)["filing"]["is_consolidated"]) == (9, True)


def test_group_accounts_after_the_companys_are_no_second_event() -> None:
    before = world(filings=[filing("f1")], statements=[statement("f1", revenue=1)])
    after = world(
        filings=[filing("f1"), filing("f2")],
        statements=[statement("f1", revenue=1), statement("f2", revenue=9, is_consolidated=True)],
        before=before,
    )
    assert told(before, after) == []


def test_a_document_without_figures_is_an_event_too() -> None:
    half = filing("f1", date(2025, 6, 30), filing_type="interim_report")
    [event] = told(world(), world(filings=[half]))
    told_of = data(event)["filing"]
    assert (told_of["period"], told_of["period_type"], told_of["revenue"]) == (None, None, None)
    assert (told_of["fiscal_year"], told_of["is_consolidated"], told_of["version"]) == (2025, None, 1)


def test_comparatives_are_no_event_and_do_not_stand_for_a_document() -> None:
    prior = date(2024, 12, 31)
    before = world(
        filings=[filing("f2")],
        statements=[statement("f2", revenue=2), statement("f2", prior, revenue=1, is_comparative=True)],
    )
    after = world(
        filings=[filing("f2"), filing("f1", prior)],
        statements=[
            statement("f2", revenue=2),
            statement("f2", prior, revenue=1, is_comparative=True),
            statement("f1", prior, revenue=1),
        ],
        before=before,
    )
    assert len(told(world(), before)) == 1
    [event] = told(before, after)
    assert data(event)["filing"]["period_end"] == "2024-12-31"


# filing.updated


def updated(**later: Any) -> list[dict]:
    before = world(filings=[filing("f1")], statements=[statement("f1", revenue=100, equity=7)])
    new = {name: later.pop(name) for name in ("is_amendment",) if name in later}
    after = world(
        filings=[filing("f1"), filing("f2", **new)],
        statements=[
            statement("f1", revenue=100, equity=7),
            statement("f2", **{"revenue": 100, "equity": 7} | later),
        ],
        before=before,
    )
    return told(before, after)


def test_filing_updated_names_the_fields_and_the_version() -> None:
    [event] = updated(revenue=90)
    assert event["event_type"] == "filing.updated"
    assert event["event_id"] == ids.filing_updated_id(COMPANY, date(2025, 1, 1), date(2025, 12, 31), "f2")
    told_of = data(event)["filing"]
    assert list(told_of)[-4:] == ["document_url", "previous_version", "reason", "changed_fields"]
    assert (told_of["version"], told_of["previous_version"]) == (2, 1)
    assert told_of["reason"] == "restatement"
    assert told_of["changed_fields"] == [{"field": "revenue", "previous": 100, "current": 90}]


def test_filing_updated_only_when_changed() -> None:
    assert updated() == []
    assert updated(is_amendment=True) == []


def test_an_amendment_says_so() -> None:
    [event] = updated(revenue=90, is_amendment=True)
    assert data(event)["filing"]["reason"] == "amendment"


def test_another_currency_is_a_changed_field() -> None:
    [event] = updated(currency="SEK")
    assert data(event)["filing"]["changed_fields"] == [
        {"field": "currency", "previous": "EUR", "current": "SEK"}
    ]


def test_other_figures_under_one_document_are_a_correction_each_time() -> None:
    states = [world(filings=[filing("f1")], statements=[statement("f1", revenue=100)])]
    found = []
    for revenue, raw in ((90, "cd"), (80, "ef")):
        states.append(
            world(
                filings=[filing("f1", raw=raw)],
                statements=[statement("f1", revenue=revenue, raw=raw)],
                before=states[-1],
            )
        )
        found += told(states[-2], states[-1])
    assert [data(event)["filing"]["reason"] for event in found] == ["correction", "correction"]
    assert [data(event)["filing"]["version"] for event in found] == [2, 3]
    assert len({event["event_id"] for event in found}) == 2


def test_an_older_document_that_comes_late_is_silent() -> None:
    newer = {"filed_at": date(2026, 6, 1)}
    before = world(filings=[filing("f2", **newer)], statements=[statement("f2", revenue=2)])
    after = world(
        filings=[filing("f1", filed_at=date(2026, 3, 1)), filing("f2", **newer)],
        statements=[statement("f1", revenue=1), statement("f2", revenue=2)],
        before=before,
    )
    assert after["financials"]["revenue"].to_list() == [1, 2]
    assert told(before, after) == []


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


@pytest.mark.parametrize(
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


def test_a_dataset_without_a_baseline_is_silent() -> None:
    assert told(world(), everything(), Occasion(DAY_2, {})) == []


def test_a_late_dataset_is_silent_and_the_others_speak() -> None:
    kinds = [event["event_type"] for event in told(world(), everything(), occasion(late=("xx.owners",)))]
    assert sorted(kinds) == ["filing.added", "status.changed"]


def test_a_company_not_known_before_is_silent() -> None:
    assert told(world(companies=[]), everything(), known=[]) == []


def test_a_company_without_a_profile_is_silent() -> None:
    after = world(companies=[], filings=[filing("f1")], statements=[statement("f1", revenue=1)])
    assert told(world(companies=[]), after) == []


@pytest.mark.parametrize(("end", "count"), [(date(2024, 1, 1), 1), (date(2023, 12, 31), 0)])
def test_periods_long_before_the_baseline_are_silent(end: date, count: int) -> None:
    after = world(
        filings=[filing("f1", end)],
        statements=[statement("f1", end, revenue=1, period_start=date(2023, 1, 1))],
    )
    assert len(told(world(), after)) == count


def test_the_same_difference_gives_the_same_rows() -> None:
    assert told(world(), everything()) == told(world(), everything())


def test_nothing_changed_gives_a_table_without_rows() -> None:
    found = events(differences(world(), world()), whole(world()), occasion())
    assert found.is_empty()
    assert found.columns == list(BY_NAME.get("events", found).names)  # type: ignore[attr-defined]
