"""Filings as events: added, updated, and what is neither."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.pipelines.eventful import data, told, world
from tests.pipelines.frames import COMPANY, filing, statement
from tests.tables import check_cases
from warehouse.schema import ids

END = date(2025, 12, 31)

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


@check_cases("name", [f"f{place}" for place in range(6)])
def test_of_two_documents_without_figures_the_one_filed_first_is_announced(name: str) -> None:
    first = filing(name, filed_at=date(2026, 1, 1))
    amended = filing(f"{name}a", filed_at=date(2026, 1, 2), is_amendment=True)
    again = filing(f"{name}b", filed_at=date(2026, 1, 2))
    for documents in ([amended, first], [again, first], [amended, filing(name)]):
        [event] = told(world(), world(filings=documents))
        assert data(event)["filing"]["filing_id"] == first["filing_id"]


def test_quarter_of_a_document_without_figures_counts_from_the_companys_own_year_end() -> None:
    year = filing("y", date(2025, 4, 30), period_start=date(2024, 5, 1))
    quarter = filing("q", date(2025, 7, 31), period_start=date(2025, 5, 1), filing_type="interim_report")
    before = world(filings=[year])
    [event] = told(before, world(filings=[year, quarter], before=before))
    assert (data(event)["filing"]["period"], data(event)["filing"]["fiscal_quarter"]) == ("2025-Q1", 1)


# filing.updated


def updated(**later: Any) -> list[dict]:
    before = world(filings=[filing("f1")], statements=[statement("f1", revenue=100, equity=7)])
    new = {name: later.pop(name) for name in ("is_amendment",) if name in later}
    values: dict[str, Any] = {"revenue": 100, "equity": 7} | later
    after = world(
        filings=[filing("f1"), filing("f2", **new)],
        statements=[statement("f1", revenue=100, equity=7), statement("f2", **values)],
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


def test_company_and_group_accounts_changed_by_one_document_are_one_event_of_the_group() -> None:
    def of(native: str, company: int, group: int) -> list[dict[str, Any]]:
        return [statement(native, revenue=company), statement(native, revenue=group, is_consolidated=True)]

    before = world(filings=[filing("f1")], statements=of("f1", 100, 1000))
    for company, group, due in ((90, 900, (True, 900)), (90, 1000, (False, 90)), (100, 900, (True, 900))):
        statements = [*of("f1", 100, 1000), *of("f2", company, group)]
        [event] = told(before, world(filings=[filing("f1"), filing("f2")], statements=statements, before=before))
        assert (data(event)["filing"]["is_consolidated"], data(event)["filing"]["revenue"]) == due


@check_cases("name", [f"f{place}" for place in range(6)])
def test_versions_filed_on_one_day_are_announced_in_their_order(name: str) -> None:
    natives = [f"{name}{letter}" for letter in "abc"]
    after = world(
        filings=[filing(native, filed_at=date(2026, 1, 1)) for native in natives],
        statements=[statement(native, revenue=place) for place, native in enumerate(natives)],
    )
    found = told(world(), after)
    assert [(event["event_type"], data(event)["filing"]["version"]) for event in found] == [
        ("filing.added", 1),
        ("filing.updated", 2),
        ("filing.updated", 3),
    ]
    assert {data(event)["occurred_at"] for event in found} == {"2026-01-01T00:00:00Z"}


def test_another_currency_is_a_changed_field() -> None:
    [event] = updated(currency="SEK")
    assert data(event)["filing"]["changed_fields"] == [{"field": "currency", "previous": "EUR", "current": "SEK"}]


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


# documents of an unknown period


def undated(native: str, filed_at: date | None = date(2026, 1, 1)) -> dict[str, Any]:
    return filing(native) | {"period_start": None, "period_end": None, "filed_at": filed_at}


def test_a_document_of_an_unknown_period_is_told_with_what_is_known() -> None:
    [event] = told(world(), world(filings=[undated("f1")]))
    told_of = data(event)["filing"]
    assert (told_of["period_start"], told_of["period_end"], told_of["fiscal_year"]) == (None, None, None)
    assert (told_of["filed_at"], told_of["version"]) == ("2026-01-01", 1)
    assert event["event_id"] == ids.filing_added_id(COMPANY, None, None, ids.filing_id("xx.accounts", "f1"))


def test_each_document_of_an_unknown_period_is_told_once() -> None:
    first = world(filings=[undated("f1")])
    both = world(filings=[undated("f1"), undated("f2"), undated("f3")], before=first)
    assert {data(event)["source"]["native_id"] for event in told(first, both)} == {"f2", "f3"}
    assert told(both, world(filings=[undated("f1"), undated("f2"), undated("f3")], before=both)) == []


def test_a_document_of_an_unknown_period_is_as_old_as_its_filing() -> None:
    assert told(world(), world(filings=[undated("f1", date(2020, 1, 1))])) == []
    assert told(world(), world(filings=[undated("f1", None)])) == []


def test_a_known_period_is_told_beside_an_unknown_one() -> None:
    before = world(filings=[undated("f1")])
    [event] = told(before, world(filings=[undated("f1"), filing("f2")], before=before))
    assert data(event)["filing"]["period_end"] == "2025-12-31"


# one filing that several sources tell of


def test_fuller_accounts_of_another_register_restate_nothing() -> None:
    esef = filing("e1", register="xx.owners")
    before = world(filings=[esef], statements=[statement("e1", register="xx.owners", revenue=1000)])
    for revenue, count in ((1000, 0), (900, 1)):
        after = world(
            filings=[esef, filing("r1", filed_at=date(2026, 1, 2))],
            statements=[
                statement("e1", register="xx.owners", revenue=1000),
                statement("r1", revenue=revenue, employees=24),
            ],
            before=before,
        )
        assert after["financials"]["employees"].to_list() == [None, 24]  # served all the same
        assert [event["event_type"] for event in told(before, after)] == ["filing.updated"] * count


def test_a_figure_more_by_the_same_register_is_told() -> None:
    [event] = updated(employees=24)
    assert data(event)["filing"]["changed_fields"][0]["field"] == "employees"


@pytest.mark.parametrize(("day", "count"), [(8, 0), (9, 1)])
def test_an_announcement_without_a_period_stands_for_the_document_of_its_days(day: int, count: int) -> None:
    before = world(filings=[undated("n1")])
    after = world(filings=[undated("n1"), filing("r1", filed_at=date(2026, 1, day))], before=before)
    assert len(told(before, after)) == count
    replaced = world(filings=[filing("r1", filed_at=date(2026, 1, day))], before=before)
    assert len(told(before, replaced)) == count


def test_an_announcement_and_its_document_in_one_go_are_told_once_with_the_period() -> None:
    [event] = told(world(), world(filings=[undated("n1"), filing("r1", filed_at=date(2026, 1, 1))]))
    assert data(event)["filing"]["period_end"] == "2025-12-31"


def test_an_announcement_after_its_document_is_no_second_event() -> None:
    document = filing("r1", filed_at=date(2026, 1, 1))
    before = world(filings=[document])
    assert told(before, world(filings=[document, undated("n1")], before=before)) == []


def test_one_announcement_stands_for_one_document_of_its_kind() -> None:
    before = world(filings=[undated("n1")])
    years = [filing(f"r{end.year}", end, filed_at=date(2026, 1, 2)) for end in (date(2024, 12, 31), END)]
    assert len(told(before, world(filings=[undated("n1"), *years], before=before))) == 1
    half = filing("h", date(2025, 6, 30), filing_type="interim_report", filed_at=date(2026, 1, 2))
    assert len(told(before, world(filings=[undated("n1"), half], before=before))) == 1


@pytest.mark.parametrize("start", [date(2025, 3, 14), None])
def test_a_year_that_another_register_begins_on_another_day_is_one(start: date | None) -> None:
    first, other = filing("n2", register="xx.owners"), filing("r2", period_start=start)
    before = world(filings=[first])
    assert told(before, world(filings=[first, other], before=before)) == []
    assert len(told(world(), world(filings=[first, other]))) == 1
    again = filing("n3", register="xx.owners", period_start=date(2025, 3, 14))
    assert len(told(before, world(filings=[first, again], before=before))) == 1
