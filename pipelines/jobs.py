"""Jobs: one per market, from fetch to release, in one process; and one that exports what is released.

A process per step costs seconds each; what wants more than one core has its own pool (`parsing`).

Docs: https://docs.dagster.io/guides/build/jobs
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dagster as dg

from connectors.declare import Dataset, Jurisdiction
from pipelines.assets.keys import RELEASE, market_key, raw_key, staged_key
from pipelines.resources import MARKET_TAG, MARKETS_TAG


def job_name(jurisdiction: Jurisdiction) -> str:
    """`ingest_<cc>`."""
    return f"ingest_{jurisdiction.code.lower()}"


def export_job_name(jurisdiction: Jurisdiction) -> str:
    """`export_<cc>`."""
    return f"export_{jurisdiction.code.lower()}"


def market_assets(jurisdiction: Jurisdiction, datasets: Sequence[Dataset]) -> list[dg.AssetKey]:
    """The assets of a market with those of some of its datasets, the release not among them."""
    return [
        *(raw_key(dataset) for dataset in datasets),
        *(staged_key(dataset) for dataset in datasets),
        *(market_key(jurisdiction, layer) for layer in ("normalised", "history", "events")),
    ]


def market_job(jurisdiction: Jurisdiction) -> Any:  # Dagster names the type in private only
    """The whole way of one market, release included."""
    return dg.define_asset_job(
        job_name(jurisdiction),
        selection=dg.AssetSelection.assets(*market_assets(jurisdiction, jurisdiction.datasets), RELEASE),
        executor_def=dg.in_process_executor,
        run_tags={MARKET_TAG: jurisdiction.code, MARKETS_TAG: jurisdiction.code},
        description=f"Ingest of {jurisdiction.code}: fetch, read, normalise, compare, publish.",
    )


def export_job(jurisdiction: Jurisdiction) -> Any:
    """The hand-over of one market: no part of its ingest, which waits for nobody's files."""
    return dg.define_asset_job(
        export_job_name(jurisdiction),
        selection=dg.AssetSelection.assets(market_key(jurisdiction, "export")),
        executor_def=dg.in_process_executor,
        description=f"Bulk hand-over of {jurisdiction.code} from the release that is served.",
    )
