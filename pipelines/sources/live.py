"""The live registries as an origin: the HTTP client, built from settings and closed after the run.

Does not belong here: addresses and rates of a registry (`connectors`).
"""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

import connectors
from connectors.kit.http.client import HttpClient, HttpSettings
from pipelines.settings import Settings
from pipelines.sources.source import LiveSource


def registry_http(settings: Settings) -> HttpClient:
    """A client that downloads below the data root. Creating it opens no connection."""
    return HttpClient(
        HttpSettings(
            user_agent=settings.user_agent,
            folder=settings.layout.root / "downloads",
            credentials=settings.credentials,
            rates=declared_rates(),
            together=declared_limiters(),
        )
    )


def declared_rates() -> dict[str, float]:
    """Host -> requests per second, as declared by datasets; the lowest if there are several."""
    declared = [
        (dataset.host, dataset.rate)
        for country in connectors.JURISDICTIONS
        for dataset in country.datasets
        if dataset.rate is not None
    ]
    return dict(sorted(declared, reverse=True))  # the lowest of a host comes last and wins


def declared_limiters() -> dict[str, str]:
    """Host -> the rate limiter that it shares with other hosts, as declared by datasets."""
    return {
        dataset.host: dataset.limiter
        for country in connectors.JURISDICTIONS
        for dataset in country.datasets
        if dataset.limiter is not None
    }


def live_source(settings: Settings) -> dg.ResourceDefinition:
    """The origin of scheduled runs."""

    @dg.resource(description="The live registries.")
    def resource(_: dg.InitResourceContext) -> Iterator[LiveSource]:
        with registry_http(settings) as http:
            yield LiveSource(http)

    return resource
