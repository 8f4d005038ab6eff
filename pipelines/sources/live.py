"""The live registries as an origin: the HTTP client, built from settings and closed after the run.

Does not belong here: addresses and rates of a registry (`connectors`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import dagster as dg

import connectors
from connectors.contract.dataset import HostLimit
from connectors.kit.composition import merge_limits
from connectors.kit.http.client import HttpClient, HttpSettings
from pipelines.sources.source import LiveSource

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


def registry_http(settings: IngestSettings) -> HttpClient:
    """A client that downloads below the data root. Creating it opens no connection."""
    return HttpClient(
        HttpSettings(
            user_agent=settings.user_agent,
            download_folder=settings.layout.root / "downloads",
            credentials=settings.credentials,
            rates=declared_rates(),
            shared_limiters=declared_limiters(),
        )
    )


def declared_rates() -> dict[str, float]:
    """Host -> requests per second, as the markets declare them."""
    return {limit.host: limit.per_second for limit in _declared_limits()}


def declared_limiters() -> dict[str, str]:
    """Host -> the rate limiter that it shares with other hosts, as the markets declare them."""
    return {limit.host: limit.limiter for limit in _declared_limits() if limit.limiter is not None}


def _declared_limits() -> tuple[HostLimit, ...]:
    return merge_limits(limit for market in connectors.JURISDICTIONS for limit in market.host_limits)


def live_source(settings: IngestSettings) -> dg.ResourceDefinition:
    """The origin of scheduled runs."""

    @dg.resource(description="The live registries.")
    def resource(_: dg.InitResourceContext) -> Iterator[LiveSource]:
        with registry_http(settings) as http:
            yield LiveSource(http)

    return resource
