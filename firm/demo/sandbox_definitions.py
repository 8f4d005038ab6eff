"""The code location of `firm dagster --sandbox`: that of `firm.definitions`, with runs that fetch from a sandbox.

Schedules and batches have the real clock; fetches by date ask for days of the sandbox. Does not belong here: which
hosts the sandbox replaces (`firm.demo.sandbox_origin`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import dagster as dg

from connectors.kit.http.rate_limit import FetchClock
from firm.demo.sandbox_origin import sandbox_instant, sandbox_source
from firm.demo.settings import SandboxSettings
from firm.erasure import finish_erasures
from pipelines.definitions_builder import build_defs
from pipelines.settings import IngestSettings
from pipelines.sources.source import LiveSource


def sandbox_resource(base: str, settings: IngestSettings) -> dg.ResourceDefinition:
    """The origin of runs: the sandbox at an address."""

    @dg.resource(description=f"The sandbox's registries at {base}.")
    def resource(_: dg.InitResourceContext) -> Iterator[LiveSource]:
        with sandbox_source(base, settings, FetchClock(lambda: sandbox_instant(base))) as source:
            yield source

    return resource


_SETTINGS = IngestSettings.read(os.environ)
defs = build_defs(
    _SETTINGS,
    resources={
        "finish_erasures": finish_erasures,
        "origin": sandbox_resource(SandboxSettings.read(os.environ).sandbox_url, _SETTINGS),
    },
)
