"""A running service over a small world, as those have it who send requests by hand: keys, an endpoint, a delivery.

Does not belong here: what is sent (`clients`, `programs`) and what must hold of it (the tests).
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.api.fixtures.release_data import OWNERS_OF_WORLD, PERIODS, SE, WORLD, World, event, make_world, period
from tests.firm.hooked import Hooked, Received, receiver
from tests.firm.inside import Inside

EVENTS = 10
PATIENCE = 60
AMPLE = "".join(
    f"[tiers.{tier}]\nburst_per_second = 100000\nburst_capacity = 100000\n" for tier in ("basic", "business")
)


@dataclass
class Taken(Received):
    """An endpoint that takes everything, and leaves the newest test in a folder."""

    folder: Path = field(default_factory=Path)

    def take(self, headers: Any, body: bytes) -> int:
        if json.loads(body)["data"].get("test"):
            (self.folder / "body.json").write_bytes(body)
            (self.folder / "signature.txt").write_text(headers["X-Service-Signature"])
        return 204


@dataclass(frozen=True)
class Live:
    """The service, a key of a tier with webhooks and one of a tier without, and where deliveries may go."""

    client: httpx.Client
    key: str
    basic_key: str
    endpoint: Taken
    world: World

    @property
    def base(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def get(self, path: str, **parameters: str | int) -> Any:
        answer = self.client.get(f"/api/v1/{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def delivered(self) -> dict[str, Any]:
        """A delivery that succeeded, to a subscription that was made for it."""
        wanted = {"endpoint_url": self.endpoint.url, "event_types": ["status.changed"]}
        made = self.client.post("/api/v1/webhooks", json=wanted)
        assert made.status_code == 201, made.text
        number = len(self.get(f"companies/{SE}/events", limit=100)["data"])
        self.world.publish(events=[event(SE, number)])
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for one in self.get(f"webhooks/{made.json()['id']}/deliveries")["data"]:
                if one["status"] == "succeeded":
                    return one
            time.sleep(0.1)
        raise AssertionError("nothing was delivered")


@contextmanager
def live(folder: Path) -> Iterator[Live]:
    tiers = folder / "ample.toml"
    tiers.write_text(AMPLE)
    firm = Hooked(folder / "data", (("FIRM_TIERS", str(tiers)),))
    world = make_world(firm.data)
    periods = [*PERIODS, *(period(SE, year) for year in range(2020, 2025))]
    world.publish(WORLD, periods, OWNERS_OF_WORLD, [event(SE, number) for number in range(EVENTS)])
    with receiver(Taken(folder=folder)) as endpoint, firm.serving() as client:
        assert isinstance(endpoint, Taken)
        key = client.headers["Authorization"].removeprefix("Bearer ")
        yield Live(client, key, _basic_key(Inside(firm.data)), endpoint, world)


def _basic_key(inside: Inside) -> str:
    account = "basic@example.com"
    assert inside.run("accounts", "create", "--email", account, "--tier", "basic").exit_code == 0
    return inside.run("keys", "create", "--account", account, "--kind", "live", "--json").report["key"]
