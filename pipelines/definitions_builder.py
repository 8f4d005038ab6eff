"""Composes the Dagster Definitions, the same for the code location, the command line and tests.

Docs: https://docs.dagster.io/api/dagster/definitions
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import dagster as dg

import connectors
from connectors.contract.dataset import Jurisdiction
from pipelines.defs.assets import (
    events_asset,
    export_asset,
    history_asset,
    normalised_asset,
    release_asset,
    source_assets,
)
from pipelines.defs.jobs import export_job, market_job, publish_job
from pipelines.defs.resources import leave_control_plane, workspace_resource
from pipelines.defs.retention import prune_job, prune_schedule
from pipelines.defs.schedules import export_schedule, market_schedule, publish_schedule
from pipelines.defs.sensors import listen_job, listen_sensor, recover_sensor, spool_sensor
from pipelines.reporting import run_log
from pipelines.sources.live import live_source
from pipelines.sources.stream_listener import streaming_datasets
from pipelines.workspace import Workspace

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


def build_defs(
    settings: IngestSettings, *, workspace: Workspace | None = None, resources: Mapping[str, object] | None = None
) -> dg.Definitions:
    """All assets, jobs, schedules and resources. Touches neither network nor disk.

    Args:
        settings: of this installation.
        workspace: instead of one made from the settings (tests, the command line).
        resources: instead of the resources made here, by name: `finish_erasures`, `origin`, `workspace`.
    """
    workspace = workspace or Workspace(settings, connectors.JURISDICTIONS)
    markets = [made for made in workspace.jurisdictions if made.state == "served"]
    jobs = [make(jurisdiction) for make in (market_job, export_job) for jurisdiction in markets]
    heard = [market for market in markets if streaming_datasets(market)]
    made = {
        "workspace": workspace_resource(workspace, run_log.scheduled_run),
        "origin": live_source(settings),
        "finish_erasures": leave_control_plane,
        **(resources or {}),
    }
    return dg.Definitions(
        assets=[
            *(asset for market in markets for asset in market_assets(market)),
            release_asset(markets),
            *(export_asset(market) for market in markets),
        ],
        jobs=[*jobs, publish_job(markets), prune_job(), *(listen_job(market) for market in heard)],
        sensors=[
            *(listen_sensor(market, workspace) for market in heard),
            *(spool_sensor(market, workspace) for market in heard),
            *(recover_sensor(market, workspace) for market in markets if settings.celery_broker_url),
        ],
        schedules=[
            *(market_schedule(market, workspace) for market in markets),
            publish_schedule(tuple(markets), workspace),
            *(export_schedule(market) for market in markets),
            prune_schedule(),
        ],
        resources=made,
        executor=dg.in_process_executor,
    )


@lru_cache(maxsize=16)  # every round of an ingest requests them
def market_assets(jurisdiction: Jurisdiction) -> tuple[dg.AssetsDefinition, ...]:
    """The assets of one market."""
    return (
        *(source_assets(jurisdiction, dataset) for dataset in jurisdiction.datasets),
        normalised_asset(jurisdiction),
        history_asset(jurisdiction),
        events_asset(jurisdiction),
    )
