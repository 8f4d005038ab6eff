"""A Danish world taken in day by day and served, in a process for which the market is a served one.

The markets are read when the program starts, so these tests are run by `test_dk_preview`, in a process of their own with
FIRM_PREVIEW_MARKETS. The last day comes while the service runs, and is delivered.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox import World, minimum_companies, write_days
from tests.firm.conftest import of_release
from tests.firm.hooked import Hooked, Received, receiver, until
from tests.firm.inside import Inside, Told, planned
from warehouse.schema.codes import EVENT_TYPES

DAYS = 3
WORLD = World(seed=23, companies=minimum_companies("DK", DAYS) + 30, days=DAYS, markets=("DK",), press=("DK",))
PREVIEW = ("FIRM_PREVIEW_MARKETS", "dk")


@dataclass(frozen=True)
class Lived:
    """What each day said, made and served; the service after the last day, and what it delivered of that day."""

    told: Told
    days: Path
    inside: Inside
    reports: list[dict[str, Any]]
    events: list[set[str]]
    profiles: list[dict[str, Any]]
    client: httpx.Client
    received: Received
    exported: dict[str, Any]

    def all(self, path: str, **parameters: str) -> list[dict[str, Any]]:
        """Every page of a list."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            answer = self.client.get(path, params={"limit": "100", **parameters, **cursor})
            assert answer.status_code == 200, answer.text
            found += answer.json()["data"]
            if not answer.json()["has_more"]:
                return found
            cursor = {"cursor": answer.json()["next_cursor"]}
            parameters.pop("since", None)  # the cursor replaces it


def read_truth(folder: Path) -> Told:
    """The truth beside the days of a world."""
    return json.loads((folder / "truth.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def lived() -> Iterator[Lived]:
    folder = Path(os.environ["DENMARK_FOLDER"])
    days = write_days(WORLD, folder / "days")
    told = read_truth(folder / "days")
    firm, inside = Hooked(folder / "data", more=(PREVIEW,)), Inside(folder / "data")
    reports: list[dict[str, Any]] = []
    events: list[set[str]] = []
    profiles: list[dict[str, Any]] = []

    def take_in(day: Path) -> None:
        reports.append(inside.ingest(day).report)
        events.append(inside.events())
        profiles.append(inside.profiles(told))

    take_in(days[0])
    take_in(days[1])
    with firm.serving() as client, receiver() as received:
        wanted = {"endpoint_url": received.url, "event_types": EVENT_TYPES, "filters": {"countries": ["DK"]}}
        made = client.post("/api/v1/webhooks", json=wanted)
        assert made.status_code == 201, made.text
        received.secret = made.json()["secret"]
        take_in(days[2])
        of_release(client, str(reports[-1]["release"]))
        due = {event["event_id"] for event in planned(told, DAYS - 1).values()}
        until(lambda: len(received.events) >= len(due), "the events of the last day")
        exported = inside.run("export", "--json").report
        yield Lived(told, folder / "days", inside, reports, events, profiles, client, received, exported)
