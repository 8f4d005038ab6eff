"""The registries as an origin: the HTTP client of live fetching, made from settings, closed after the run.

Does not belong here: addresses and rates of a registry (`connectors`).
"""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from connectors.kit.http import Http, HttpSettings
from pipelines.origins import Live
from pipelines.settings import Settings


def registry_http(settings: Settings) -> Http:
    """A client that downloads below the data root. Making it opens no connection."""
    return Http(
        HttpSettings(
            user_agent=settings.user_agent,
            folder=settings.layout.root / "downloads",
            credentials=settings.credentials,
        )
    )


def live_origin(settings: Settings) -> dg.ResourceDefinition:
    """The origin of scheduled runs."""

    @dg.resource(description="The registries themselves.")
    def resource(_: dg.InitResourceContext) -> Iterator[Live]:
        with registry_http(settings) as http:
            yield Live(http)

    return resource
