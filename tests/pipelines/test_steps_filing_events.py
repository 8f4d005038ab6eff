"""Filings as events: added, updated, and what is neither."""

from __future__ import annotations

from datetime import date
from typing import Any

from tests.pipelines.eventful import data, told, world
from tests.pipelines.frames import COMPANY, filing, statement
from warehouse.schema import ids

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
