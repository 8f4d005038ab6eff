"""Denmark with the preview on: the routes, lists, events, webhooks and files of a served market."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.firm.inside import Inside, planned, profiles_on
from tests.sandbox.dk.previewed.conftest import DAYS, WORLD, Lived
from warehouse.schema.codes import EVENT_TYPES


@pytest.fixture(scope="module")
def profile(lived: Lived) -> dict[str, Any]:
    """A company that nothing has happened to."""
    quiet = next(iter(WORLD.quiet("DK")))
    return profiles_on(lived.told, DAYS - 1)[quiet.company_id]


def test_the_market_is_listed_as_served(lived: Lived) -> None:
    states = {one["market"]: one["state"] for one in lived.client.get("/api/v1/markets").json()["data"]}
    assert states["DK"] == states["NO"] == "served"


def test_a_company_is_reached_by_its_full_id_and_in_its_market(lived: Lived, profile: dict[str, Any]) -> None:
    number, identity = profile["org_number"], profile["id"]
    for path in (f"companies/{identity}", f"dk/companies/{number}"):
        answer = lived.client.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.json()) == (200, profile), path
    bare = lived.client.get(f"/api/v1/companies/{number}")
    assert (bare.status_code, bare.json()["code"]) == (404, "company_not_found")  # eight digits are a British number
    wrong = lived.client.get(f"/api/v1/dk/companies/{int(number) + 1:08}").json()
    assert (wrong["code"], wrong["reason"]) == ("company_not_found", "check_digit_mismatch")


def test_details_say_what_the_register_says(lived: Lived, profile: dict[str, Any]) -> None:
    path = f"/api/v1/companies/{profile['id']}?include=detail,address,sources,identifiers"
    whole = lived.client.get(path).json()
    company = WORLD.find("DK", profile["org_number"], 0)
    assert company is not None
    assert company.place is not None
    assert whole["legal_form_code"] == company.form
    assert whole["industry_scheme"] == "DB25"
    assert whole["employees"] == company.employees
    assert whole["address"]["postal_code"] == company.place.postcode
    assert whole["address"]["lines"] == [company.street]
    [register] = [one for one in whole["sources"] if one["register"] == "dk.virksomhed"]
    assert register["native_id"] == company.number
    assert ("no unsolicited advertising" in register["licence"]) is company.danish.is_protected


def test_searches_find_it(lived: Lived, profile: dict[str, Any]) -> None:
    found = lived.all("/api/v1/companies", country="DK", q=profile["name"])
    assert profile in found
    lookup = lived.client.post(
        "/api/v1/companies/lookup",
        json={"items": [{"number": profile["org_number"], "country": "DK"}, {"vat": f"DK{profile['org_number']}"}]},
    )
    assert lookup.status_code == 200, lookup.text
    assert [one["match"] for one in lookup.json()["data"]] == ["exact", "exact"]
    assert [one["company"] for one in lookup.json()["data"]] == [profile, profile]
    suggested = lived.client.get("/api/v1/companies/suggest", params={"q": profile["name"], "country": "DK"})
    assert suggested.status_code == 200, suggested.text
    assert profile["id"] in {one["id"] for one in suggested.json()["data"]}


def test_events_of_the_market_are_those_of_its_companies(lived: Lived) -> None:
    listed = lived.all("/api/v1/events", country="DK")
    assert {one["event_id"] for one in listed} == {one["event_id"] for one in planned(lived.told, 1, 2).values()}
    assert {one["event_type"] for one in listed} == set(EVENT_TYPES)
    assert lived.all("/api/v1/events", country="NO") == []
    one = next(event for event in listed if event["event_type"] == "status.changed")
    own = lived.all(f"/api/v1/companies/{one['data']['company_id']}/events")
    assert one["event_id"] in {event["event_id"] for event in own}


def test_webhooks_deliver_every_event_of_a_day_once(lived: Lived) -> None:
    due = {event["event_id"] for event in planned(lived.told, DAYS - 1).values()}
    assert lived.received.events.keys() == due
    assert lived.received.refused == []
    assert {one["event_type"] for times in lived.received.events.values() for one in times} == set(EVENT_TYPES)


def test_exports_hold_the_market(lived: Lived, profile: dict[str, Any], tmp_path: Path) -> None:
    files = lived.all("/api/v1/exports", market="DK", table="companies", format="ndjson")
    [listed] = [one for one in files if one["part"] == "rows"]
    states = profiles_on(lived.told, DAYS - 1)
    assert listed["rows"] == len(states)
    body = lived.client.get(listed["url"]).content
    if listed["compression"] == "gzip" and body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    rows = {row["id"]: row for row in map(json.loads, body.splitlines())}
    assert rows == states
    assert profile["id"] in rows


def test_the_sandbox_of_the_command_line_plays_the_market_too(lived: Lived, tmp_path: Path) -> None:
    said = lived.inside.run("sandbox", "write", tmp_path / "days", "--days", "1", "--companies", "360")
    assert said.exit_code == 0, said.err
    assert (tmp_path / "days" / "2026-11-02" / "dk" / "cvr_virksomhed").is_dir()


def test_a_file_of_a_day_that_comes_again_changes_nothing(lived: Lived, tmp_path: Path) -> None:
    again = lived.inside.copy(tmp_path / "data")
    folder = lived.inside.data.parent / "days" / lived.told["days"][-1]
    report = again.ingest(folder, "--at", "2026-11-05T09:00:00").report
    assert report["events"] == {}
    assert again.events() == lived.events[-1]
    assert again.profiles(lived.told) == lived.profiles[-1]
    assert isinstance(again, Inside)
