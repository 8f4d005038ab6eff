"""The sandbox as an HTTP origin: live fetching with every host replaced by the sandbox's.

Belongs here: which hosts the sandbox replaces, and which day the embedded one plays. Does not belong here: the
generated world itself (`sandbox`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

import connectors
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.rate_limit import FetchClock
from connectors.kit.http.retry import RetryPolicy
from connectors.news.wires import fetch as wires_fetch
from pipelines.sources.source import LiveSource
from sandbox import CREDENTIALS, MARKETS, PREVIEWS, World, serve, sufficient_companies
from warehouse.schema.codes import SERVED

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings

FASTEST: Final = 10_000.0  # requests per second: no real registry is involved
# short waits for the same reason
RETRY: Final = RetryPolicy(first=0.05, longest=0.5, max_total_seconds=30.0, outage_share=0.001)
# API hosts with credentials that differ from their dataset's host, and a dataset's second news wire
_OTHER_HOSTS: Final = (*CREDENTIALS, wires_fetch.OTHER_HOST)
DAYS: Final = 20
_CONTACT: Final = "firm (nobody@example.org)"  # EDGAR rejects requests without a contact, and so does the sandbox


class SandboxSource(LiveSource):
    """The sandbox in place of the registries: several processes may ask it, each with a client of its own."""

    @property
    def is_shareable(self) -> bool:
        return True

    def __reduce__(self) -> tuple[Callable[[HttpSettings], SandboxSource], tuple[HttpSettings]]:
        """How it gets into another process: by its settings, from which that one opens its client."""
        return _open_source, (self.http.settings,)


def _open_source(settings: HttpSettings) -> SandboxSource:
    return SandboxSource(HttpClient(settings))


@contextmanager
def sandbox_source(base: str, settings: IngestSettings, clock: FetchClock | None = None) -> Iterator[LiveSource]:
    """Live fetching with every registry's host mapped to one server. clock: of fetches by date; None: the system's."""
    hosts = {dataset.host for country in connectors.JURISDICTIONS for dataset in country.datasets}
    asked = HttpSettings(
        user_agent=settings.user_agent if "@" in settings.user_agent else _CONTACT,
        download_folder=settings.layout.root / "downloads",
        base_urls=dict.fromkeys((*hosts, *_OTHER_HOSTS), base),
        credentials=CREDENTIALS,
        default_rate=FASTEST,
        retry_policy=RETRY,
    )
    with HttpClient(asked, clock) as http:
        yield SandboxSource(http) if clock is None else LiveSource(http)  # a clock stays in its process


def sandbox_instant(base: str) -> datetime:
    """The simulated time of a sandbox in another process, from its Date header; OSError if unreachable."""
    with httpx.Client(timeout=10, trust_env=False) as client:
        try:
            return parsedate_to_datetime(client.head(f"{base}/").headers["Date"])
        except httpx.HTTPError as error:
            raise OSError(f"no sandbox responds at {base}: start one with `firm sandbox serve`") from error


def played_markets() -> tuple[str, ...]:
    """The markets of a generated world: those that are served, one in preview only where the preview is on."""
    return tuple(code for code in (*MARKETS, *PREVIEWS) if code in SERVED)


@contextmanager
def embedded_sandbox(
    settings: IngestSettings, seed: int = 1, companies: int | None = None
) -> Iterator[tuple[LiveSource, datetime]]:
    """Runs the embedded sandbox on its next day; yields the origin and that day's instant.

    Each ingest that succeeds advances the data folder's world by one day.
    """
    marker = settings.layout.root / "sandbox.json"
    day = _next_day(marker)
    markets = played_markets()
    size = companies or sufficient_companies(DAYS, markets)
    with serve(World(seed=seed, companies=size, days=DAYS, markets=markets)) as registry:
        for _ in range(day):
            registry.advance()
        with sandbox_source(registry.url, settings) as origin:
            yield origin, registry.now
    marker.write_text(json.dumps({"next_day": min(day + 1, DAYS - 1)}) + "\n")


def _next_day(marker: Path) -> int:
    return int(json.loads(marker.read_text())["next_day"]) if marker.exists() else 0
