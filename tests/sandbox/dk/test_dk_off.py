"""Denmark with the preview off: a folder that has its files is taken in and served as if it had none."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox import World, minimum_companies, write_days
from tests.firm.hooked import Hooked
from tests.firm.inside import Inside, of_market, planned, profiles_on

pytestmark = pytest.mark.slow
WORLD = World(seed=17, companies=2 * minimum_companies("DK", 2), days=2, markets=("NO", "DK"), press=("NO", "DK"))
NUMBER = next(iter(WORLD.quiet("DK"))).number
UNSERVED = "the market is announced, not served yet: its files are not read"


@dataclass(frozen=True)
class Lived:
    """Two days of Norway and Denmark, of which Norway alone is served."""

    told: dict[str, Any]
    first_day: Path
    inside: Inside
    reports: list[dict[str, Any]]
    client: httpx.Client


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    folder = tmp_path_factory.mktemp("off")
    days = write_days(WORLD, folder / "days")
    told = json.loads((folder / "days" / "truth.json").read_text(encoding="utf-8"))
    inside = Inside(folder / "data")
    reports = [inside.ingest(day).report for day in days]
    inside.run("export", "--json")
    with Hooked(folder / "data").serving() as client:
        yield Lived(told, days[0], inside, reports, client)


def test_its_files_are_listed_with_the_reason_and_nothing_of_them_is_known(lived: Lived) -> None:
    for report in lived.reports:
        assert [row["dataset"] for row in report["datasets"] if row["dataset"].startswith("dk.")] == []
    asked = lived.inside.ingest(lived.first_day, "dk").report
    assert (asked["release"], asked["datasets"]) == (None, [])
    assert {file["reason"] for file in asked["files"]} == {UNSERVED}
    assert lived.inside.profiles(lived.told) == of_market("NO", profiles_on(lived.told, 1))
    norwegian = {key for key, event in planned(lived.told, 1).items() if event["company_id"].startswith("firm:NO:")}
    assert lived.inside.events() == norwegian
    assert norwegian < planned(lived.told, 1).keys()


def test_its_routes_say_that_it_is_announced(lived: Lived) -> None:
    states = {one["market"]: one["state"] for one in lived.client.get("/api/v1/markets").json()["data"]}
    assert (states["DK"], states["NO"]) == ("announced", "served")
    for path in (f"companies/firm:DK:{NUMBER}", f"dk/companies/{NUMBER}", f"companies/firm:DK:{NUMBER}/group"):
        answer = lived.client.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "market_not_available"), path
    for path in ("companies", "events", "exports?market=DK", "companies/suggest?q=x"):
        query = "" if "market=" in path else "country=DK"
        answer = lived.client.get(f"/api/v1/{path}{'&' if '?' in path else '?'}{query}".rstrip("?&"))
        assert (answer.status_code, answer.json()["code"]) == (400, "market_not_available"), path


def test_lists_files_and_events_are_those_of_the_other_market(lived: Lived) -> None:
    def markets(path: str, name: str) -> set[str]:
        answer = lived.client.get(f"/api/v1/{path}", params={"limit": "100"})
        assert answer.status_code == 200, answer.text
        return {one[name].removeprefix("firm:")[:2] for one in answer.json()["data"]}

    assert markets("companies", "id") == {"NO"}
    assert markets("events", "company_id") == {"NO"}
    assert "DK" not in markets("exports", "market")


def test_a_subscription_may_name_its_companies_already(lived: Lived) -> None:
    wanted = {
        "endpoint_url": "http://127.0.0.1:9/events",
        "event_types": ["status.changed"],
        "entity_ids": [f"firm:DK:{NUMBER}"],
    }
    made = lived.client.post("/api/v1/webhooks", json=wanted)
    assert made.status_code == 201, made.text
    assert made.json()["entity_ids"] == [f"firm:DK:{NUMBER}"]
