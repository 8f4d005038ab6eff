"""The generated world as an origin: the same live fetching, sent to other addresses.

Belongs here: which addresses the sandbox stands in for, and which day the embedded one plays. Does not belong
here: the world itself (`connectors.sandbox`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

import httpx

import connectors
from connectors.kit.http import Http, HttpSettings
from connectors.kit.retry import Retry
from connectors.news import wires_fetch
from connectors.sandbox import CREDENTIALS, World, enough, serve
from pipelines.origins import Live
from pipelines.settings import Settings

FASTEST: Final = 10_000.0  # requests a second: nobody's registry is on the other side
RETRY: Final = Retry(first=0.05, longest=0.5, patience=30.0)  # nor anybody to spare
# keyed interfaces of which a dataset may have another host, and a second wire of one dataset
_OTHER_HOSTS: Final = (*CREDENTIALS, wires_fetch.OTHER_HOST)
DAYS: Final = 20
_CONTACT: Final = (
    "firm (nobody@example.org)"  # EDGAR answers nobody who names no contact, the sandbox's neither
)


@contextmanager
def live_at(base: str, settings: Settings) -> Iterator[Live]:
    """Live fetching with every registry's host answered by one server."""
    hosts = {dataset.host for country in connectors.JURISDICTIONS for dataset in country.datasets}
    asked = HttpSettings(
        user_agent=settings.user_agent if "@" in settings.user_agent else _CONTACT,
        folder=settings.layout.root / "downloads",
        bases=dict.fromkeys((*hosts, *_OTHER_HOSTS), base),
        credentials=CREDENTIALS,
        rate=FASTEST,
        retry=RETRY,
    )
    with Http(asked) as http:
        yield Live(http)


def instant_at(base: str) -> datetime:
    """The instant that a sandbox in another process plays, as its clock says; OSError where nothing answers."""
    with httpx.Client(timeout=10, trust_env=False) as client:
        try:
            return parsedate_to_datetime(client.head(f"{base}/").headers["Date"])
        except httpx.HTTPError as error:
            raise OSError(f"no sandbox answers at {base}: start one with `firm sandbox serve`") from error


@contextmanager
def embedded(
    settings: Settings, seed: int = 1, companies: int | None = None
) -> Iterator[tuple[Live, datetime]]:
    """The embedded sandbox on its next day: with that day's instant.

    Each ingest that ends well moves the data folder's world on by one.
    """
    marker = settings.layout.root / "sandbox.json"
    day = _next_day(marker)
    with serve(World(seed=seed, companies=companies or enough(DAYS), days=DAYS)) as registry:
        for _ in range(day):
            registry.advance()
        with live_at(registry.url, settings) as origin:
            yield origin, registry.now
    marker.write_text(json.dumps({"next_day": min(day + 1, DAYS - 1)}) + "\n")


def _next_day(marker: Path) -> int:
    return int(json.loads(marker.read_text())["next_day"]) if marker.exists() else 0
