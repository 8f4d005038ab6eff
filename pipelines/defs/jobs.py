"""Jobs: one per market, from fetch to release, in one process; and one that exports the current release.

A process per step would cost seconds each; work that needs several cores has its own pool (`runtime.parser_pool`).
Docs: https://docs.dagster.io/guides/build/jobs
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs.asset_keys import RELEASE, market_key, raw_key, staged_key
from pipelines.defs.resources import MARKETS_TAG
from pipelines.runtime.crash_recovery import MARKET_TAG


def job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's ingest job: `ingest_<cc>`."""
    return f"ingest_{jurisdiction.code.lower()}"


def export_job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's export job: `export_<cc>`."""
    return f"export_{jurisdiction.code.lower()}"


def market_asset_keys(jurisdiction: Jurisdiction, datasets: Sequence[Dataset]) -> list[dg.AssetKey]:
    """The asset keys of a market for the given datasets, without the release."""
    return [
        *(raw_key(dataset) for dataset in datasets),
        *(staged_key(dataset) for dataset in datasets),
        *(market_key(jurisdiction, layer) for layer in ("normalised", "history", "events")),
    ]


def market_job(jurisdiction: Jurisdiction) -> Any:  # Dagster's name for the type is private
    """The full pipeline of one market, release included."""
    return dg.define_asset_job(
        job_name(jurisdiction),
        selection=dg.AssetSelection.assets(*market_asset_keys(jurisdiction, jurisdiction.datasets), RELEASE),
        executor_def=dg.in_process_executor,
        run_tags={MARKET_TAG: jurisdiction.code, MARKETS_TAG: jurisdiction.code},
        description=f"Ingest of {jurisdiction.code}: fetch, read, normalise, compare, publish.",
    )


def export_job(jurisdiction: Jurisdiction) -> Any:
    """The bulk export of one market: a separate job, so that an ingest never waits for export files."""
    return dg.define_asset_job(
        export_job_name(jurisdiction),
        selection=dg.AssetSelection.assets(market_key(jurisdiction, "export")),
        executor_def=dg.in_process_executor,
        description=f"Bulk export of {jurisdiction.code} from the current release.",
    )
