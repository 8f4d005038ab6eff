"""The generated world through the real command line and the real service: what comes out must equal the truth."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sandbox import expected as sandbox_expected
from tests.firm.conftest import Firm
from tests.firm.lived_world import lived_world

pytestmark = pytest.mark.slow
FIELDS_OF_THE_STORE = {"is_comparative"}  # known inside, not served


@pytest.fixture(scope="module")
def lived(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]], httpx.Client]]:
    """A world of three days, taken in day by day, and the service over it."""
    folder = lived_world(tmp_path_factory)
    told = json.loads((folder / "truth.json").read_text())
    with Firm(folder / "data").serving() as client:
        yield told, json.loads((folder / "reports.json").read_text()), client


def _all(client: httpx.Client, path: str, **parameters: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = client.get(path, params={"limit": "100", **parameters, **cursor})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["data"]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["next_cursor"]}
        parameters.pop("since", None)  # the cursor replaces it


def test_every_company_is_served_as_it_is(lived: Any) -> None:
    told, _, client = lived
    expected = sandbox_expected.expected_on_day(told, told["days"][-1])
    listed = {item["id"]: item for item in _all(client, "/api/v1/companies")}
    assert listed.keys() == expected.keys()
    assert listed == {company_id: state["profile"] for company_id, state in expected.items()}


def test_every_figure_equals_the_accounts(lived: Any) -> None:
    told, _, client = lived
    for company_id, state in sandbox_expected.expected_on_day(told, told["days"][-1]).items():
        served = [
            row
            for scope in ("true", "false")
            for row in _all(client, f"/api/v1/companies/{company_id}/financials", consolidated=scope)
        ]
        expected = [{k: v for k, v in row.items() if k not in FIELDS_OF_THE_STORE} for row in state["financials"]]
        by_period = {_period(row): row for row in served}
        assert by_period.keys() == {_period(row) for row in expected}, company_id
        for row in expected:
            found = by_period[_period(row)]
            assert {name: found[name] for name in row} == row, company_id


def _period(row: dict[str, Any]) -> tuple[str, str, bool]:
    """A year and its last quarter end on one day."""
    return row["period_start"], row["period_end"], row["is_consolidated"]


def test_every_owner_equals_the_register(lived: Any) -> None:
    told, _, client = lived
    for company_id, state in sandbox_expected.expected_on_day(told, told["days"][-1]).items():
        served = {
            row["holder_id"]: row
            for row in _all(client, f"/api/v1/companies/{company_id}/ownership", as_of=told["days"][-1])
        }
        expected = {row["holder_id"]: row for row in state["owners"]}
        assert served.keys() == expected.keys(), company_id
        for holder_id, row in expected.items():
            named = {name: value for name, value in row.items() if name != "native_id"}
            assert {name: served[holder_id][name] for name in named} == named, company_id


def test_every_relation_and_no_other_is_served_both_ways(lived: Any) -> None:
    """The groups of the plan, and the companies that the registers call owners: as parents, and as children."""
    told, _, client = lived
    planned = {(row["held"], row["holder_id"], row["relation"]): row for row in told["relations"] if row["is_line"]}
    companies = sandbox_expected.expected_on_day(told, told["days"][-1])
    groups = {one: client.get(f"/api/v1/companies/{one}/group", params={"limit": "100"}).json() for one in companies}
    parents = {
        (held, line["holder_id"], line["relation"]): line for held, one in groups.items() for line in one["parents"]
    }
    assert all(not one["has_more_parents"] and not one["children"]["has_more"] for one in groups.values())
    children = {
        (line["company_id"], line["holder_id"], line["relation"]): holder
        for holder, one in groups.items()
        for line in one["children"]["data"]
    }
    assert children == {key: row["company_id"] for key, row in parents.items() if row["company_id"] in companies}
    expected: dict[tuple[str, str, str], tuple[Any, ...]] = {
        key: (row["holder"], row["pct"]) for key, row in planned.items()
    }
    owners = {
        (one, row["holder_id"]): row
        for one in companies
        for row in _all(client, f"/api/v1/companies/{one}/ownership")
        if row["holder_type"] in ("company", "state", "fund")
    }
    for (held, holder_id), row in owners.items():
        if row["basis"] is not None:
            expected[held, holder_id, "shareholding"] = (row["holder_company_id"], row["pct"])
    stated = {key: row for key, row in parents.items() if key[2] != "control"}
    assert {key: (row["company_id"], row["pct"]) for key, row in stated.items()} == expected
    assert {key[:2] for key in parents.keys() - stated.keys()} <= owners.keys()


def test_groups_have_levels_an_end_and_circles(lived: Any) -> None:
    told, _, client = lived
    edges = {(row["holder"], row["held"]) for row in told["relations"] if row["is_line"]}
    [(parent, child, grandchild)] = {
        (top, middle, low) for top, middle in edges for one, low in edges if one == middle and low != top
    } - {(a, b, a) for a, b in edges}
    group = client.get(f"/api/v1/companies/{parent}/group", params={"depth": "10"}).json()
    reached = {(line["level"], line["via"], line["company_id"]) for line in group["children"]["data"]}
    assert reached == {(1, parent, held) for top, held in edges if top == parent} | {(2, child, grandchild)}
    assert {line["country"] for line in group["children"]["data"]} == {"NO", "SE"}
    below = client.get(f"/api/v1/companies/{grandchild}/group").json()
    assert [line["company_id"] for line in below["parents"]] == [child]
    assert {line["company_id"] for line in below["ultimate_parents"]} == {parent}
    circle = sorted({top for top, held in edges if (held, top) in edges})
    assert len(circle) == 2
    assert client.get(f"/api/v1/companies/{circle[0]}/group", params={"depth": "2"}).json()["circles"] == [circle]
    [joint] = {row["held"] for row in told["relations"] if row["pct"] == 50}
    halves = client.get(f"/api/v1/companies/{joint}/group").json()
    assert [line["pct"] for line in halves["parents"] if line["relation"] == "shareholding"] == [50, 50]
    assert halves["ultimate_parents"] == []


def test_events_are_exactly_the_planned_changes(lived: Any) -> None:
    told, reports, client = lived
    assert reports[0]["events"] == {}
    made: dict[str, dict[str, Any]] = {}
    for company_id in sandbox_expected.expected_on_day(told, told["days"][-1]):
        for event in _all(client, f"/api/v1/companies/{company_id}/events"):
            assert event["event_id"] not in made
            made[event["event_id"]] = event
    planned = {event["event_id"]: event for event in sandbox_expected.truth_events(told)}
    missing = [planned[key] for key in planned.keys() - made.keys()]
    extra = [made[key] for key in made.keys() - planned.keys()]
    assert (missing, extra) == ([], [])
    for event_id, event in planned.items():
        _same_core(event["data"], made[event_id]["data"], event_id)


def test_the_events_of_all_companies_are_those_of_each_also_where_they_are_filtered(lived: Any) -> None:
    told, _, client = lived
    companies = sandbox_expected.expected_on_day(told, told["days"][-1])
    of_each = [row for one in companies for row in _all(client, f"/api/v1/companies/{one}/events")]
    ledger = sorted(of_each, key=lambda row: row["sequence"])
    assert [row["sequence"] for row in ledger] == [*range(1, len(ledger) + 1)]
    profiles = {one: state["profile"] for one, state in companies.items()}
    code = next(one["sni_code"] for one in profiles.values() if one["country"] == "NO" and one["sni_code"])
    kept: dict[str, tuple[dict[str, str], Any]] = {
        "everything": ({}, lambda row, company: True),
        "type": ({"event_type": "filing.added"}, lambda row, company: row["event_type"] == "filing.added"),
        "country": ({"country": "SE,UK"}, lambda row, company: company["country"] in ("SE", "UK")),
        "listed": ({"is_listed": "true"}, lambda row, company: company["is_listed"]),
        "industry": (
            {"industry": code[:2], "country": "NO"},
            lambda row, company: company["country"] == "NO" and (company["sni_code"] or "").startswith(code[:2]),
        ),
        "since": ({"since": "5"}, lambda row, company: row["sequence"] > 5),
    }
    for name, (query, is_kept) in kept.items():
        expected = [row for row in ledger if is_kept(row, profiles[row["company_id"]])]
        assert _all(client, "/api/v1/events", **query) == expected, name


def test_every_version_of_every_period_has_its_filing(lived: Any) -> None:
    told, _, client = lived
    seen = 0
    for company_id in sandbox_expected.expected_on_day(told, told["days"][-1]):
        filings = {row["filing_id"]: row for row in _all(client, f"/api/v1/companies/{company_id}/filings")}
        listed = [one for row in filings.values() for one in row["versions"]]
        assert {one["filing_id"] for one in listed} <= filings.keys(), company_id
        for scope in ("true", "false"):
            path = f"/api/v1/companies/{company_id}/financials"
            for row in _all(client, path, consolidated=scope, include="history"):
                seen += 1
                assert row["filing_id"] in filings, (company_id, row)
    assert seen


def _same_core(expected: Any, found: Any, where: str) -> None:
    """Every member that the plan states, at any depth."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found, f"{where}: no {name}"
            _same_core(value, found[name], f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (value, other) in enumerate(zip(expected, found, strict=True)):
            _same_core(value, other, f"{where}[{place}]")
    else:
        assert found == expected, where


def test_each_day_reports_its_own_events(lived: Any) -> None:
    told, reports, _ = lived
    for day, report in zip(told["days"], reports, strict=True):
        planned: dict[str, int] = {}
        for event in sandbox_expected.truth_events(told, day):
            planned[event["event_type"]] = planned.get(event["event_type"], 0) + 1
        assert report["events"] == planned, day
        assert report["held"] == []
